import { captureLogger } from '@workspace/service-kit/testing';
import { openAsnDatabase } from '../src/adapters/asn-database.ts';
import { openCityDatabase } from '../src/adapters/city-database.ts';
import { buildApp, type Settings } from '../src/app.ts';
import type { Locator, OperatorFinder, Source } from '../src/domain/locator.ts';
import { parseTrust } from '../src/domain/trusted-proxies.ts';
import { asnMmdb, cityMmdb, NOW } from './databases.ts';

export const MUNICH = '80.1.2.3';

export const settings: Settings = {
  trusted: parseTrust('127.0.0.1, 10.0.0.0/8, ::1').networks,
  cacheSeconds: 3600,
  cacheEntries: 1000,
  rateLimit: 0,
};

/** A source that always has the same data, or none. */
export const fixed = <T>(current: T | undefined): Source<T> => ({
  current,
  lastReload: {
    at: NOW,
    outcome: current ? 'loaded' : 'missing',
    ...(!current && { fault: 'the file is not there' }),
  },
});

export const openCity = (bytes = cityMmdb(), name = 'GeoLite2-City.mmdb'): Promise<Locator> =>
  openCityDatabase([{ name, bytes }]);
export const openAsn = (bytes = asnMmdb()): Promise<OperatorFinder> =>
  openAsnDatabase([{ name: 'asn.mmdb', bytes }]);

export interface TestAppOptions {
  cities?: Source<Locator>;
  operators?: Source<OperatorFinder>;
  settings?: Partial<Settings>;
  now?: () => Date;
}

/** The service on test data, at the moment NOW. */
export async function testApp({ cities, operators, settings: more, now = () => NOW }: TestAppOptions = {}) {
  const { logger, lines } = captureLogger('debug');
  const app = buildApp({
    logger,
    clock: now,
    version: '1.2.3',
    cities: cities ?? fixed(await openCity()),
    operators: operators ?? fixed(await openAsn()),
    settings: { ...settings, ...more },
  });
  await app.ready();
  return { app, lines };
}
