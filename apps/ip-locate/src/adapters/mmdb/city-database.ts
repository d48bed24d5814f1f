import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import type { Address } from '@workspace/ip-addresses';
import {
  type DatabaseEntry,
  type LocationDatabase,
  UnreadableData,
} from '../../application/location-database.ts';
import { withoutDistrict } from '../../domain/city-name.ts';
import { type Language, LANGUAGES } from '../../domain/language.ts';
import { type Location, UNKNOWN_LOCATION } from '../../domain/location.ts';
import { type LocationRules, type EntryFacts, EntryLocation } from '../../domain/entry-location.ts';
import { modelOf } from './database-model.ts';
import { infoOf } from './database-info.ts';
import { type MmdbFile, openMmdb } from './mmdb-file.ts';
import { cityShape, flatShape, type EntryShape } from './entry-shapes.ts';
import { RepeatedEntries } from './repeated-entries.ts';
import { timeZoneAt } from './time-zone.ts';
import { type Reading, referenceCityReader, referenceFlatReader } from './reference-reader.ts';
import { type Readers, verify } from './verification.ts';

/** A file of ip-location-db: flat entries. */
const FLAT = /^(?:city|country) ipv(?:4|6|All)$/;
const NOT_FOUND: DatabaseEntry = Object.freeze({ location: UNKNOWN_LOCATION, prefixLength: null });

export interface CityOptions {
  /** leave the district out of a city's name */
  readonly stripDistricts?: boolean;
}

/**
 * Opens and verifies locations, of cities or of countries only: one MaxMind-format file, or one file per address family.
 * @throws UnusableFiles saying why the data must not be used
 */
export const openCityDatabase = async (
  files: readonly NamedFile[],
  { stripDistricts = false }: CityOptions = {},
): Promise<LocationDatabase> => {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const byFamily = new Map<4 | 6, CityFile>();
  const info = await infoOf(opened);
  const rules: LocationRules = {
    ...(info.provider === 'db-ip' && { timeZoneAt }),
    ...(stripDistricts && { cityName: withoutDistrict }),
  };
  for (const { file } of opened) {
    const cityFile = new CityFile(file, rules);
    for (const family of file.families) {
      if (byFamily.has(family)) throw new UnusableFiles(`two files for IPv${family}`);
      byFamily.set(family, cityFile);
    }
    await verify(file, cityFile.readers());
  }
  return {
    // The same files give other answers under another rule.
    info: stripDistricts ? { ...info, fingerprint: `${info.fingerprint}-bare` } : info,
    find: (address, language) => byFamily.get(address.family)?.find(address, language) ?? NOT_FOUND,
  };
};

/** One file of locations. */
export class CityFile {
  readonly #file: MmdbFile;
  readonly #isFlat: boolean;
  readonly #shape: EntryShape;
  readonly #rules: LocationRules;
  readonly #repeated = new RepeatedEntries<Location>();

  constructor(file: MmdbFile, rules: LocationRules = {}) {
    this.#file = file;
    this.#rules = rules;
    const flat = FLAT.test(file.type);
    this.#isFlat = flat;
    this.#shape = flat ? flatShape : cityShape;
    const model = modelOf(file.type);
    if (model !== 'city' && model !== 'country') {
      throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} has no locations`);
    }
  }

  find(address: Address, language: Language): DatabaseEntry {
    try {
      const found = this.#file.tree.find(address.bytes);
      if (!found) return NOT_FOUND;
      return { location: this.#location(found.entry, language), prefixLength: found.prefixLength };
    } catch (cause) {
      throw new UnreadableData('the database has a damaged entry', { cause });
    }
  }

  /** @throws RangeError or TypeError when the entry is damaged */
  #read(address: Address, language: Language): (Reading & { readonly facts: EntryFacts }) | undefined {
    const found = this.#file.tree.find(address.bytes);
    if (!found) return undefined;
    return { facts: this.#facts(found.entry, language), prefixLength: found.prefixLength };
  }

  #facts(entry: number, language: Language): EntryFacts {
    return this.#shape.facts(this.#file.read(entry, this.#shape.selection(language)), language);
  }

  #location(entry: number, language: Language): Location {
    const key = entry * LANGUAGES.length + LANGUAGES.indexOf(language);
    let location = this.#repeated.get(key);
    if (!location) {
      location = new EntryLocation(this.#facts(entry, language), language, this.#rules);
      this.#repeated.set(key, location);
    }
    return location;
  }

  /** The two readers of the file, to be compared. */
  readers(): Readers {
    return {
      families: this.#file.families,
      own: (address, language) => this.#read(address, language),
      reference: this.#isFlat ? referenceFlatReader(this.#file) : referenceCityReader(this.#file),
      isPlausible: isOnTheGlobe,
    };
  }
}

const isOnTheGlobe = ({ latitude, longitude }: Partial<EntryFacts>): boolean =>
  ![latitude, longitude].some(isImplausible);

/** Finite numbers that no coordinate is. NaN and infinities are odd, but some makers do write them for "unknown". */
const isImplausible = (value: unknown): boolean => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value === 0) return false;
  return Math.abs(value) > 180 || Math.abs(value) < 1e-6;
};
