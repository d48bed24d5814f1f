import { AddressNotFoundError, type City, Reader } from '@maxmind/geoip2-node';
import type { Address } from '@workspace/ip-addresses';
import type { Language } from '../../domain/language.ts';
import type { EntryFacts } from '../../domain/entry-location.ts';
import type { MmdbFile } from './mmdb-file.ts';
import { isCode } from './entry-shapes.ts';

/** What one reader says of an address. */
export interface Reading {
  /** by name; values of the wrong type count as missing */
  readonly facts: object;
  /** length in bits of the block the entry is for */
  readonly prefixLength: number;
}

/** Reads an address with MaxMind's own library; undefined when it is not in the file. */
export type ReferenceReader = (address: Address, language: Language) => Reading | undefined;

/** MaxMind's reader of a City, Enterprise or Country file, or of any other with entries in that shape. */
export const referenceCityReader = (file: MmdbFile): ReferenceReader => {
  const reader = Reader.openBuffer(file.bytes);
  const { type } = file;
  const read = (text: string): Place & Pick<City, 'traits'> => {
    if (type.includes('City')) return reader.city(text);
    return type.includes('Enterprise') ? reader.enterprise(text) : reader.country(text);
  };
  return ({ text }, language) =>
    reading(() => {
      const city = read(text);
      return { facts: cityFacts(city, language), network: city.traits.network };
    });
};

/**
 * Reads entries with MaxMind's decoder, but without the models of its library. It has no model for the flat files of
 * ip-location-db, and those of flat entries only rename the members. Models would take a tenth of a start.
 */
export const decodedReader =
  <Decoded>(file: MmdbFile, factsOf: (decoded: Decoded) => object): ReferenceReader =>
  (address) => {
    const [decoded, prefixLength] = file.decode(address);
    return decoded ? { facts: factsOf(decoded as Decoded), prefixLength } : undefined;
  };

/** MaxMind's reader of a flat file of ip-location-db. */
export const referenceFlatReader = (file: MmdbFile): ReferenceReader =>
  decodedReader(file, (flat: Record<string, unknown>): EntryFacts => ({
    city: flat['city'],
    region: flat['state1'],
    country: flat['country_code'],
    postal: flat['postcode'],
    latitude: degrees(flat['latitude']),
    longitude: degrees(flat['longitude']),
    timezone: flat['timezone'],
  }));

const reading = (read: () => { facts: object; network: string | undefined }): Reading | undefined => {
  try {
    const { facts, network } = read();
    return { facts, prefixLength: Number(network?.split('/')[1]) };
  } catch (error) {
    if (error instanceof AddressNotFoundError) return undefined;
    throw error;
  }
};

const degrees = (value: unknown): unknown => {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  return Number.isNaN(number) ? undefined : number;
};

/** Databases of countries have the first two only. */
type Place = Pick<City, 'continent' | 'country' | 'registeredCountry'> &
  Partial<Pick<City, 'city' | 'location' | 'postal' | 'subdivisions'>>;

/** Where each fact of an entry is in MaxMind's model. */
const cityFacts = (
  { city, continent, country: found, registeredCountry, location, postal, subdivisions }: Place,
  language: Language,
): EntryFacts => {
  const named = (place: { names?: object } | undefined): unknown => {
    const names = (place?.names ?? {}) as Record<string, unknown>;
    const name = names[language];
    return typeof name === 'string' && name !== '' ? name : names['en'];
  };
  const isRegistered = !isCode(found?.isoCode) && isCode(registeredCountry?.isoCode);
  const country = isRegistered ? registeredCountry : found;
  return {
    city: named(city),
    region: named(subdivisions?.[0]),
    regionCode: subdivisions?.[0]?.isoCode,
    country: country?.isoCode,
    countryName: named(country),
    continentCode: continent?.code,
    inEu: found?.isInEuropeanUnion,
    isRegistered: isRegistered || undefined,
    postal: postal?.code,
    latitude: location?.latitude,
    longitude: location?.longitude,
    timezone: location?.timeZone,
    accuracyRadius: location?.accuracyRadius,
  };
};
