import { FULL, type Precision } from '../../application/locate.ts';
import { withoutDistrict } from '../../domain/city-name.ts';
import { type Location, UNKNOWN_LOCATION } from '../../domain/location.ts';

/** Steps in a degree: a step is 11 km, or less where meridians are closer. */
const STEPS = 10;
/** Kilometres that rounding to steps moves a point at most. */
const ROUNDING_KM = 8;

const ofCountry = ({ country, countryName, continentCode, inEu, isRegistered }: Location): Location => ({
  ...UNKNOWN_LOCATION,
  country,
  countryName,
  continentCode,
  inEu,
  isRegistered,
});

/**
 * Up to the region, a location is the same for the whole region: rounded coordinates would often leave only one city, and some
 * time zones are those of a county.
 */
const ofRegion = (location: Location): Location => {
  const { region, regionCode } = location;
  return { ...ofCountry(location), region, regionCode };
};

const ofCity = (location: Location): Location => {
  const { city, latitude, longitude, timezone, accuracyRadius } = location;
  return {
    ...ofRegion(location),
    city: city === null ? null : withoutDistrict(city),
    latitude: rounded(latitude),
    longitude: rounded(longitude),
    timezone,
    accuracyRadius: accuracyRadius === null ? null : accuracyRadius + ROUNDING_KM,
  };
};

const rounded = (degrees: number | null): number | null =>
  degrees === null ? null : Math.round(degrees * STEPS) / STEPS + 0;

/** By name, the most precise part of a location in answers: the country, the region or the city, or all that the data has. */
export const PRECISIONS: ReadonlyMap<string, Precision> = new Map(
  [
    { name: 'country', of: ofCountry },
    { name: 'region', of: ofRegion },
    { name: 'city', of: ofCity },
    FULL,
  ].map((one) => [one.name, one]),
);
