import fc from 'fast-check';
import { type Location, UNKNOWN_LOCATION } from '../../domain/location.ts';
import { PRECISIONS as BY_NAME } from './precision.ts';

const PRECISIONS = ['country', 'region', 'city', 'full'] as const;
const atPrecision = (one: Location, name: (typeof PRECISIONS)[number]): Location =>
  BY_NAME.get(name)!.of(one);

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const name = orNull(fc.constantFrom('Berlin', 'Berlin (Mitte)', 'Paris', 'Texas', ''));
const degrees = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });
const location: fc.Arbitrary<Location> = fc
  .record({
    city: name,
    region: name,
    regionCode: name,
    country: orNull(fc.constantFrom('DE', 'FR', 'US')),
    countryName: name,
    continentCode: orNull(fc.constantFrom('EU', 'NA')),
    inEu: orNull(fc.boolean()),
    isRegistered: fc.boolean(),
    postal: name,
    point: orNull(fc.tuple(degrees(90), degrees(180))),
    timezone: orNull(fc.constantFrom('Europe/Berlin', 'America/Indiana/Petersburg')),
    accuracyRadius: orNull(fc.nat()),
  })
  .map(({ point, ...known }) => ({ ...known, latitude: point?.[0] ?? null, longitude: point?.[1] ?? null }));

/** What is finer than a precision. */
const FINER = {
  country: ['region', 'regionCode', 'city', 'postal', 'latitude', 'longitude', 'timezone', 'accuracyRadius'],
  region: ['city', 'postal', 'latitude', 'longitude', 'timezone', 'accuracyRadius'],
} as const;

it.each(['country', 'region'] as const)('whatever is finer than a %s makes no difference', (precision) => {
  fc.assert(
    fc.property(location, location, (one, other) => {
      const changed = { ...one, ...Object.fromEntries(FINER[precision].map((key) => [key, other[key]])) };
      expect(atPrecision(changed, precision)).toEqual(atPrecision(one, precision));
    }),
  );
});

it('a city keeps its name without the district, and a point within 8 km', () => {
  fc.assert(
    fc.property(location, (one) => {
      const { city, postal, latitude, longitude, accuracyRadius, ...rest } = atPrecision(one, 'city');
      expect(rest).toEqual({
        isRegistered: one.isRegistered,
        region: one.region,
        regionCode: one.regionCode,
        country: one.country,
        countryName: one.countryName,
        continentCode: one.continentCode,
        inEu: one.inEu,
        timezone: one.timezone,
      });
      expect([city, postal]).toEqual([one.city === 'Berlin (Mitte)' ? 'Berlin' : one.city, null]);
      expect(accuracyRadius).toBe(one.accuracyRadius === null ? null : one.accuracyRadius + 8);
      expect([latitude === null, longitude === null]).toEqual([one.latitude === null, one.latitude === null]);
      if (latitude === null || longitude === null) return;
      expect([latitude, longitude]).toEqual([latitude, longitude].map((value) => Number(value.toFixed(1))));
      expect(111.2 * Math.hypot(latitude - one.latitude!, longitude - one.longitude!)).toBeLessThan(8);
    }),
  );
});

it('a coarser precision tells the same of what a finer one left', () => {
  const pair = fc.tuple(
    fc.constantFrom('country' as const, 'region' as const),
    fc.constantFrom(...PRECISIONS),
  );
  fc.assert(
    fc.property(location, pair, (one, [coarse, any]) => {
      fc.pre(PRECISIONS.indexOf(coarse) <= PRECISIONS.indexOf(any));
      expect(atPrecision(atPrecision(one, any), coarse)).toEqual(atPrecision(one, coarse));
    }),
  );
});

it('no coordinate becomes minus zero', () => {
  const { latitude, longitude } = atPrecision(
    { ...UNKNOWN_LOCATION, latitude: -0.01, longitude: -0.04 },
    'city',
  );
  expect([latitude, longitude]).toEqual([0, 0]);
});

it('all that the data has costs nothing: it is the same object', () => {
  expect(atPrecision(UNKNOWN_LOCATION, 'full')).toBe(UNKNOWN_LOCATION);
});
