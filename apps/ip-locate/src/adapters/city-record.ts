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

const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

/**
 * A copy with only what is needed, in one language and English. geoip2-node deep-clones what it is given twice; of an
 * eight-language record nine tenths are names nobody asked for (four fifths of the time of a lookup).
 */
export function slimRecord(record: object, language: string): CityRecord {
  const { city, continent, country, location, postal, subdivisions } = record as Members;
  const nation = members(country);
  const point = members(location);
  const first = Array.isArray(subdivisions) ? members(subdivisions[0]) : undefined;
  return {
    city: { names: names(city, language) },
    continent: { code: members(continent)['code'] },
    country: {
      iso_code: nation['iso_code'],
      is_in_european_union: nation['is_in_european_union'],
      names: names(country, language),
    },
    location: {
      latitude: point['latitude'],
      longitude: point['longitude'],
      time_zone: point['time_zone'],
      accuracy_radius: point['accuracy_radius'],
    },
    postal: { code: members(postal)['code'] },
    subdivisions: first ? [{ iso_code: first['iso_code'], names: names(first, language) }] : [],
  };
}

function names(value: unknown, language: string): Names {
  const all = members(members(value)['names']);
  return language === 'en' ? { en: all['en'] } : { en: all['en'], [language]: all[language] };
}

/** A record of the flat files of ip-location-db (`city ipv4`, `city ipv6`) in MaxMind's shape; `''` means missing. */
export function nestFlatRecord(record: object): CityRecord {
  const flat = record as Members;
  return {
    city: { names: { en: flat['city'] } },
    country: { iso_code: flat['country_code'] },
    // float32 in the npm package, decimal text in the releases since 2026-06-18
    location: {
      latitude: numeric(flat['latitude']),
      longitude: numeric(flat['longitude']),
      time_zone: flat['timezone'],
    },
    postal: { code: flat['postcode'] },
    subdivisions: [{ names: { en: flat['state1'] } }],
  };
}

const numeric = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
