import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseAddress } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import { openAsnDatabase } from '../../adapters/mmdb/asn-database.ts';
import { openCityDatabase } from '../../adapters/mmdb/city-database.ts';
import { modelOf } from '../../adapters/mmdb/database-model.ts';
import { type MmdbFile, openMmdb } from '../../adapters/mmdb/mmdb-file.ts';
import { type DataOption, UpdateFailed } from '../../cli/data-option.ts';
import { UNKNOWN_OPERATOR } from '../../domain/location.ts';

/** When a file was made, and for which addresses; undefined when it is damaged. */
export const metadataOf = async (
  path: string,
): Promise<Pick<MmdbFile, 'builtAt' | 'families'> | undefined> => {
  try {
    const { builtAt, families } = openMmdb(await readFile(path));
    return { builtAt, families };
  } catch (error) {
    if (error instanceof UnusableFiles) return undefined;
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
): Promise<void> => {
  const files = [{ name: basename(file), bytes: await readFile(file) }];
  const known = parseAddress(knownAddress)!;
  const own = options.find(({ database }) => database?.name === name)?.database;
  try {
    if (own) return void (await own.verify(files));
    const database = name === 'city' ? await openCities(files) : await openAsnDatabase(files);
    const found = database.find(known, 'en');
    if ('location' in found ? found.location.country !== null : found !== UNKNOWN_OPERATOR) return;
  } catch (cause) {
    if (cause instanceof UnusableFiles) throw new UpdateFailed(cause.message, { cause });
    throw cause;
  }
  throw new UpdateFailed(
    `the file has no entry for ${knownAddress}; name an address that it must have with --known-address`,
  );
};
