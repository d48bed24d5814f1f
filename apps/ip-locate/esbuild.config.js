import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serviceBuild } from '../../esbuild.preset.js';
import { bundledLicences } from '../../esbuild.licenses.js';

const source = fileURLToPath(new URL('data/asn.mmdb', import.meta.url));
const dist = fileURLToPath(new URL('../../dist/apps/ip-locate/data/', import.meta.url));

/** Puts the ASN database beside main.js. (Nx copies no assets that git ignores, and generated files are ignored.) */
const asnDatabase = {
  name: 'asn-database',
  setup: (build) =>
    build.onEnd(() => {
      mkdirSync(dist, { recursive: true });
      copyFileSync(source, `${dist}asn.mmdb`);
    }),
};

export default serviceBuild([asnDatabase, bundledLicences(['@ip-location-db/asn'])], ['files-ahead.ts']);
