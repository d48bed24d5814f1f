import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseAddress } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import { openAsnDatabase } from '../../adapters/mmdb/asn-database.ts';
import { openCityDatabase } from '../../adapters/mmdb/city-database.ts';
import { modelOf } from '../../adapters/mmdb/database-model.ts';
import { openMmdb } from '../../adapters/mmdb/mmdb-file.ts';
import type { DatabaseInfo } from '../../application/location-database.ts';
import { type DataOption, UpdateFailed } from '../../cli/data-option.ts';
import { UNKNOWN_OPERATOR } from '../../domain/location.ts';
import type { UpdateDeps } from './update-database.ts';

/** When the file in this place was made; null when it cannot be read. */
export const buildDateOf = async (path: string): Promise<Date | null> => {
  try {
    return openMmdb(await readFile(path)).builtAt;
  } catch (error) {
    // A damaged file in its place is no reason to keep it.
    if (error instanceof UnusableFiles) return null;
    throw error;
  }
};

const verifier =
  <T extends { readonly info: DatabaseInfo }>(
    open: (files: readonly NamedFile[]) => Promise<T>,
    knows: (database: T, address: NonNullable<ReturnType<typeof parseAddress>>) => boolean,
  ) =>
  async (file: string, knownAddress: string): Promise<DatabaseInfo> => {
    let database: T;
    try {
      database = await open([{ name: basename(file), bytes: await readFile(file) }]);
    } catch (cause) {
      if (cause instanceof UnusableFiles) throw new UpdateFailed(cause.message, { cause });
      throw cause;
    }
    const address = parseAddress(knownAddress);
    if (!address || !knows(database, address)) {
      throw new UpdateFailed(
        `the file has no entry for ${knownAddress}; name an address that it must have with --known-address`,
      );
    }
    return database.info;
  };

/** A file of countries would take the cities away. */
const openCities = async (files: readonly NamedFile[]) => {
  const database = await openCityDatabase(files);
  const [type = ''] = database.info.types;
  if (modelOf(type) !== 'city')
    throw new UnusableFiles(`a database of type ${JSON.stringify(type)} has no cities`);
  return database;
};

/** The service's own verification, and an entry for an address that everyone has. Few addresses have one in other databases. */
export const verifierOf = (name: string, all: readonly DataOption[]): UpdateDeps['verify'] => {
  if (name === 'city')
    return verifier(
      openCities,
      (database, address) => database.find(address, 'en').location.country !== null,
    );
  const own = all.find(({ database }) => database?.name === name)?.database;
  if (own) return verifier(own.verify, () => true);
  return verifier(openAsnDatabase, (database, address) => database.find(address) !== UNKNOWN_OPERATOR);
};
