import { readFile, rm, writeFile } from 'node:fs/promises';
import {
  type Candidate,
  type DatabaseFile,
  type Progress,
  UpdateFailed,
} from '../../application/update-database.ts';
import type { ListTrait } from '../../domain/address-traits.ts';
import type { TraitList } from '../../domain/traits-of-lists.ts';
import { parseNetworkList } from '../../domain/network-list.ts';
import { type DatabaseFileOptions, placeOf, sha256Of } from './database-file.ts';
import { download } from './download.ts';

/** A list that someone publishes. */
export interface PublishedList {
  readonly trait: ListTrait;
  readonly url: string;
}

export interface CompiledListsOptions extends DatabaseFileOptions {
  readonly lists: readonly PublishedList[];
  /** makes the bytes of a database */
  readonly compile: (lists: readonly TraitList[]) => Buffer;
  /** whether a list may have lost more than half of its networks */
  readonly acceptSmaller: boolean;
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
  const { path, builtAt, lists, compile, acceptSmaller, retry } = options;
  const place = placeOf<Installed>(path, builtAt);
  const fetchList = async ({ url }: PublishedList, progress: Progress) => {
    const got = await download(url, { part: place.part, progress, maxBytes: MAX_LIST_BYTES, ...retry });
    if (got.outcome !== 'complete') throw new UpdateFailed(`not found: ${url}`);
    const parsed = parseNetworkList(await readFile(place.part, 'utf8'));
    if ('violation' in parsed) throw new UpdateFailed(`${url}: ${parsed.violation}`);
    return parsed.networks;
  };
  return {
    ...place,
    async fetch(_offers, progress): Promise<Candidate> {
      const last = await place.installed();
      const fetched: TraitList[] = [];
      const counts: Record<string, number> = {};
      try {
        for (const list of lists) {
          const networks = await fetchList(list, progress);
          const before = last?.networks[list.url] ?? 0;
          if (networks.length < before / 2 && !acceptSmaller) {
            throw new UpdateFailed(
              `${list.url}: the list has ${networks.length} networks and had ${before}; use --accept-smaller to accept it`,
            );
          }
          counts[list.url] = networks.length;
          fetched.push({ trait: list.trait, networks });
        }
        await rm(place.part, { force: true });
        await writeFile(place.candidate, compile(fetched), { flag: 'wx' });
        place.fetched({ database: await sha256Of(place.candidate), networks: counts });
        return { file: place.candidate };
      } catch (error) {
        await place.discard();
        throw error;
      }
    },
  };
};
