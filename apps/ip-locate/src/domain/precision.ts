import { withoutDistrict } from './city-name.ts';
import { type Location, UNKNOWN_LOCATION } from './location.ts';

/** Most precise part of a location in answers: the country, the region or the city, or all that the data has. */
export const PRECISIONS = ['country', 'region', 'city', 'full'] as const;
export type Precision = (typeof PRECISIONS)[number];

/** Steps in a degree: a step is 11 km, or less where meridians are closer. */
const STEPS = 10;
/** Kilometres that rounding to steps moves a point at most. */
const ROUNDING_KM = 8;

/**
 * A location without what is finer than a precision. Up to the region, it is the same for the whole region: rounded
 * coordinates would often leave only one city, and some time zones are those of a county.
 */
export const atPrecision = (location: Location, precision: Precision): Location => {
  if (precision === 'full') return location;
  const { country, countryName, continentCode, inEu, isRegistered } = location;
  const ofCountry = { ...UNKNOWN_LOCATION, country, countryName, continentCode, inEu, isRegistered };
  if (precision === 'country') return ofCountry;
  const { region, regionCode } = location;
  const ofRegion = { ...ofCountry, region, regionCode };
  if (precision === 'region') return ofRegion;
  const { city, latitude, longitude, timezone, accuracyRadius } = location;
  return {
    ...ofRegion,
    city: city === null ? null : withoutDistrict(city),
    latitude: rounded(latitude),
    longitude: rounded(longitude),
    timezone,
    accuracyRadius: accuracyRadius === null ? null : accuracyRadius + ROUNDING_KM,
  };
};

const rounded = (degrees: number | null): number | null =>
  degrees === null ? null : Math.round(degrees * STEPS) / STEPS + 0;
