import { COUNTRY_TABLE } from './country-table.ts';

/** What is known of a country or territory, whatever the address. */
export interface Country {
  /** ISO 3166-1 alpha-3; `XKX` for Kosovo, which ISO has no code for */
  readonly iso3: string;
  /** `AF`, `AN`, `AS`, `EU`, `NA`, `OC` or `SA`, as GeoNames and MaxMind draw continents */
  readonly continent: string;
  /** in English; null for territories without one */
  readonly capital: string | null;
  /** square kilometres of land and inland water */
  readonly area: number;
  readonly population: number;
  /** country-code top-level domain with its dot: `.uk` */
  readonly tld: string | null;
  /** ISO 4217 */
  readonly currency: string | null;
  /** in English and without the country: `Dollar` */
  readonly currencyName: string | null;
  /** international calling code with its plus; where a country has several, the first: `+1787` */
  readonly callingCode: string | null;
  /** IETF language tags separated by commas, the most widely spoken first: `de-CH,fr-CH,it-CH,rm` */
  readonly languages: string | null;
  readonly inEu: boolean;
}

/** Members as of the Treaty on European Union's article 52 since 2020. */
const EU = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

const orNull = (text: string | undefined): string | null => text || null;

const countries: ReadonlyMap<string, Country> = new Map(
  COUNTRY_TABLE.split('\n').map((row) => {
    const [
      code = '',
      iso3 = '',
      continent = '',
      capital,
      area,
      population,
      tld,
      currency,
      currencyName,
      callingCode,
      languages,
    ] = row.split('|');
    const country: Country = {
      iso3,
      continent,
      capital: orNull(capital),
      area: Number(area),
      population: Number(population),
      tld: orNull(tld),
      currency: orNull(currency),
      currencyName: orNull(currencyName),
      callingCode: orNull(callingCode),
      languages: orNull(languages),
      inEu: EU.has(code),
    };
    return [code, country] as const;
  }),
);

/** The codes of all countries and territories, ISO 3166-1 alpha-2 and `XK`. */
export const COUNTRY_CODES: readonly string[] = [...countries.keys()];

/** @param code ISO 3166-1 alpha-2; undefined for an unknown code */
export const countryOf = (code: string | null): Country | undefined =>
  code === null ? undefined : countries.get(code);
