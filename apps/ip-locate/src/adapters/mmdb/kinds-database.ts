import type { ListKind } from '../../domain/address-kinds.ts';
import { type KindList, kindsOfLists } from '../../domain/kinds-of-lists.ts';
import { writeMmdb } from './mmdb-writer.ts';

/**
 * Writes the database of what published lists say, in the shape of MaxMind's Anonymous-IP, which every reader of mmdb files reads.
 * @param complete kinds of which the lists have every address
 */
export const writeKindsDatabase = (
  lists: readonly KindList[],
  { complete, builtAt }: { complete: readonly ListKind[]; builtAt: Date },
): Buffer =>
  writeMmdb({
    type: 'ip-locate-Anonymous-IP',
    description: 'What addresses are used for, by published lists',
    epoch: Math.floor(builtAt.getTime() / 1000),
    entries: kindsOfLists(lists, complete),
  });
