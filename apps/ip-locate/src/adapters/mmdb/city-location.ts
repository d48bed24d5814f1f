import { countryOf } from '../../domain/countries.ts';
import type { Language } from '../../domain/language.ts';
import type { Location } from '../../domain/location.ts';

/** What differs between databases and settings. */
export interface LocationRules {
  /** derives the time zone from coordinates, for data that has none */
  readonly timeZoneAt?: (latitude: number, longitude: number) => string | null;
  /** changes a city's name, for example by leaving out its district */
  readonly cityName?: (name: string) => string;
}

/** What is used of geoip2-node's City. Its own types promise more than files hold. */
export interface CityRecord {
  readonly city?: { readonly names?: unknown } | undefined;
  readonly continent?: { readonly code?: unknown } | undefined;
  readonly country?:
    | { readonly isoCode?: unknown; readonly names?: unknown; readonly isInEuropeanUnion?: unknown }
    | undefined;
  readonly location?:
    | {
        readonly latitude?: unknown;
        readonly longitude?: unknown;
        readonly timeZone?: unknown;
        readonly accuracyRadius?: unknown;
      }
    | undefined;
  readonly postal?: { readonly code?: unknown } | undefined;
  readonly subdivisions?: readonly { readonly isoCode?: unknown; readonly names?: unknown }[] | undefined;
}

/**
 * Converts a record. Every member is checked: what is missing, empty, of the wrong type or not a number becomes null and
 * never breaks an answer.
 */
export function toLocation(city: CityRecord, language: Language, rules: LocationRules): Location {
  const { timeZoneAt } = rules;
  const name = named(city.city?.names, language);
  const subdivision = city.subdivisions?.[0];
  const country = text(city.country?.isoCode);
  const latitude = degrees(city.location?.latitude, 90);
  const longitude = degrees(city.location?.longitude, 180);
  const both = latitude !== null && longitude !== null;
  const eu = city.country?.isInEuropeanUnion;
  return {
    city: name !== null && rules.cityName ? rules.cityName(name) : name,
    region: named(subdivision?.names, language),
    regionCode: text(subdivision?.isoCode),
    country,
    countryName: named(city.country?.names, language) ?? countryName(country, language),
    continentCode: text(city.continent?.code) ?? countryOf(country)?.continent ?? null,
    inEu: typeof eu === 'boolean' ? eu : (countryOf(country)?.inEu ?? null),
    postal: text(city.postal?.code),
    latitude: both ? latitude : null,
    longitude: both ? longitude : null,
    timezone: text(city.location?.timeZone) ?? (both && timeZoneAt ? timeZoneAt(latitude, longitude) : null),
    accuracyRadius: positive(city.location?.accuracyRadius),
  };
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function named(names: unknown, language: Language): string | null {
  if (typeof names !== 'object' || names === null) return null;
  // geoip2-node converts every key to camel case, language tags too; that leaves `pt-BR` and `zh-CN` as they are.
  const byLanguage = names as Record<string, unknown>;
  return text(byLanguage[language]) ?? text(byLanguage['en']);
}

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
