import type { Language } from '../../domain/language.ts';
import type { EntryFacts } from '../../domain/entry-location.ts';
import { isMap, type Members, type Selection, select, type Value } from './data-section.ts';

/** How the entries of a file are laid out. */
export interface EntryShape {
  /** the members that are read */
  selection(language: Language): Selection;
  /** @param entry those members, as far as the entry has them */
  facts(entry: Members, language: Language): EntryFacts;
}

const FLAT_MEMBERS = select({
  city: true,
  country_code: true,
  latitude: true,
  longitude: true,
  postcode: true,
  state1: true,
  timezone: true,
});

/** The files of ip-location-db (`city ipv4`, `country ipvAll`): names in English only, `''` for what is missing. */
export const flatShape: EntryShape = {
  selection: () => FLAT_MEMBERS,
  facts: ({ city, state1, country_code, postcode, latitude, longitude, timezone }) => ({
    city,
    region: state1,
    country: country_code,
    postal: postcode,
    // float32 in the npm package, decimal text in the releases since 2026-06-18
    latitude: numeric(latitude),
    longitude: numeric(longitude),
    timezone,
  }),
};

const cityMembers = new Map<Language, Selection>();

/**
 * MaxMind's City databases and those of the same shape
 * (https://dev.maxmind.com/geoip/docs/databases/city-and-country/, "Database contents"): names in up to eight languages.
 */
export const cityShape: EntryShape = {
  selection(language) {
    let members = cityMembers.get(language);
    if (!members) {
      const names = { en: true, [language]: true } as const;
      members = select({
        city: { names },
        continent: { code: true },
        country: { is_in_european_union: true, iso_code: true, names },
        registered_country: { iso_code: true, names },
        location: { accuracy_radius: true, latitude: true, longitude: true, time_zone: true },
        postal: { code: true },
        subdivisions: { iso_code: true, names },
      });
      cityMembers.set(language, members);
    }
    return members;
  },
  facts(entry, language) {
    const found = membersOf(entry['country']);
    const registered = membersOf(entry['registered_country']);
    // Where MaxMind does not know the country, it may still know in which one the network is registered.
    const isRegistered = !isCode(found['iso_code']) && isCode(registered['iso_code']);
    const country = isRegistered ? registered : found;
    const location = membersOf(entry['location']);
    const { subdivisions } = entry;
    const subdivision = membersOf(Array.isArray(subdivisions) ? subdivisions[0] : undefined);
    return {
      city: nameOf(membersOf(entry['city']), language),
      region: nameOf(subdivision, language),
      regionCode: subdivision['iso_code'],
      country: country['iso_code'],
      countryName: nameOf(country, language),
      continentCode: membersOf(entry['continent'])['code'],
      inEu: found['is_in_european_union'],
      isRegistered: isRegistered || undefined,
      postal: membersOf(entry['postal'])['code'],
      latitude: location['latitude'],
      longitude: location['longitude'],
      timezone: location['time_zone'],
      accuracyRadius: location['accuracy_radius'],
    };
  },
};

export const isCode = (value: unknown): boolean => typeof value === 'string' && value !== '';

const NO_MEMBERS: Members = Object.freeze({});

const membersOf = (value: Value): Members => (isMap(value) ? value : NO_MEMBERS);

/** The name in a language, or in English. */
const nameOf = (place: Members, language: Language): Value => {
  const names = membersOf(place['names']);
  const name = names[language];
  return typeof name === 'string' && name !== '' ? name : names['en'];
};

const numeric = (value: Value): Value =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
