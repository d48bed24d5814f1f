import { createHash } from 'node:crypto';
import type { DatabaseInfo, Provider } from '../../application/location-database.ts';
import type { MmdbFile } from './mmdb-file.ts';

/** What a set of files says about itself, taken together. */
export const infoOf = (files: readonly { name: string; file: MmdbFile }[]): DatabaseInfo => {
  const dates = files.map(({ file }) => file.builtAt);
  const first = files[0];
  return {
    types: files.map(({ file }) => file.type),
    provider: first ? providerOf(first.file.type, first.name) : 'other',
    builtAt: dates.reduce(
      (oldest, date) => oldest && date && (date < oldest ? date : oldest),
      dates[0] ?? null,
    ),
    fingerprint: fingerprint(files.map(({ file }) => file)),
  };
};

/** From metadata and size, not the content: a hash of 130 MB at every start would show no more than the build date. */
const fingerprint = (files: readonly MmdbFile[]): string => {
  const parts = files.map(({ type, builtAt, bytes }) => [type, builtAt?.getTime(), bytes.length]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
};

/**
 * Who made a file, by the type it claims. The flat files of ip-location-db do not name their maker, but their file names do.
 * @param name the file's name, without its folder
 */
const providerOf = (type: string, name: string): Provider => {
  if (/^DBIP/i.test(type)) return 'db-ip';
  if (/^RouteViews/i.test(type)) return 'routeviews';
  if (/^GeoLite/i.test(type)) return 'geolite';
  if (/^GeoIP/i.test(type)) return 'geoip';
  if (/dbip/i.test(name)) return 'db-ip';
  if (/geolite/i.test(name)) return 'geolite';
  return 'other';
};
