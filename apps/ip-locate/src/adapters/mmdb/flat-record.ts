/**
 * A record of the flat files of ip-location-db (`city ipv4`, `city ipv6`) in MaxMind's shape; `''` means missing. Members
 * are `unknown`, because damaged files and files by other makers hold anything.
 */
export function nestFlatRecord(record: object): Record<string, unknown> {
  const { city, state1, country_code, postcode, timezone, latitude, longitude } = record as Record<
    string,
    unknown
  >;
  return {
    ...(city !== '' && { city: { names: { en: city } } }),
    ...(state1 !== '' && { subdivisions: [{ names: { en: state1 } }] }),
    ...(country_code !== '' && { country: { iso_code: country_code } }),
    ...(postcode !== '' && { postal: { code: postcode } }),
    // float32 in the npm package, decimal text in the releases since 2026-06-18
    location: {
      latitude: numeric(latitude),
      longitude: numeric(longitude),
      ...(timezone !== '' && { time_zone: timezone }),
    },
  };
}

const numeric = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
