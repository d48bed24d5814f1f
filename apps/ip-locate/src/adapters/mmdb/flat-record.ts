import type { CityRecord } from './city-location.ts';

/**
 * A record of the flat files of ip-location-db (`city ipv4`, `city ipv6`) in the shape of geoip2-node's City; `''` means
 * missing. Members are `unknown`, because damaged files and files by other makers hold anything.
 */
export function nestFlatRecord(record: object): CityRecord {
  const { city, state1, country_code, postcode, timezone, latitude, longitude } = record as Record<
    string,
    unknown
  >;
  return {
    city: { names: { en: city } },
    country: { isoCode: country_code },
    // float32 in the npm package, decimal text in the releases since 2026-06-18
    location: { latitude: numeric(latitude), longitude: numeric(longitude), timeZone: timezone },
    postal: { code: postcode },
    subdivisions: [{ names: { en: state1 } }],
  };
}

const numeric = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
