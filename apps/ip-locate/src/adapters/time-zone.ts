import lookup from '@photostructure/tz-lookup';

/** The IANA zone of a point on land, or null at sea and for points that are none. */
export function timeZoneAt(latitude: number, longitude: number): string | null {
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  const zone = lookup(latitude, longitude);
  return zone.startsWith('Etc/') ? null : zone;
}
