import type { Databases, Provider } from '../../application/location-database.ts';

/** The sources to credit where results are shown. */
export interface Attribution {
  readonly text: string;
  readonly url: string;
}

const DB_IP: Attribution = { text: 'IP Geolocation by DB-IP', url: 'https://db-ip.com' };

/**
 * What the licences require: DB-IP Lite and RouteViews (CC BY 4.0) and GeoLite2 (its EULA) want credit, GeoIP2 does not. The
 * bundled ASN database is by RouteViews, its names by DB-IP.
 */
const ATTRIBUTIONS: Readonly<Record<Provider, readonly Attribution[]>> = {
  'db-ip': [DB_IP],
  geolite: [
    {
      text: 'This product includes GeoLite2 Data created by MaxMind, available from https://www.maxmind.com/',
      url: 'https://www.maxmind.com/',
    },
  ],
  geoip: [],
  routeviews: [DB_IP, { text: 'Autonomous systems by RouteViews', url: 'https://www.routeviews.org' }],
  other: [],
};

/** The sources to credit for the databases in use, once each. */
export const attributionsOf = ({ locations, operators, further = [] }: Databases): Attribution[] => {
  const all = [locations, operators, ...further].flatMap((database) =>
    database?.current ? ATTRIBUTIONS[database.current.info.provider] : [],
  );
  return [...new Map(all.map((attribution) => [attribution.url, attribution])).values()];
};

/** The value of a `Link` header that names the licences; undefined without data that asks for credit. */
export const licenseLinks = (attributions: readonly Attribution[]): string | undefined =>
  attributions.length === 0 ? undefined : attributions.map(({ url }) => `<${url}>; rel="license"`).join(', ');
