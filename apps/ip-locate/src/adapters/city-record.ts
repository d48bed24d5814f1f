/**
 * The part of a MaxMind-shaped city record the service speaks of. Members are `unknown`: files by other makers, and
 * damaged ones, hold anything.
 */
export interface CityRecord {
  city?: { names?: Names };
  continent?: { code?: unknown };
  country?: { iso_code?: unknown; is_in_european_union?: unknown; names?: Names };
  location?: { latitude?: unknown; longitude?: unknown; time_zone?: unknown; accuracy_radius?: unknown };
  postal?: { code?: unknown };
  subdivisions?: { iso_code?: unknown; names?: Names }[];
}

type Names = Record<string, unknown>;
type Members = Record<string, unknown>;

/**
 * A copy with only what is needed and there, in one language and English. geoip2-node deep-clones what it is given
 * twice and rewrites every key; of an eight-language record nine tenths are names nobody asked for.
 */
export function slimRecord(record: object, language: string): CityRecord {
  const { city, continent, country, location, postal, subdivisions } = record as Members;
  const first: unknown = Array.isArray(subdivisions) ? subdivisions[0] : undefined;
  return {
    ...(isMap(city) && { city: { names: names(city, language) } }),
    ...(isMap(continent) && { continent: pick(continent, ['code']) }),
    ...(isMap(country) && {
      country: {
        ...pick(country, ['iso_code', 'is_in_european_union']),
        names: names(country, language),
      },
    }),
    ...(isMap(location) && {
      location: pick(location, ['latitude', 'longitude', 'time_zone', 'accuracy_radius']),
    }),
    ...(isMap(postal) && { postal: pick(postal, ['code']) }),
    ...(isMap(first) && { subdivisions: [{ ...pick(first, ['iso_code']), names: names(first, language) }] }),
  };
}

const isMap = (value: unknown): value is Members => typeof value === 'object' && value !== null;

function pick(all: Members, keys: readonly string[]): Members {
  const picked: Members = {};
  for (const key of keys) if (all[key] !== undefined) picked[key] = all[key];
  return picked;
}

const names = ({ names: all }: Members, language: string): Names =>
  isMap(all) ? pick(all, language === 'en' ? ['en'] : ['en', language]) : {};

/** A record of the flat files of ip-location-db (`city ipv4`, `city ipv6`) in MaxMind's shape; `''` means missing. */
export function nestFlatRecord(record: object): CityRecord {
  const { city, state1, country_code, postcode, timezone, latitude, longitude } = record as Members;
  return {
    ...(city !== '' && { city: { names: { en: city } } }),
    ...(state1 !== '' && { subdivisions: [{ names: { en: state1 } }] }),
    ...(country_code !== '' && { country: { iso_code: country_code } }),
    ...(postcode !== '' && { postal: { code: postcode } }),
    // float32 in the npm package, decimal text in the releases since 2026-06-18
    location: {
      latitude: numeric(latitude),
      longitude: numeric(longitude),
      ...(timezone !== '' && { time_zone: timezone }),
    },
  };
}

const numeric = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
