import type { Provider } from '../../application/location-database.ts';

/** Who has to be credited where results are shown. */
export interface Attribution {
  readonly text: string;
  readonly url: string;
}

/** What the licences require: DB-IP Lite (CC BY 4.0) and GeoLite2 (its EULA) want credit, GeoIP2 does not. */
export const ATTRIBUTIONS: Readonly<Record<Provider, Attribution | undefined>> = {
  'db-ip': { text: 'IP Geolocation by DB-IP', url: 'https://db-ip.com' },
  geolite: {
    text: 'This product includes GeoLite2 Data created by MaxMind, available from https://www.maxmind.com/',
    url: 'https://www.maxmind.com/',
  },
  geoip: undefined,
  other: undefined,
};
