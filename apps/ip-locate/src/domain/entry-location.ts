import { countryOf } from './countries.ts';
import type { Language } from './language.ts';
import type { Location } from './location.ts';

/** What an entry says of each field of a location. Nothing is checked yet: damaged files and odd makers write anything. */
export interface EntryFacts {
  readonly city: unknown;
  readonly region: unknown;
  readonly regionCode?: unknown;
  readonly country: unknown;
  readonly countryName?: unknown;
  readonly continentCode?: unknown;
  readonly inEu?: unknown;
  /** whether the country is the one in which the network is registered, because the data does not say where it is */
  readonly isRegistered?: unknown;
  readonly postal: unknown;
  readonly latitude: unknown;
  readonly longitude: unknown;
  readonly timezone: unknown;
  readonly accuracyRadius?: unknown;
}

/** What differs between databases and settings. */
export interface LocationRules {
  /** derives the time zone from coordinates, for data that has none */
  readonly timeZoneAt?: (latitude: number, longitude: number) => string | null;
  /** changes a city's name, for example by leaving out its district */
  readonly cityName?: (name: string) => string;
}

/**
 * The location that an entry says. Everything is checked: what is missing, empty, of the wrong type or not a number becomes
 * null and never breaks an answer. What few answers contain is read, or derived from the country, when it is asked for.
 */
export class EntryLocation implements Location {
  readonly city: string | null;
  readonly region: string | null;
  readonly country: string | null;
  readonly postal: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly timezone: string | null;
  /** how it was written in an answer, for the next one: locations are kept */
  shortJson: string | undefined = undefined;
  readonly #facts: EntryFacts;
  readonly #language: Language;

  constructor(facts: EntryFacts, language: Language, { cityName, timeZoneAt }: LocationRules) {
    const name = text(facts.city);
    const latitude = degrees(facts.latitude, 90);
    const longitude = degrees(facts.longitude, 180);
    const both = latitude !== null && longitude !== null;
    this.city = name !== null && cityName ? cityName(name) : name;
    this.region = text(facts.region);
    this.country = text(facts.country);
    this.postal = text(facts.postal);
    this.latitude = both ? latitude : null;
    this.longitude = both ? longitude : null;
    this.timezone = text(facts.timezone) ?? (both && timeZoneAt ? timeZoneAt(latitude, longitude) : null);
    this.#facts = facts;
    this.#language = language;
  }

  get regionCode(): string | null {
    return text(this.#facts.regionCode);
  }
  get countryName(): string | null {
    return text(this.#facts.countryName) ?? countryName(this.country, this.#language);
  }
  get continentCode(): string | null {
    return text(this.#facts.continentCode) ?? countryOf(this.country)?.continent ?? null;
  }
  get inEu(): boolean | null {
    const { inEu } = this.#facts;
    return typeof inEu === 'boolean' ? inEu : (countryOf(this.country)?.inEu ?? null);
  }
  get isRegistered(): boolean {
    return this.country !== null && this.#facts.isRegistered === true;
  }
  get accuracyRadius(): number | null {
    return positive(this.#facts.accuracyRadius);
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Degrees within ±limit, to five decimals (about a metre); further digits are only noise of 32-bit floats. */
const degrees = (value: unknown, limit: number): number | null => {
  if (typeof value !== 'number' || !(Math.abs(value) <= limit)) return null;
  return Math.round(value * 1e5) / 1e5 + 0;
};

const positive = (value: unknown): number | null =>
  typeof value === 'number' && value > 0 && value < Infinity ? value : null;

const displayNames = new Map<Language, Intl.DisplayNames>();
const countryNames = new Map<string, string | null>();

/** A country's name from the Unicode CLDR data in Node; null for what is no code of a country. */
export const countryName = (code: string | null, language: Language): string | null => {
  // Stryker disable next-line ConditionalExpression: null is no code either
  if (code === null || !/^[A-Z]{2}$/.test(code)) return null;
  // At most 676 codes in eight languages.
  const key = language + code;
  let name = countryNames.get(key);
  // Stryker disable ConditionalExpression,CallExpression,ArrayDeclaration: what is kept is what would be made again
  if (name === undefined) {
    const names =
      displayNames.get(language) ?? new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    displayNames.set(language, names);
    name = names.of(code) ?? null;
    countryNames.set(key, name);
    // Stryker restore ConditionalExpression,CallExpression,ArrayDeclaration
  }
  return name;
};
