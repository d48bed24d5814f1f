import type { Location } from './location.ts';
import { type LocationRules, EntryLocation, type EntryFacts } from './entry-location.ts';

const FACTS: EntryFacts = {
  city: 'Munich (Altstadt)',
  region: 'Bavaria',
  regionCode: 'BY',
  country: 'DE',
  postal: '80331',
  latitude: 48.137154,
  longitude: 11.576124,
  timezone: 'Europe/Berlin',
  accuracyRadius: 20,
};
const location = (facts: Partial<EntryFacts> = {}, rules: LocationRules = {}): Location =>
  new EntryLocation({ ...FACTS, ...facts }, 'en', rules);

describe('a location from a database', () => {
  it.each([
    [
      'accuracyRadius',
      [
        [20, 20],
        [0.5, 0.5],
        [0, null],
        [-1, null],
        [NaN, null],
        [Infinity, null],
        ['20', null],
      ],
    ],
    [
      'latitude',
      [
        [90, 90],
        [-90, -90],
        [90.1, null],
        [-90.1, null],
        [NaN, null],
        [48.1371549, 48.13715],
        ['48', null],
      ],
    ],
    [
      'longitude',
      [
        [180, 180],
        [-180, -180],
        [180.1, null],
        [-180.1, null],
        [null, null],
      ],
    ],
    [
      'countryName',
      [
        ['Allemagne', 'Allemagne'],
        [undefined, 'Germany'],
        ['', 'Germany'],
      ],
    ],
    [
      'continentCode',
      [
        ['XX', 'XX'],
        [undefined, 'EU'],
        ['', 'EU'],
      ],
    ],
    [
      'isRegistered',
      [
        [true, true],
        [undefined, false],
        ['true', false],
      ],
    ],
    [
      'inEu',
      [
        [false, false],
        [true, true],
        [undefined, true],
        ['false', true],
      ],
    ],
  ] as const)('%s: %j', (field, cases) => {
    expect(cases.map(([value]) => [value, location({ [field]: value })[field]])).toEqual(cases);
  });

  it.each(['city', 'region', 'regionCode', 'country', 'postal', 'timezone'] as const)(
    '%s is a text, or null',
    (field) => {
      const values = ['text', '', 7, true, {}, null, undefined];
      expect(values.map((value) => location({ [field]: value })[field])).toEqual([
        'text',
        ...Array(6).fill(null),
      ]);
    },
  );

  it('has both coordinates or none, and no negative zero', () => {
    for (const half of [{ latitude: null }, { longitude: null }]) {
      expect(location(half)).toMatchObject({ latitude: null, longitude: null });
    }
    expect(Object.is(location({ latitude: -0.000001 }).latitude, 0)).toBe(true);
  });

  it.each([
    ['AB', null, null, null],
    ['de', null, null, null],
    ['GERMANY', null, null, null],
    [null, null, null, null],
    ['CH', 'Switzerland', 'EU', false],
  ])('derives from the country %s: %s, %s, %s', (country, countryName, continentCode, inEu) => {
    const isRegistered = country !== null;
    expect(location({ country, isRegistered: true })).toMatchObject({
      countryName,
      continentCode,
      inEu,
      isRegistered,
    });
  });

  it('changes the name of a city, and finds a missing time zone by coordinates', () => {
    const cityName = (name: string) => name.toUpperCase();
    const timeZoneAt = (latitude: number, longitude: number) => `${latitude}/${longitude}`;
    expect(location({}, { cityName }).city).toBe('MUNICH (ALTSTADT)');
    expect(location({ city: '' }, { cityName }).city).toBeNull();
    expect(location({}, { timeZoneAt }).timezone).toBe('Europe/Berlin');
    expect(location({ timezone: '' }, { timeZoneAt }).timezone).toBe('48.13715/11.57612');
    expect(location({ timezone: '', latitude: 91 }, { timeZoneAt }).timezone).toBeNull();
  });
});
