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

/** A file of countries would take the cities away. */
const openCities = async (files: readonly NamedFile[]) => {
  const database = await openCityDatabase(files);
  const [type = ''] = database.info.types;
  if (modelOf(type) !== 'city')
    throw new UnusableFiles(`a database of type ${JSON.stringify(type)} has no cities`);
  return database;
};

/**
 * The service's own verification, and an entry for an address that everyone has. Few addresses have one in other databases.
 * @throws UpdateFailed saying why the service would reject it
 */
export const verifyDatabase = async (
  name: string,
  file: string,
  knownAddress: string,
  options: readonly DataOption[],
): Promise<DatabaseInfo> => {
  const files = [{ name: basename(file), bytes: await readFile(file) }];
  const known = parseAddress(knownAddress)!;
  const own = options.find(({ database }) => database?.name === name)?.database;
  try {
    if (own) return (await own.verify(files)).info;
    const database = name === 'city' ? await openCities(files) : await openAsnDatabase(files);
    const found = database.find(known, 'en');
    if ('location' in found ? found.location.country !== null : found !== UNKNOWN_OPERATOR)
      return database.info;
  } catch (cause) {
    if (cause instanceof UnusableFiles) throw new UpdateFailed(cause.message, { cause });
    throw cause;
  }
  throw new UpdateFailed(
    `the file has no entry for ${knownAddress}; name an address that it must have with --known-address`,
  );
};
