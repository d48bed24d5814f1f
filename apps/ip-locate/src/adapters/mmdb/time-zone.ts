import lookup from '@photostructure/tz-lookup';

/** The IANA time zone of a point on land; null at sea and for coordinates out of range. */
export const timeZoneAt = (latitude: number, longitude: number): string | null => {
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  const zone = lookup(latitude, longitude);
  return zone.startsWith('Etc/') ? null : zone;
};
