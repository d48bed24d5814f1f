import { basename } from 'node:path';
import { httpRequest, RequestFailed } from '@workspace/http-client';
import { MAX_BYTES } from '../../adapters/mmdb/mmdb-file.ts';
import { UpdateFailed } from '../../cli/data-option.ts';
import { type DatabasePlace, type Installed, sha256Of } from './database-place.ts';
import { download, type Progress, type RetryOptions } from './download.ts';
import { unpack } from './unpack.ts';

/** Where a newer database may be. */
export interface Offer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** of the file at `url`, in hexadecimal */
  readonly sha256?: string;
  /** a file that starts with that checksum */
  readonly sha256Url?: string;
}

interface InstalledOffer extends Installed {
  readonly url: string;
  readonly validator?: string | undefined;
  /** of what was downloaded */
  readonly sha256: string;
}

/**
 * Downloads the first offer that exists, checks the checksum and unpacks.
 * @returns whether there is a candidate; false when the server still has what was installed last
 * @throws UpdateFailed
 */
export const fetchOffer = async (
  offers: readonly Offer[],
  place: DatabasePlace,
  progress: Progress,
  retry: RetryOptions | undefined,
): Promise<boolean> => {
  const { part } = place;
  const last = await place.installed<InstalledOffer>();
  for (const { url, headers = {}, sha256, sha256Url } of offers) {
    const expected = sha256 ?? (sha256Url === undefined ? undefined : await checksumAt(sha256Url, headers));
    if (expected !== undefined && expected === last?.sha256) return false;
    const known = expected === undefined && last?.url === url ? last.validator : undefined;
    const got = await download(url, { headers, part, known, progress, maxBytes: MAX_BYTES, ...retry });
    if (got.outcome === 'not-found') continue;
    if (got.outcome === 'not-modified') return false;
    const actual = await sha256Of(part);
    if (expected !== undefined && actual !== expected)
      throw new UpdateFailed(`the file's SHA-256 is ${actual}, not ${expected}`);
    const database = await unpack(part, place.candidate, basename(place.path, '.mmdb'));
    const { validator } = got;
    const installed: InstalledOffer = { url, sha256: actual, database, validator };
    place.fetched(installed);
    return true;
  }
  throw new UpdateFailed(`not found: ${offers.map(({ url }) => url).join(', ')}`);
};

const checksumAt = async (url: string, headers: Readonly<Record<string, string>>): Promise<string> => {
  const bounds = { maxBytes: 64 * 1024, timeoutMs: 30_000 };
  const { host } = new URL(url);
  return httpRequest(url, { headers, ...bounds }, async ({ status, body }) => {
    // The file may go on; one of a server that misbehaves may never end.
    let text = '';
    for await (const chunk of body) {
      text += chunk.toString('latin1');
      if (text.length > 64) break;
    }
    const checksum = /^[0-9a-f]{64}\b/i.exec(text)?.[0];
    if (status === 200 && checksum !== undefined) return checksum.toLowerCase();
    const hint = status === 401 || status === 403 ? ': check account and key' : '';
    throw new UpdateFailed(`${host} answered ${status} when asked for the checksum${hint}`);
  }).catch((cause: unknown) => {
    if (!(cause instanceof RequestFailed)) throw cause;
    throw new UpdateFailed(`the checksum cannot be read: ${cause.message}`, { cause });
  });
};
