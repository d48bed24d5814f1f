import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Network } from '@workspace/ip-addresses';
import { type PublishedLists, UpdateFailed } from '../../cli/data-option.ts';
import { type DatabasePlace, type Installed, sha256Of } from './database-place.ts';
import { download, type Progress, type RetryOptions } from './download.ts';

interface InstalledLists extends Installed {
  /** how many each list had */
  readonly networks: Readonly<Record<string, number>>;
}

/** Bytes. The largest that is published, Azure's, has 5 MB. */
const MAX_LIST_BYTES = 64 * 2 ** 20;

/**
 * Makes a candidate of published lists. All of them are downloaded each time, and one that is missing or wrong leaves the database as
 * it is: half of the lists would say of too many addresses that nothing is known.
 * @throws UpdateFailed
 */
export const fetchLists = async (
  { urls, acceptSmaller, parse, compile }: PublishedLists,
  place: DatabasePlace,
  progress: Progress,
  { now, retry }: { now: Date; retry: RetryOptions | undefined },
): Promise<true> => {
  const { part, candidate } = place;
  const last = await place.installed<InstalledLists>();
  const fetched: (readonly Network[])[] = [];
  const counts: Record<string, number> = {};
  for (const url of urls) {
    const got = await download(url, { part, progress, maxBytes: MAX_LIST_BYTES, ...retry });
    if (got.outcome !== 'complete') throw new UpdateFailed(`not found: ${url}`);
    const parsed = parse(await readFile(part, 'utf8'));
    if ('violation' in parsed) throw new UpdateFailed(`${url}: ${parsed.violation}`);
    const { networks } = parsed;
    const before = last?.networks[url] ?? 0;
    if (networks.length < before / 2 && !acceptSmaller) {
      throw new UpdateFailed(
        `${url}: the list has ${networks.length} networks and had ${before}; use --accept-smaller to accept it`,
      );
    }
    counts[url] = networks.length;
    fetched.push(networks);
  }
  await rm(part, { force: true });
  await writeFile(candidate, compile(fetched, now), { flag: 'wx' });
  const installed: InstalledLists = { database: await sha256Of(candidate), networks: counts };
  place.fetched(installed);
  return true;
};
