import { type DataOption, isHttpUrl, type PublishedLists } from '../../cli/data-option.ts';
import { UsageError } from '../../cli/terminal.ts';
import { writeMmdb } from '../../adapters/mmdb/mmdb-writer.ts';
import { openAnonymousDatabase } from './anonymous-database.ts';
import { parseNetworkList } from './network-list.ts';
import {
  isListTrait,
  LIST_TRAITS,
  type ListTrait,
  type TraitList,
  traitsOfLists,
} from './traits-of-lists.ts';

const TRAITS = Object.keys(LIST_TRAITS).join(', ');

/**
 * Writes the database of what published lists say, in the shape of MaxMind's Anonymous-IP, which every reader of mmdb files reads.
 * @param complete traits of which the lists have every address
 */
export const writeTraitsDatabase = (
  lists: readonly TraitList[],
  { complete, builtAt }: { complete: readonly ListTrait[]; builtAt: Date },
): Buffer =>
  writeMmdb({
    type: 'ip-locate-Anonymous-IP',
    description: 'What addresses are used for, by published lists',
    epoch: Math.floor(builtAt.getTime() / 1000),
    entries: traitsOfLists(lists, complete),
  });

/** The lists that the command line names; undefined without any. */
const listsOf = (
  named: readonly string[],
  completeText: unknown,
): Omit<PublishedLists, 'acceptSmaller'> | undefined => {
  const complete =
    typeof completeText === 'string' ? completeText.split(',').map((trait) => trait.trim()) : [];
  const wrong = complete.find((trait) => !isListTrait(trait));
  if (wrong !== undefined) throw new UsageError(`--complete names ${TRAITS}, not "${wrong}".`);
  if (named.length === 0) return undefined;
  const lists = named.map((text) => {
    const [, trait = '', url = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
    if (!isListTrait(trait))
      throw new UsageError(`--list is TRAIT=URL, TRAIT one of ${TRAITS}, not "${text}".`);
    if (!isHttpUrl(url)) throw new UsageError(`"${url}" is not an HTTP address.`);
    return { trait, url };
  });
  const unlisted = complete.find((trait) => !lists.some((list) => list.trait === trait));
  if (unlisted !== undefined) throw new UsageError(`--complete ${unlisted} needs a --list ${unlisted}=….`);
  return {
    urls: lists.map(({ url }) => url),
    parse: parseNetworkList,
    compile: (all, builtAt) =>
      writeTraitsDatabase(
        all.map((networks, at) => ({ trait: lists[at]!.trait, networks })),
        { complete: complete as ListTrait[], builtAt },
      ),
  };
};

/** Keeps `anonymous.mmdb`, which may be made of published lists. */
export const traitUpdates: DataOption = {
  name: 'traits',
  database: {
    name: 'anonymous',
    edition: 'GeoIP2-Anonymous-IP',
    verify: openAnonymousDatabase,
    help: `  --list TRAIT=URL       makes anonymous.mmdb from published lists of networks (JSON, CSV or lines); TRAIT is one of ${TRAITS}; may be repeated
  --complete TRAITS      traits, separated by commas, whose lists are complete: all other addresses get false instead of unknown
  --accept-smaller       accept lists that have lost more than half of their networks`,
    example: `  ip-locate-data update --folder data --databases anonymous --complete tor \\
    --list tor=https://check.torproject.org/torbulkexitlist \\
    --list hosting=https://ip-ranges.amazonaws.com/ip-ranges.json`,
    options: {
      list: { type: 'string', multiple: true, default: [] },
      complete: { type: 'string' },
      'accept-smaller': { type: 'boolean', default: false },
    },
    listsOf: ({ list, complete, 'accept-smaller': acceptSmaller }) => {
      const lists = listsOf(list as readonly string[], complete);
      return lists && { ...lists, acceptSmaller: acceptSmaller === true };
    },
  },
};
