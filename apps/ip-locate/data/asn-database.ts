/**
 * Writes data/asn.mmdb, the ASN database bundled with the service, from the CSV files of the npm package
 * `@ip-location-db/asn` (RouteViews and DB-IP, CC BY 4.0). A fifth of their size, and every reader of mmdb files reads it.
 * `npx nx run ip-locate:data` runs this; the build copies the file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { asnEntries } from './asn-csv.ts';
import { shareSubtrees } from './shared-subtrees.ts';
import { writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';

const manifest = createRequire(import.meta.url).resolve('@ip-location-db/asn/package.json');
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

/** The package's version ends in the hour of its data: `2.3.2026061719`. */
const buildEpoch = (): number => {
  const [, year, month, day, hour] = /\.(\d{4})(\d{2})(\d{2})(\d{2})$/.exec(version) ?? [];
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour));
  if (Number.isNaN(time)) throw new Error(`version ${version} does not end in a date`);
  return time / 1000;
};

const lines = ['asn-ipv4.csv', 'asn-ipv6.csv'].flatMap((name) =>
  readFileSync(join(dirname(manifest), name), 'utf8').split('\n'),
);
const bytes = writeMmdb({
  type: 'RouteViews-DBIP-ASN',
  description: 'Autonomous systems by RouteViews (routeviews.org) and DB-IP (db-ip.com), CC BY 4.0',
  recordSize: 24,
  epoch: buildEpoch(),
  entries: asnEntries(lines),
});
writeFileSync(join(import.meta.dirname, 'asn.mmdb'), shareSubtrees(bytes));
