import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Network } from '@workspace/ip-addresses';
import { type PublishedLists, UpdateFailed } from '../../cli/data-option.ts';
import type { Candidate, DatabaseFile, Progress } from './update-database.ts';
import { type DatabaseFileOptions, placeOf, sha256Of } from './database-file.ts';
import { download } from './download.ts';

export interface CompiledListsOptions extends DatabaseFileOptions {
  readonly lists: PublishedLists;
  readonly now: Date;
}

/** What was installed last: how many networks each list had. */
interface Installed {
  readonly database: string;
  readonly networks: Readonly<Record<string, number>>;
}

/** Bytes. The largest that is published, Azure's, has 5 MB. */
const MAX_LIST_BYTES = 64 * 2 ** 20;

/**
 * A database that is made of published lists. All of them are downloaded each time, and one that is missing or wrong leaves the database as
 * it is: half of the lists would say of too many addresses that nothing is known.
 */
export const compiledLists = (options: CompiledListsOptions): DatabaseFile => {
  const { path, builtAt, lists, now, retry } = options;
  const place = placeOf<Installed>(path, builtAt);
  const fetchList = async (url: string, progress: Progress) => {
    const got = await download(url, { part: place.part, progress, maxBytes: MAX_LIST_BYTES, ...retry });
    if (got.outcome !== 'complete') throw new UpdateFailed(`not found: ${url}`);
    const parsed = lists.parse(await readFile(place.part, 'utf8'));
    if ('violation' in parsed) throw new UpdateFailed(`${url}: ${parsed.violation}`);
    return parsed.networks;
  };
  return {
    ...place,
    async fetch(_offers, progress): Promise<Candidate> {
      const last = await place.installed();
      const fetched: (readonly Network[])[] = [];
      const counts: Record<string, number> = {};
      try {
        for (const url of lists.urls) {
          const networks = await fetchList(url, progress);
          const before = last?.networks[url] ?? 0;
          if (networks.length < before / 2 && !lists.acceptSmaller) {
            throw new UpdateFailed(
              `${url}: the list has ${networks.length} networks and had ${before}; use --accept-smaller to accept it`,
            );
          }
          counts[url] = networks.length;
          fetched.push(networks);
        }
        await rm(place.part, { force: true });
        await writeFile(place.candidate, lists.compile(fetched, now), { flag: 'wx' });
        place.fetched({ database: await sha256Of(place.candidate), networks: counts });
        return { file: place.candidate };
      } catch (error) {
        await place.discard();
        throw error;
      }
    },
  };
};
