import { countries as listed } from 'countries-list';
import alpha3 from 'countries-list/minimal/countries.2to3.min.json' with { type: 'json' };
import territories from 'cldr-core/supplemental/territoryInfo.json' with { type: 'json' };
import { COUNTRY_CODES, countryOf } from './countries.ts';

type Listed = (typeof listed)[keyof typeof listed];
const { territoryInfo } = territories.supplemental as {
  territoryInfo: Record<string, { _population: string }>;
};
const dialled = ({ phone }: Listed): string[] => phone.map((code) => `+${code}`);

/** Where GeoNames and countries-list differ on purpose, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'CX continent': 'GeoNames and MaxMind count Christmas Island among Oceania',
  'RU continent': 'GeoNames and MaxMind count Russia among Europe',
  'AQ currency': 'GeoNames has no currency of Antarctica',
  'BQ callingCode': 'without the area code',
  'BV callingCode': 'uninhabited',
  'CW callingCode': 'without the area code',
  'HM callingCode': 'uninhabited',
  'SJ callingCode': 'without the area code',
};

/** Top-level domains that are not the country's code: two islands use Guadeloupe's, Kosovo has none. */
const OTHER_TLDS: Readonly<Record<string, string | null>> = { BL: '.gp', GB: '.uk', MF: '.gp', XK: null };

describe('the table of countries', () => {
  it('has every country that countries-list has, but for two islands without a code of ISO', () => {
    expect(Object.keys(listed).filter((code) => !COUNTRY_CODES.includes(code))).toEqual(['AC', 'TA']);
    expect(COUNTRY_CODES).toHaveLength(250);
  });

  it('agrees with countries-list and CLDR but for the differences above', () => {
    const differences = COUNTRY_CODES.flatMap((code) => {
      const country = countryOf(code);
      const other: Listed = listed[code as keyof typeof listed];
      const agrees = {
        iso3: country?.iso3 === alpha3[code as keyof typeof alpha3],
        continent: country?.continent === other.continent,
        currency: (other.currency as readonly string[]).includes(country?.currency ?? ''),
        callingCode: dialled(other).includes(country?.callingCode ?? ''),
        population: country?.population === Number(territoryInfo[code]?._population),
      };
      return Object.entries(agrees).flatMap(([member, same]) => (same ? [] : [`${code} ${member}`]));
    });
    expect(differences.sort()).toEqual(Object.keys(DIFFERENT).sort());
  });

  it('has sound values', () => {
    for (const code of COUNTRY_CODES) {
      const { area, tld, languages } = countryOf(code) ?? {};
      expect([code, (area ?? 0) > 0]).toEqual([code, true]);
      expect([code, tld]).toEqual([code, code in OTHER_TLDS ? OTHER_TLDS[code] : `.${code.toLowerCase()}`]);
      expect(languages ?? 'en').toMatch(/^[a-z]{2,3}(-[A-Z]{2})?(,[a-z]{2,3}(-[A-Z]{2,})?)*$/);
    }
  });

  it('knows the members of the European Union', () => {
    expect(COUNTRY_CODES.filter((code) => countryOf(code)?.inEu)).toHaveLength(27);
    expect(countryOf('GB')?.inEu).toBe(false);
  });

  it.each(['XX', '', 'us', null])('knows nothing about %j', (code) => {
    expect(countryOf(code)).toBeUndefined();
  });
});
