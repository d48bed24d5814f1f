import { ReaderModel } from '@maxmind/geoip2-node';
import type { Address } from '@workspace/ip-addresses';
import { withoutDistrict } from '../domain/city-name.ts';
import type { Language } from '../domain/language.ts';
import { type Located, type Locator, UnreadableData } from '../domain/locator.ts';
import { type Place, UNKNOWN_PLACE } from '../domain/place.ts';
import { TwoGenerationCache } from '../domain/two-generation-cache.ts';
import { placeOf, type PlaceRules } from './city-place.ts';
import { type CityRecord, nestFlatRecord, slimRecord } from './city-record.ts';
import { infoOf } from './data-info.ts';
import { type NamedFile, UnusableFiles } from '@workspace/service-kit';
import { type MmdbFile, openMmdb } from './mmdb-file.ts';
import { type Verdict, verify } from './verification.ts';
import { timeZoneAt } from './time-zone.ts';

/** A file of ip-location-db: one family, flat records. */
const FLAT = /^city ipv[46]$/;
const NOT_FOUND: Located = Object.freeze({ place: UNKNOWN_PLACE, prefixLength: null });

export interface CityOptions {
  /** leave the district out of a city's name */
  readonly stripDistricts?: boolean;
}

/**
 * Opens and verifies city data: one MaxMind-format file, or one file a family.
 * Verifying means some two thousand lookups before the first answer is given out of it, in small portions so that
 * requests served meanwhile do not wait.
 * @throws UnusableFiles saying why the data must not be used
 */
export async function openCityDatabase(
  files: readonly NamedFile[],
  { stripDistricts = false }: CityOptions = {},
): Promise<Locator> {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const byFamily = new Map<4 | 6, CityFile>();
  const info = infoOf(opened);
  const rules: PlaceRules = {
    ...(info.provider === 'db-ip' && { zoneOf: timeZoneAt }),
    ...(stripDistricts && { nameOf: withoutDistrict }),
  };
  for (const { file } of opened) {
    const cityFile = new CityFile(file, rules);
    for (const family of cityFile.families) {
      if (byFamily.has(family)) throw new UnusableFiles(`two files for IPv${family}`);
      byFamily.set(family, cityFile);
    }
    await verify(file, cityFile.families, (address) => cityFile.judge(address));
  }
  return {
    // Another rule gives other answers out of the same files.
    info: stripDistricts ? { ...info, fingerprint: `${info.fingerprint}-bare` } : info,
    locate: (address, language) => byFamily.get(address.family)?.locate(address, language) ?? NOT_FOUND,
  };
}

/**
 * English places kept by record, about 400 bytes each. Of the bundled data's 425,234 IPv4 records the 20,000 with the most
 * addresses hold 89 of a hundred addresses, 50,000 hold 94, 100,000 hold 97.
 */
const KEPT_PLACES = 100_000;

/** One file of city data, read through geoip2-node's model. */
class CityFile {
  readonly families: readonly (4 | 6)[];
  readonly #file: MmdbFile;
  readonly #flat: boolean;
  readonly #rules: PlaceRules;
  readonly #model: ReaderModel;
  readonly #places = new TwoGenerationCache<number, Place>(KEPT_PLACES);
  /** what the model is given to interpret next */
  #record: CityRecord = {};

  constructor(file: MmdbFile, rules: PlaceRules) {
    this.#file = file;
    this.#flat = FLAT.test(file.type);
    const kind = file.type.includes('Enterprise') ? 'Enterprise' : 'City';
    if (!this.#flat && !file.type.includes(kind)) {
      throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} has no cities`);
    }
    // Wrong-family lookups are silently wrong: an IPv4 tree answers for an IPv6 address by its first 32 bits.
    this.families = this.#flat || file.ipVersion === 4 ? [file.ipVersion] : [4, 6];
    this.#rules = rules;
    // ReaderModel asks for a Reader but uses these two members; `city()` refuses types without "City" in their name.
    const shim = { metadata: { databaseType: 'City' }, getWithPrefixLength: () => [this.#record, 0] };
    this.#model = new ReaderModel(shim as unknown as ConstructorParameters<typeof ReaderModel>[0]);
  }

  locate(address: Address, language: Language): Located {
    try {
      const found = this.#file.tree.find(address.bytes);
      if (!found) return NOT_FOUND;
      const { record, prefixLength } = found;
      return { place: this.#placeAt(record, address, language), prefixLength };
    } catch (cause) {
      throw new UnreadableData('the data broke under a lookup', { cause });
    }
  }

  #placeAt(record: number, address: Address, language: Language): Place {
    if (language !== 'en') return this.#read(address, language);
    let place = this.#places.get(record);
    if (!place) this.#places.set(record, (place = this.#read(address, language)));
    return place;
  }

  #read(address: Address, language: Language): Place {
    const record = this.#file.reader.get(address.text);
    if (typeof record !== 'object' || record === null) throw new TypeError('the record is no map');
    this.#record = this.#shaped(record, language);
    // The address only decorates traits nobody reads; the answer's own is put in by the view.
    return placeOf(this.#model.city('0.0.0.0'), language, this.#rules);
  }

  #shaped(record: object, language: Language): CityRecord {
    return this.#flat ? nestFlatRecord(record) : slimRecord(record, language);
  }

  /** What a lookup finds, and whether its coordinates can be meant. */
  judge(address: Address): Verdict {
    if (this.locate(address, 'en').prefixLength === null) return 'unknown';
    const record = this.#file.reader.get(address.text) ?? {};
    const { location } = this.#shaped(record, 'en');
    return [location?.latitude, location?.longitude].some(isAbsurd) ? 'absurd' : 'sound';
  }
}

/** Finite numbers no coordinate is. NaN and infinities are odd, but makers do write them for "unknown". */
function isAbsurd(value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value) || value === 0) return false;
  return Math.abs(value) > 180 || Math.abs(value) < 1e-6;
}
