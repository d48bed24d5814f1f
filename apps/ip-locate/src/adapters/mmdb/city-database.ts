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
import { type CityRecord, type LocationRules, toLocation } from './city-location.ts';
import { infoOf } from './database-info.ts';
import { nestFlatRecord } from './flat-record.ts';
import { type MmdbFile, openMmdb } from './mmdb-file.ts';
import { timeZoneAt } from './time-zone.ts';
import { type ProbeOutcome, verify } from './verification.ts';

/** A file of ip-location-db: one address family, flat records. */
const FLAT = /^city ipv[46]$/;
/**
 * About 300 bytes each. Of the bundled data's 425,234 IPv4 records, the 20,000 with the most addresses cover 89 % of all
 * addresses, 50,000 cover 94 %, 100,000 cover 97 %.
 */
const CACHE_ENTRIES = 100_000;
const NOT_FOUND: DatabaseEntry = Object.freeze({ location: UNKNOWN_LOCATION, prefixLength: null });

export interface CityOptions {
  /** leave the district out of a city's name */
  readonly stripDistricts?: boolean;
  /** locations kept in memory, for all files together */
  readonly cacheEntries?: number;
  /** told of each location that was looked for in memory, and whether it was there */
  readonly onCacheLookup?: (hit: boolean) => void;
}

/** Locations by file, record and language. */
type Locations = LRUCache<number, Location>;

/**
 * Opens and verifies city data: one MaxMind-format file, or one file per address family.
 * @throws UnusableFiles saying why the data must not be used
 */
export async function openCityDatabase(
  files: readonly NamedFile[],
  { stripDistricts = false, cacheEntries = CACHE_ENTRIES, onCacheLookup }: CityOptions = {},
): Promise<LocationDatabase> {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const byFamily = new Map<4 | 6, CityFile>();
  const info = infoOf(opened);
  const rules: LocationRules = {
    ...(info.provider === 'db-ip' && { timeZoneAt }),
    ...(stripDistricts && { cityName: withoutDistrict }),
  };
  const locations: Locations = new LRUCache({ max: cacheEntries });
  for (const [index, { file }] of opened.entries()) {
    const cityFile = new CityFile(file, { index, rules, locations, onCacheLookup });
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

interface CityFileDeps {
  /** 0 or 1: there is one file per address family at most */
  readonly index: number;
  readonly rules: LocationRules;
  readonly locations: Locations;
  readonly onCacheLookup: ((hit: boolean) => void) | undefined;
}

/** One file of city data. */
class CityFile {
  readonly families: readonly (4 | 6)[];
  readonly #file: MmdbFile;
  readonly #flat: boolean;
  readonly #deps: CityFileDeps;

  constructor(file: MmdbFile, deps: CityFileDeps) {
    this.#file = file;
    this.#deps = deps;
    this.#flat = FLAT.test(file.type);
    if (!this.#flat && !/City|Enterprise/.test(file.type)) {
      throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} has no cities`);
    }
    // Lookups in the wrong family fail silently: an IPv4 tree answers for an IPv6 address by its first 32 bits.
    this.families = this.#flat || file.ipVersion === 4 ? [file.ipVersion] : [4, 6];
  }

  find(address: Address, language: Language): DatabaseEntry {
    try {
      const found = this.#file.tree.find(address.bytes);
      if (!found) return NOT_FOUND;
      const { index, rules, locations, onCacheLookup } = this.#deps;
      const key = (found.record * LANGUAGES.length + LANGUAGES.indexOf(language)) * 2 + index;
      let location = locations.get(key);
      onCacheLookup?.(location !== undefined);
      if (!location) {
        location = toLocation(this.#record(address, language), language, rules);
        locations.set(key, location);
      }
      return { location, prefixLength: found.prefixLength };
    } catch (cause) {
      throw new UnreadableData('the database has a damaged record', { cause });
    }
  }

  /**
   * The record of an address, with names in one language and in English. geoip2-node's City interprets records in MaxMind's
   * shape. Its Reader is not used: it rejects the bundled files, whose type it does not know, and cannot tell which record
   * an address leads to, by which locations are cached.
   */
  #record({ text }: Address, language: Language): CityRecord {
    const record = this.#file.reader.get(text);
    if (typeof record !== 'object' || record === null) throw new TypeError('the record is not a map');
    if (this.#flat) return nestFlatRecord(record);
    const { city, continent, country, location, postal, subdivisions } = record as Record<string, unknown>;
    // Only what is needed: the model copies every member twice, and throws on some that hold something else than expected.
    const needed = {
      city: withNamesIn(language, city),
      continent: { code: (continent as { code?: unknown } | undefined)?.code },
      country: withNamesIn(language, country),
      location,
      postal,
      subdivisions: Array.isArray(subdivisions) ? [withNamesIn(language, subdivisions[0])] : undefined,
    };
    return new City(needed as ConstructorParameters<typeof City>[0], text) as CityRecord;
  }

  /** What a lookup finds, and whether its coordinates can be meant. */
  probe(address: Address): ProbeOutcome {
    if (!this.#file.tree.find(address.bytes)) return 'not found';
    const { latitude, longitude } = this.#record(address, 'en').location ?? {};
    return [latitude, longitude].some(isImplausible) ? 'implausible' : 'plausible';
  }
}

/** A part of a record without its names in other languages, of which large files have eight. */
function withNamesIn(language: Language, part: unknown): unknown {
  const names = (part as { names?: Record<string, unknown> } | undefined)?.names;
  if (typeof names !== 'object' || names === null) return part;
  return { ...(part as object), names: { en: names['en'], [language]: names[language] } };
}

/** Finite numbers that no coordinate is. NaN and infinities are odd, but some makers do write them for "unknown". */
function isImplausible(value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value) || value === 0) return false;
  return Math.abs(value) > 180 || Math.abs(value) < 1e-6;
}
