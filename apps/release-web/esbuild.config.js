import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serviceBuild } from '../../esbuild.preset.js';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * Puts the publishing command beside main.js, so that whoever has the built service can also publish with it. The command
 * is a project of its own with dependencies of its own, which it brings along in its one file. (Nx copies no assets out
 * of ignored folders, and dist is one.)
 */
const releaseData = {
  name: 'release-data',
  setup: (build) =>
    build.onEnd(() => {
      copyFileSync(`${dist}libs/release-cli/release-data.js`, `${dist}apps/release-web/release-data.js`);
    }),
};

export default serviceBuild(releaseData);
