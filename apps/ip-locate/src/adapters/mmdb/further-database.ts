import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import type { DatabaseInfo, FurtherDatabase } from '../../application/location-database.ts';
import { type CityOptions, openCityDatabase } from './city-database.ts';
import { type DatabaseModel, modelOf } from './database-model.ts';
import { openMmdb } from './mmdb-file.ts';
import { openNetworkDatabase } from './network-database.ts';

/**
 * Opens and verifies a database that stands behind the first one; what it is for follows from the type that its file claims.
 * @throws UnusableFiles saying why the data must not be used
 */
export const openFurtherDatabase = async (
  files: readonly NamedFile[],
  options: CityOptions = {},
): Promise<FurtherDatabase> => {
  const [first] = files;
  const model = first && modelOf(openMmdb(first.bytes).type);
  if (model === 'connection-type' || model === 'domain') return openNetworkDatabase(files);
  return openCityDatabase(files, options);
};

/**
 * Opens databases of one model only, that of the first: a file of countries that takes the place of one of cities is a mistake,
 * and would take the cities away.
 */
export const ofOneModel = <T extends { readonly info: DatabaseInfo }>(
  open: (files: readonly NamedFile[]) => Promise<T>,
): ((files: readonly NamedFile[]) => Promise<T>) => {
  let model: DatabaseModel | undefined;
  return async (files) => {
    const database = await open(files);
    const type = database.info.types[0] ?? '';
    const found = modelOf(type);
    if (model !== undefined && found !== model) {
      throw new UnusableFiles(
        `a database of type ${JSON.stringify(type)} in the place of a ${model} database`,
      );
    }
    model = found;
    return database;
  };
};
