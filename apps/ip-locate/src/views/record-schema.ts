import { type TSchema, Type } from '@sinclair/typebox';
import { DEFAULT_FIELDS, type FieldName } from '../domain/fields.ts';

const orNull = (type: 'string' | 'number' | 'boolean', description: string, more: object = {}): TSchema =>
  Type.Unsafe({ type: [type, 'null'], description, ...more });

/** What each field holds; null is "the data does not say". */
const FIELD_SCHEMAS: Readonly<Record<FieldName, TSchema>> = {
  ip: Type.String({ description: 'the address in its canonical spelling (RFC 5952)' }),
  city: orNull('string', 'name of the city'),
  region: orNull('string', 'name of the first subdivision'),
  country: orNull('string', 'ISO 3166-1 alpha-2, as the data has it'),
  postal: orNull('string', 'postal code'),
  latitude: orNull('number', 'degrees, WGS 84', { minimum: -90, maximum: 90 }),
  longitude: orNull('number', 'degrees, WGS 84', { minimum: -180, maximum: 180 }),
  timezone: orNull('string', 'IANA zone name'),
  network: orNull('string', 'the block of addresses the answer is for, in CIDR notation'),
  version: Type.Unsafe({ type: 'string', enum: ['IPv4', 'IPv6'] }),
  region_code: orNull('string', 'ISO 3166-2 without the country'),
  country_code: orNull('string', 'the same as country'),
  country_name: orNull('string', 'name of the country'),
  continent_code: orNull('string', 'AF, AN, AS, EU, NA, OC or SA'),
  in_eu: orNull('boolean', 'whether the country is in the European Union'),
  utc_offset: orNull('string', 'of the zone now', { pattern: '^[+-]\\d{4}$' }),
  accuracy_radius: orNull('number', 'kilometres'),
  latlong: orNull('string', 'latitude and longitude, separated by a comma'),
  asn: orNull('string', 'autonomous system of the network', { pattern: '^AS\\d+$' }),
  org: orNull('string', 'who runs that'),
};

/** A record: the eight default fields, or those asked for. */
export const RecordSchema = Type.Object(
  Object.fromEntries(Object.entries(FIELD_SCHEMAS).map(([name, schema]) => [name, Type.Optional(schema)])),
  {
    $id: 'Location',
    description: `Unless fields are chosen, always and in this order: ${DEFAULT_FIELDS.join(', ')}.`,
  },
);
