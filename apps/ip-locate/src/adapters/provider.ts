import type { Provider } from '../domain/locator.ts';

/**
 * Who made a file, by the type it claims. The flat files of ip-location-db claim no maker; their names do.
 * @param name the file's name, without its folder
 */
export function providerOf(type: string, name: string): Provider {
  if (/^DBIP/i.test(type)) return 'db-ip';
  if (/^GeoLite/i.test(type)) return 'geolite';
  if (/^GeoIP/i.test(type)) return 'geoip';
  if (/dbip/i.test(name)) return 'db-ip';
  if (/geolite/i.test(name)) return 'geolite';
  return 'other';
}
