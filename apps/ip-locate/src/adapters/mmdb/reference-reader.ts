import { AddressNotFoundError, type AnonymousIP, type City, Reader, ReaderModel } from '@maxmind/geoip2-node';
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
 * ip-location-db, and its model of an ASN entry only renames the members. Models would take a tenth of a start.
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

/** MaxMind's reader of a file of connection types or domains. */
export const referenceNetworkReader = (
  file: MmdbFile,
  model: 'connection-type' | 'domain',
): ReferenceReader => {
  const reader = Reader.openBuffer(file.bytes);
  return ({ text }) =>
    reading(() => {
      if (model === 'domain') {
        const { domain, network } = reader.domain(text);
        return { facts: { value: domain }, network };
      }
      const { connectionType, network } = reader.connectionType(text);
      return { facts: { value: connectionType }, network };
    });
};

/** The types that MaxMind's library knows; it has no model for those of other makers, whose entries have the same members. */
const MAXMIND_TYPE = /GeoIP2-Anonymous-IP|GeoIP-Anonymous-Plus/;

/** MaxMind's reader of an Anonymous-IP or Anonymous-Plus file, or of any other with entries in that shape. */
export const referenceAnonymousReader = (file: MmdbFile): ReferenceReader => {
  const reader = MAXMIND_TYPE.test(file.type) ? Reader.openBuffer(file.bytes) : anonymousModel(file);
  const isPlus = file.type.includes('Plus');
  return ({ text }) =>
    reading(() => {
      const traits: AnonymousIP = isPlus ? reader.anonymousPlus(text) : reader.anonymousIP(text);
      return {
        facts: {
          is_anonymous: traits.isAnonymous,
          is_anonymous_vpn: traits.isAnonymousVpn,
          is_hosting_provider: traits.isHostingProvider,
          is_public_proxy: traits.isPublicProxy,
          is_residential_proxy: traits.isResidentialProxy,
          is_tor_exit_node: traits.isTorExitNode,
        },
        network: traits.network,
      };
    });
};

const anonymousModel = (file: MmdbFile): ReaderModel => {
  const getWithPrefixLength = (ip: string) => file.decode({ text: ip });
  const source = { metadata: { databaseType: 'GeoIP2-Anonymous-IP' }, getWithPrefixLength };
  return new ReaderModel(source as unknown as ConstructorParameters<typeof ReaderModel>[0]);
};

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
