import { type TSchema, Type } from '@sinclair/typebox';
import { networkOf } from '@workspace/ip-addresses';
import type { LookupResult } from '../../application/locate.ts';
import { type TraitName, TRAIT_NAMES } from '../../domain/address-traits.ts';
import { type Country, countryOf } from '../../domain/countries.ts';
import { utcOffset } from '../../domain/utc-offset.ts';

export type FieldValue = string | number | boolean | null;

/** A field of the answer: its schema, and where its value comes from. */
interface Field {
  readonly schema: TSchema;
  readonly value: (result: LookupResult) => FieldValue;
  /** whether it has to be asked for by its own name, and `all` does not stand for it */
  readonly byNameOnly?: true;
}

/** A field that is null where the data does not say. */
const field = (
  type: 'string' | 'number' | 'boolean',
  description: string,
  value: Field['value'],
  more: object = {},
): Field => ({ schema: Type.Unsafe({ type: [type, 'null'], description, ...more }), value });

const byName = (description: string, value: Field['value'], more: object): Field => ({
  ...field('string', description, value, more),
  byNameOnly: true,
});

/** A trait of addresses. */
const trait = (name: TraitName, description: string): Field =>
  field(
    'boolean',
    `${description}; in \`all\` with ANONYMOUS_DATABASE_PATH only`,
    ({ traits }) => traits[name],
  );

/** What is known of the country of a location. */
const ofCountry =
  (fact: Exclude<keyof Country, 'inEu'>): Field['value'] =>
  ({ location }) =>
    countryOf(location.country)?.[fact] ?? null;

/**
 * Every field by its public name, in the order of the full answer: that of ipapi.co, and then what its full answer does not
 * have. To add a field, add it here, and its column to `Location` if it comes from the database.
 */
const FIELDS = {
  ip: {
    schema: Type.String({ description: 'the address in its canonical spelling (RFC 5952)' }),
    value: ({ address }) => address.text,
  },
  network: field('string', 'the block of addresses the location is for, in CIDR notation', (result) =>
    result.prefixLength === null ? null : networkOf(result.address, result.prefixLength),
  ),
  version: {
    schema: Type.Unsafe({ type: 'string', enum: ['IPv4', 'IPv6'] }),
    value: ({ address }) => `IPv${address.family}`,
  },
  city: field('string', 'name of the city', ({ location }) => location.city),
  region: field('string', 'name of the first subdivision', ({ location }) => location.region),
  region_code: field('string', 'ISO 3166-2 without the country', ({ location }) => location.regionCode),
  country: field('string', 'ISO 3166-1 alpha-2, as the data has it', ({ location }) => location.country),
  country_name: field('string', 'name of the country', ({ location }) => location.countryName),
  country_code: field('string', 'the same as country', ({ location }) => location.country),
  country_code_iso3: field('string', 'ISO 3166-1 alpha-3', ofCountry('iso3'), { examples: ['USA'] }),
  country_capital: field('string', 'capital of the country, in English', ofCountry('capital')),
  country_tld: field('string', 'top-level domain of the country', ofCountry('tld'), { examples: ['.us'] }),
  continent_code: field('string', 'AF, AN, AS, EU, NA, OC or SA', ({ location }) => location.continentCode),
  in_eu: field('boolean', 'whether the country is in the European Union', ({ location }) => location.inEu),
  postal: field('string', 'postal code', ({ location }) => location.postal),
  latitude: field('number', 'degrees, WGS 84', ({ location }) => location.latitude, {
    format: 'double',
    minimum: -90,
    maximum: 90,
  }),
  longitude: field('number', 'degrees, WGS 84', ({ location }) => location.longitude, {
    format: 'double',
    minimum: -180,
    maximum: 180,
  }),
  timezone: field('string', 'IANA time zone name', ({ location }) => location.timezone),
  utc_offset: field(
    'string',
    'offset of the time zone at the moment of the request',
    ({ location, time }) => utcOffset(location.timezone, time),
    { pattern: '^[+-]\\d{4}$' },
  ),
  country_calling_code: field(
    'string',
    'international calling code of the country; the first where it has several',
    ofCountry('callingCode'),
    { pattern: '^\\+\\d+$' },
  ),
  currency: field('string', 'currency of the country, ISO 4217', ofCountry('currency'), {
    pattern: '^[A-Z]{3}$',
  }),
  currency_name: field(
    'string',
    'name of the currency, in English and without the country',
    ofCountry('currencyName'),
    { examples: ['Dollar'] },
  ),
  languages: field(
    'string',
    'languages of the country: IETF tags separated by commas, the most widely spoken first',
    ofCountry('languages'),
    { examples: ['en-US,es-US,haw,fr'] },
  ),
  country_area: field('number', 'square kilometres', ofCountry('area'), { format: 'double', minimum: 0 }),
  country_population: field('number', 'inhabitants of the country', ofCountry('population'), {
    format: 'double',
    minimum: 0,
  }),
  asn: field(
    'string',
    'autonomous system of the network',
    ({ operator: { asn } }) => (asn === null ? null : `AS${asn}`),
    { pattern: '^AS\\d+$' },
  ),
  org: field('string', 'who runs the autonomous system', ({ operator }) => operator.org),
  latlong: field('string', 'latitude and longitude, separated by a comma', ({ location }) =>
    location.latitude === null ? null : `${location.latitude},${location.longitude}`,
  ),
  accuracy_radius: field('number', 'kilometres', ({ location }) => location.accuracyRadius, {
    format: 'double',
  }),
  is_anonymous: trait('is_anonymous', 'whether the address is of one of the five traits below'),
  is_anonymous_vpn: trait('is_anonymous_vpn', 'whether the address is of a VPN'),
  is_hosting_provider: trait('is_hosting_provider', 'whether the address is of a cloud or other hosting'),
  is_public_proxy: trait('is_public_proxy', 'whether the address is of a public proxy'),
  is_residential_proxy: trait(
    'is_residential_proxy',
    'whether the address is of a proxy in a residential network',
  ),
  is_tor_exit_node: trait('is_tor_exit_node', 'whether the address is of an exit node of Tor'),
  is_anycast: trait('is_anycast', 'whether the address is in many places at once'),
  is_bot: trait('is_bot', 'whether the address is of a crawler whose operator publishes its addresses'),
  hostname: byName(
    'name of the host by reverse DNS; only where REVERSE_DNS is on',
    ({ hostname }) => hostname ?? null,
    { examples: ['dns.google'] },
  ),
  connection_type: byName(
    'how the network is connected; only with a Connection-Type database',
    ({ connectionType }) => connectionType,
    { examples: ['Cable/DSL'] },
  ),
  domain: byName(
    'second-level domain of who uses the address; only with a Domain database',
    ({ domain }) => domain,
    { examples: ['example.com'] },
  ),
  source: byName(
    'where the location comes from; `registered_country`: of the country, the data knows only where the network is registered',
    ({ source }) => source,
    { enum: ['overlay', 'database', 'registered_country', null] },
  ),
} satisfies Record<string, Field>;

export type FieldName = keyof typeof FIELDS;

/** Whether a field is a trait of addresses. */
export const isTrait = (name: string): name is TraitName => (TRAIT_NAMES as readonly string[]).includes(name);
export type FieldValues = Readonly<Partial<Record<FieldName, FieldValue>>>;

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];
const fieldAt = (name: FieldName): Field => FIELDS[name];
/**
 * What has to be asked for by its own name: a host name is a question to a DNS server, few have a database of connection types or
 * domains, and a source is no part of a location.
 */
export const BY_NAME_ONLY: readonly FieldName[] = FIELD_NAMES.filter((name) => fieldAt(name).byNameOnly);
/** What `all` stands for, and which fields rules may name: not traits of addresses without data about them. */
export interface FieldLists {
  readonly all: readonly FieldName[];
  readonly flags: readonly FieldName[];
}
const ALL_WITH_TRAITS: readonly FieldName[] = FIELD_NAMES.filter((name) => !BY_NAME_ONLY.includes(name));
/** What `all` stands for without data about traits of addresses. */
export const ALL_FIELDS: readonly FieldName[] = ALL_WITH_TRAITS.filter((name) => !isTrait(name));
/** The fields of a request that names no fields, unless DEFAULT_FIELDS says otherwise: that of the npm client `ipapi.co`. */
export const SHORT_RECORD: readonly FieldName[] = [
  'ip',
  'city',
  'region',
  'country',
  'postal',
  'latitude',
  'longitude',
  'timezone',
];

/** The fields that are true or false, which rules may name. */
const FLAGS_WITH_TRAITS: readonly FieldName[] = FIELD_NAMES.filter((name) => {
  const { type } = FIELDS[name].schema as { type?: unknown };
  return Array.isArray(type) && type.includes('boolean');
});

export const FLAG_FIELDS: readonly FieldName[] = FLAGS_WITH_TRAITS.filter((name) => !isTrait(name));

/** @param withTraits whether there is data about traits of addresses */
export const fieldLists = (withTraits: boolean): FieldLists =>
  withTraits ? LISTS_WITH_TRAITS : LISTS_WITHOUT_TRAITS;
const LISTS_WITH_TRAITS: FieldLists = { all: ALL_WITH_TRAITS, flags: FLAGS_WITH_TRAITS };
const LISTS_WITHOUT_TRAITS: FieldLists = { all: ALL_FIELDS, flags: FLAG_FIELDS };

export const isField = (name: string): name is FieldName => Object.hasOwn(FIELDS, name);

/** Whether a field depends on the moment of the request, and not only on the data. */
export const dependsOnTime = (fields: readonly FieldName[]): boolean => fields.includes('utc_offset');

/** The value of one field. */
export const fieldOf = (result: LookupResult, name: FieldName): FieldValue => FIELDS[name].value(result);

/** The values of the named fields, in their order. */
export const valuesOf = (result: LookupResult, fields: readonly FieldName[]): FieldValues => {
  const values: Partial<Record<FieldName, FieldValue>> = {};
  for (const name of fields) values[name] = FIELDS[name].value(result);
  return values;
};

/** The schema of an answer: the default fields, or those the request names. */
export const FieldValuesSchema = Type.Object(
  Object.fromEntries(Object.entries(FIELDS).map(([name, { schema }]) => [name, Type.Optional(schema)])),
  {
    $id: 'Location',
    description: `Unless the request or DEFAULT_FIELDS names fields, always and in this order: ${SHORT_RECORD.join(', ')}.`,
    examples: [
      {
        ip: '8.8.8.8',
        city: 'Mountain View',
        region: 'California',
        country: 'US',
        postal: null,
        latitude: 37.422,
        longitude: -122.085,
        timezone: 'America/Los_Angeles',
      },
    ],
  },
);
