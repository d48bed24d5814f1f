import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serviceBuild } from '../../esbuild.preset.js';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * Puts the publishing command beside main.js, so that the built service can also be used to publish. The command
 * is a project of its own with dependencies of its own, which it brings along in its one file. (Nx copies no assets out
 * of ignored folders, and dist is one.)
 */
const releaseData = {
  name: 'release-data',
  setup: (build) =>
    build.onEnd(() => {
      const [cli, app] = [`${dist}libs/release-cli`, `${dist}apps/release-web`];
      copyFileSync(`${cli}/release-data.js`, `${app}/release-data.js`);
      copyFileSync(`${cli}/bundled-licenses.txt`, `${app}/release-data-licenses.txt`);
    }),
};

export default serviceBuild(releaseData);
