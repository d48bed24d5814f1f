import type { Provider } from '../domain/locator.ts';

/** Who has to be named where results are shown, and by which licence. */
export interface Attribution {
  readonly text: string;
  readonly url: string;
}

/** What the licences ask for: DB-IP Lite (CC BY 4.0), GeoLite2 (its EULA); GeoIP2 asks for nothing. */
export const ATTRIBUTIONS: Readonly<Record<Provider, Attribution | undefined>> = {
  'db-ip': { text: 'IP Geolocation by DB-IP', url: 'https://db-ip.com' },
  geolite: {
    text: 'This product includes GeoLite2 Data created by MaxMind, available from https://www.maxmind.com/',
    url: 'https://www.maxmind.com/',
  },
  geoip: undefined,
  other: undefined,
};
