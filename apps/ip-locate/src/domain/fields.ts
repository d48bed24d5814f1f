import type { Address } from '@workspace/ip-addresses';
import type { Operator } from './locator.ts';
import { networkOf } from '@workspace/ip-addresses';
import type { Place } from './place.ts';
import { utcOffset } from './utc-offset.ts';

/** All that is known about one address at one moment. */
export interface Finding {
  readonly address: Address;
  readonly place: Place;
  readonly prefixLength: number | null;
  readonly operator: Operator;
  readonly now: Date;
}

export type FieldValue = string | number | boolean | null;

/** Every field by its public name, in the order of the full record. The first eight are ipapi.co's short record. */
const FIELDS = {
  ip: ({ address }) => address.text,
  city: ({ place }) => place.city,
  region: ({ place }) => place.region,
  country: ({ place }) => place.country,
  postal: ({ place }) => place.postal,
  latitude: ({ place }) => place.latitude,
  longitude: ({ place }) => place.longitude,
  timezone: ({ place }) => place.timezone,
  network: ({ address, prefixLength }) => (prefixLength === null ? null : networkOf(address, prefixLength)),
  version: ({ address }) => `IPv${address.family}`,
  region_code: ({ place }) => place.regionCode,
  country_code: ({ place }) => place.country,
  country_name: ({ place }) => place.countryName,
  continent_code: ({ place }) => place.continentCode,
  in_eu: ({ place }) => place.inEu,
  utc_offset: ({ place, now }) => utcOffset(place.timezone, now),
  accuracy_radius: ({ place }) => place.accuracyRadius,
  latlong: ({ place }) => (place.latitude === null ? null : `${place.latitude},${place.longitude}`),
  asn: ({ operator }) => (operator.asn === null ? null : `AS${operator.asn}`),
  org: ({ operator }) => operator.org,
} satisfies Record<string, (finding: Finding) => FieldValue>;

export type FieldName = keyof typeof FIELDS;
export type LocationRecord = Readonly<Partial<Record<FieldName, FieldValue>>>;

export const ALL_FIELDS = Object.keys(FIELDS) as FieldName[];
/** The record nobody had to ask for: always all eight, in this order. */
export const DEFAULT_FIELDS: readonly FieldName[] = ALL_FIELDS.slice(0, 8);

export const isField = (name: string): name is FieldName => Object.hasOwn(FIELDS, name);

/**
 * Reads `?fields=`: names separated by commas, answered in the order asked for; `all`.
 * @returns the first name there is no field for, when there is one
 */
export function parseFields(text: string): { fields: readonly FieldName[] } | { unknown: string } {
  if (text === 'all') return { fields: ALL_FIELDS };
  const names = text.split(',').map((name) => name.trim());
  const fields = names.filter(isField);
  const unknown = names.find((name) => !isField(name));
  return unknown === undefined ? { fields: [...new Set(fields)] } : { unknown };
}

/** One field of a finding. */
export const fieldOf = (finding: Finding, name: FieldName): FieldValue => FIELDS[name](finding);

/** A record of the named fields, in their order. */
export function recordOf(finding: Finding, fields: readonly FieldName[]): LocationRecord {
  const record: Partial<Record<FieldName, FieldValue>> = {};
  for (const name of fields) record[name] = FIELDS[name](finding);
  return record;
}
