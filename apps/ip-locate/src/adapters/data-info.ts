import { createHash } from 'node:crypto';
import type { DataInfo } from '../domain/locator.ts';
import type { MmdbFile } from './mmdb-file.ts';
import { providerOf } from './provider.ts';

/** What a set of files says of itself, as one. */
export function infoOf(files: readonly { name: string; file: MmdbFile }[]): DataInfo {
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
}

/** Metadata and size, not the content: hashing 130 MB at every start buys nothing a build date does not say. */
function fingerprint(files: readonly MmdbFile[]): string {
  const parts = files.map(({ type, builtAt, bytes }) => [type, builtAt?.getTime(), bytes.length]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
}
