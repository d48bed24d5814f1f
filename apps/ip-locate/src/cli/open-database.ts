import { readFile } from 'node:fs/promises';
import { UnusableFiles } from '@workspace/service-process';
import { asnReaders } from '../adapters/mmdb/asn-database.ts';
import { CityFile } from '../adapters/mmdb/city-database.ts';
import { modelOf } from '../adapters/mmdb/database-model.ts';
import { type MmdbFile, openMmdb } from '../adapters/mmdb/mmdb-file.ts';
import { NOTHING, type OpenedDatabase } from './data-option.ts';

/** Opens a file for options to walk. @throws UnusableFiles, or the error of a file that cannot be read */
export const openDatabase = async (path: string): Promise<OpenedDatabase> => {
  const file = openMmdb(await readFile(path));
  const model = modelOf(file.type);
  const { facts, ...opened } = model === 'city' || model === 'country' ? locations(file) : operators(file);
  return {
    ...opened,
    tree: file.tree,
    facts: (address) => {
      try {
        return facts(address);
      } catch (cause) {
        throw new UnusableFiles('the entries are damaged', { cause });
      }
    },
  };
};

type Opened = Omit<OpenedDatabase, 'tree'>;

const locations = (file: MmdbFile): Opened => {
  const city = new CityFile(file);
  return {
    families: file.families,
    model: 'location',
    facts: (address) => {
      const { country, region, continentCode: continent, inEu } = city.find(address, 'en').location;
      return { ...NOTHING, country, region, continent, inEu };
    },
  };
};

const operators = (file: MmdbFile): Opened => {
  const { families, own } = asnReaders(file);
  return {
    families,
    model: 'operator',
    facts: (address) => {
      const { asn } = (own(address, 'en')?.facts ?? {}) as { asn?: unknown };
      return { ...NOTHING, asn: typeof asn === 'number' ? asn : null };
    },
  };
};
