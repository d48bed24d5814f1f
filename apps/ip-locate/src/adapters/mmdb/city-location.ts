import { countryOf } from '../../domain/countries.ts';
import type { Language } from '../../domain/language.ts';
import type { Location } from '../../domain/location.ts';
import type { RecordFacts } from './record-shapes.ts';

/** What differs between databases and settings. */
export interface LocationRules {
  /** derives the time zone from coordinates, for data that has none */
  readonly timeZoneAt?: (latitude: number, longitude: number) => string | null;
  /** changes a city's name, for example by leaving out its district */
  readonly cityName?: (name: string) => string;
}

/**
 * Converts what a record says. Everything is checked: what is missing, empty, of the wrong type or not a number becomes
 * null and never breaks an answer.
 */
export function toLocation(facts: RecordFacts, language: Language, rules: LocationRules): Location {
  const { timeZoneAt } = rules;
  const name = text(facts.city);
  const country = text(facts.country);
  const latitude = degrees(facts.latitude, 90);
  const longitude = degrees(facts.longitude, 180);
  const both = latitude !== null && longitude !== null;
  const { inEu } = facts;
  return {
    city: name !== null && rules.cityName ? rules.cityName(name) : name,
    region: text(facts.region),
    regionCode: text(facts.regionCode),
    country,
    countryName: text(facts.countryName) ?? countryName(country, language),
    continentCode: text(facts.continentCode) ?? countryOf(country)?.continent ?? null,
    inEu: typeof inEu === 'boolean' ? inEu : (countryOf(country)?.inEu ?? null),
    postal: text(facts.postal),
    latitude: both ? latitude : null,
    longitude: both ? longitude : null,
    timezone: text(facts.timezone) ?? (both && timeZoneAt ? timeZoneAt(latitude, longitude) : null),
    accuracyRadius: positive(facts.accuracyRadius),
  };
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Degrees within ±limit, to five decimals (about a metre); further digits are only noise of 32-bit floats. */
function degrees(value: unknown, limit: number): number | null {
  if (typeof value !== 'number' || !(Math.abs(value) <= limit)) return null;
  return Math.round(value * 1e5) / 1e5 + 0;
}

const positive = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;

const displayNames = new Map<Language, Intl.DisplayNames>();
const countryNames = new Map<string, string | null>();

/** A country's name from the Unicode CLDR data in Node, for data that only has the country's code. */
function countryName(code: string | null, language: Language): string | null {
  if (code === null || !/^[A-Z]{2}$/.test(code)) return null;
  // At most 676 codes in eight languages.
  const key = language + code;
  let name = countryNames.get(key);
  if (name === undefined) {
    const names =
      displayNames.get(language) ?? new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    displayNames.set(language, names);
    name = names.of(code) ?? null;
    countryNames.set(key, name);
  }
  return name;
}
