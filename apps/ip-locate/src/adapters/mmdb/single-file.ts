import type { Address } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import { type DatabaseInfo, UnreadableData } from '../../application/location-database.ts';
import { infoOf } from './database-info.ts';
import { type MmdbFile, openMmdb } from './mmdb-file.ts';
import { type Readers, verify } from './verification.ts';

/**
 * Opens and verifies a database that is one file and has no names of places.
 * @param what it is, for an error
 * @param valueOf what the facts of an entry say; undefined when the address is not in the file
 * @throws UnusableFiles saying why the file must not be used
 */
export const openSingleFile = async <T>(
  files: readonly NamedFile[],
  what: string,
  readersOf: (file: MmdbFile) => Readers,
  valueOf: (facts: object | undefined) => T,
): Promise<{ readonly info: DatabaseInfo; readonly find: (address: Address) => T }> => {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const [only] = opened;
  if (!only || opened.length > 1) throw new UnusableFiles(`${what} is one file`);
  const readers = readersOf(only.file);
  await verify(only.file, readers);
  const find = (address: Address): T => {
    try {
      return valueOf(readers.own(address, 'en')?.facts);
    } catch (cause) {
      throw new UnreadableData('the database has a damaged entry', { cause });
    }
  };
  return { info: await infoOf(opened), find };
};
