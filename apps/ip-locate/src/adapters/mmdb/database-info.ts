import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { DatabaseInfo, Provider } from '../../application/location-database.ts';
import type { MmdbFile } from './mmdb-file.ts';

/** What a set of files says about itself, taken together. */
export const infoOf = async (files: readonly { name: string; file: MmdbFile }[]): Promise<DatabaseInfo> => {
  const dates = files.map(({ file }) => file.builtAt);
  const first = files[0];
  const provider = first ? providerOf(first.file.type, first.name) : 'other';
  const parts: unknown[] = [provider];
  for (const { file } of files) parts.push(file.type, file.bytes.length, await checksumOf(file.bytes));
  return {
    types: files.map(({ file }) => file.type),
    provider,
    builtAt: dates.reduce(
      (oldest, date) => oldest && date && (date < oldest ? date : oldest),
      dates[0] ?? null,
    ),
    fingerprint: createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12),
  };
};

/** Bytes between two turns of the event loop: requests served meanwhile wait a few milliseconds at most. */
const BYTES_PER_TURN = 4_194_304;

/** Of the whole content: what makes or edits a file need not give it another date or size. A third of the time of SHA-256. */
const checksumOf = async (bytes: Buffer): Promise<number> => {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += BYTES_PER_TURN) {
    sum = crc32(bytes.subarray(at, at + BYTES_PER_TURN), sum);
    await nextTurn();
  }
  return sum;
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
