import { type NamedFile, UnusableFiles } from '@workspace/service-kit';
import { City } from '@maxmind/geoip2-node';
import { LRUCache } from 'lru-cache';
import type { Address } from '@workspace/ip-addresses';
import {
  type DatabaseEntry,
  type LocationDatabase,
  UnreadableData,
} from '../../application/location-database.ts';
import { withoutDistrict } from '../../domain/city-name.ts';
import { type Language, LANGUAGES } from '../../domain/language.ts';
import { type Location, UNKNOWN_LOCATION } from '../../domain/location.ts';
import { type LocationRules, toLocation } from './city-location.ts';
import { infoOf } from './database-info.ts';
import { nestFlatRecord } from './flat-record.ts';
import { type MmdbFile, openMmdb } from './mmdb-file.ts';
import { timeZoneAt } from './time-zone.ts';
import { type ProbeOutcome, verify } from './verification.ts';

/** A file of ip-location-db: one address family, flat records. */
const FLAT = /^city ipv[46]$/;
const NOT_FOUND: DatabaseEntry = Object.freeze({ location: UNKNOWN_LOCATION, prefixLength: null });

export interface CityOptions {
  /** leave the district out of a city's name */
  readonly stripDistricts?: boolean;
}

/**
 * Opens and verifies city data: one MaxMind-format file, or one file per address family.
 * @throws UnusableFiles saying why the data must not be used
 */
export async function openCityDatabase(
  files: readonly NamedFile[],
  { stripDistricts = false }: CityOptions = {},
): Promise<LocationDatabase> {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const byFamily = new Map<4 | 6, CityFile>();
  const info = infoOf(opened);
  const rules: LocationRules = {
    ...(info.provider === 'db-ip' && { timeZoneAt }),
    ...(stripDistricts && { cityName: withoutDistrict }),
  };
  for (const { file } of opened) {
    const cityFile = new CityFile(file, rules);
    for (const family of cityFile.families) {
      if (byFamily.has(family)) throw new UnusableFiles(`two files for IPv${family}`);
      byFamily.set(family, cityFile);
    }
    await verify(file, cityFile.families, (address) => cityFile.probe(address));
  }
  return {
    // The same files give other answers under another rule.
    info: stripDistricts ? { ...info, fingerprint: `${info.fingerprint}-bare` } : info,
    find: (address, language) => byFamily.get(address.family)?.find(address, language) ?? NOT_FOUND,
  };
}

/**
 * Locations kept in memory by record, about 400 bytes each. Of the bundled data's 425,234 IPv4 records, the 20,000 with
 * the most addresses cover 89 % of all addresses, 50,000 cover 94 %, 100,000 cover 97 %.
 */
const CACHED_LOCATIONS = 100_000;

/** One file of city data. geoip2-node's City model interprets its records. */
class CityFile {
  readonly families: readonly (4 | 6)[];
  readonly #file: MmdbFile;
  readonly #flat: boolean;
  readonly #rules: LocationRules;
  /** by record and language */
  readonly #locations = new LRUCache<number, Location>({ max: CACHED_LOCATIONS });

  constructor(file: MmdbFile, rules: LocationRules) {
    this.#file = file;
    this.#flat = FLAT.test(file.type);
    if (!this.#flat && !/City|Enterprise/.test(file.type)) {
      throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} has no cities`);
    }
    // Lookups in the wrong family fail silently: an IPv4 tree answers for an IPv6 address by its first 32 bits.
    this.families = this.#flat || file.ipVersion === 4 ? [file.ipVersion] : [4, 6];
    this.#rules = rules;
  }

  find(address: Address, language: Language): DatabaseEntry {
    try {
      const found = this.#file.tree.find(address.bytes);
      if (!found) return NOT_FOUND;
      const { record, prefixLength } = found;
      const key = record * LANGUAGES.length + LANGUAGES.indexOf(language);
      let location = this.#locations.get(key);
      if (!location) {
        location = toLocation(this.#city(address), language, this.#rules);
        this.#locations.set(key, location);
      }
      return { location, prefixLength };
    } catch (cause) {
      throw new UnreadableData('the database has a damaged record', { cause });
    }
  }

  /**
   * The record of an address as geoip2-node interprets it. Its Reader is not used: it rejects the bundled files, whose
   * type it does not know, and cannot tell which record an address leads to, by which locations are cached.
   */
  #city({ text }: Address): City {
    const record = this.#file.reader.get(text);
    if (typeof record !== 'object' || record === null) throw new TypeError('the record is not a map');
    const { city, continent, country, location, postal, subdivisions } = this.#flat
      ? nestFlatRecord(record)
      : (record as Record<string, unknown>);
    // Only what is needed: the model copies every member, and throws on some that hold something else than expected.
    const needed = { city, continent, country, location, postal, subdivisions };
    return new City(needed as ConstructorParameters<typeof City>[0], text);
  }

  /** What a lookup finds, and whether its coordinates can be meant. */
  probe(address: Address): ProbeOutcome {
    if (this.find(address, 'en').prefixLength === null) return 'not found';
    const { location } = this.#city(address);
    return [location?.latitude, location?.longitude].some(isImplausible) ? 'implausible' : 'plausible';
  }
}

/** Finite numbers that no coordinate is. NaN and infinities are odd, but some makers do write them for "unknown". */
function isImplausible(value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value) || value === 0) return false;
  return Math.abs(value) > 180 || Math.abs(value) < 1e-6;
}
