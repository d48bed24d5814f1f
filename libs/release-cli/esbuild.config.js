import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundledLicences } from '../../esbuild.licenses.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Makes a package of the command, with the version of the service whose data it publishes. */
const packageJson = {
  name: 'package-json',
  setup: (build) =>
    build.onEnd(() => {
      const read = (file) => JSON.parse(readFileSync(root + file, 'utf8'));
      const { version, license } = read('apps/release-web/package.json');
      const manifest = {
        name: 'release-data',
        version,
        description: 'Publishes, checks and follows the release data of release-web',
        license,
        type: 'module',
        bin: { 'release-data': 'release-data.js' },
        files: ['release-data.js', 'bundled-licenses.txt'],
        engines: { node: read('package.json').engines.node },
      };
      writeFileSync(`${root}dist/libs/release-cli/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
    }),
};

export default {
  banner: {
    js: "import { createRequire as requireFromBundle } from 'node:module'; const require = requireFromBundle(import.meta.url);",
  },
  plugins: [packageJson, bundledLicences()],
};
