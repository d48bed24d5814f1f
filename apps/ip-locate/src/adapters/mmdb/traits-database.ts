import type { ListTrait } from '../../domain/address-traits.ts';
import { type TraitList, traitsOfLists } from '../../domain/traits-of-lists.ts';
import { writeMmdb } from './mmdb-writer.ts';

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
