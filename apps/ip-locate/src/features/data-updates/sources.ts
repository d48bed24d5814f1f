import type { Offer } from './offers.ts';

/** What DB-IP publishes. */
export type DbIpName = 'city' | 'asn';

/**
 * DB-IP's free databases: one file a month, at the start of the month; until it is there, the previous month's.
 * @param mirror another server with the same paths
 */
export const dbIpOffers = (name: DbIpName, now: Date, mirror = 'https://download.db-ip.com'): Offer[] =>
  [0, 1].map((monthsAgo) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo))
      .toISOString()
      .slice(0, 7);
    return { url: new URL(`/free/dbip-${name}-lite-${month}.mmdb.gz`, mirror).href };
  });

export interface MaxMindAccount {
  readonly accountId: string;
  readonly licenseKey: string;
}

/**
 * MaxMind's databases, free and paid (https://dev.maxmind.com/geoip/updating-databases/#directly-downloading-databases).
 * @param edition `GeoLite2-City`
 * @param mirror another server with the same paths
 */
export const maxMindOffers = (
  edition: string,
  { accountId, licenseKey }: MaxMindAccount,
  mirror = 'https://download.maxmind.com',
): Offer[] => {
  const url = (suffix: string) =>
    new URL(`/geoip/databases/${encodeURIComponent(edition)}/download?suffix=${suffix}`, mirror).href;
  const authorization = `Basic ${Buffer.from(`${accountId}:${licenseKey}`).toString('base64')}`;
  return [{ url: url('tar.gz'), sha256Url: url('tar.gz.sha256'), headers: { authorization } }];
};
