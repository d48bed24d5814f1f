import { SHORT_RECORD } from '../src/http/lookup/fields.ts';
import { createClientAddress, createIsTrustedProxy } from '@workspace/service-kit/client-address';
import type { Service } from '@workspace/service-kit';
import type { RateLimitStore } from '@workspace/service-kit/rate-limit';
import { createMetrics, readConfig, type Reloadable } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { openAsnDatabase } from '../src/adapters/mmdb/asn-database.ts';
import { openCityDatabase } from '../src/adapters/mmdb/city-database.ts';
import { timeZoneAt } from '../src/adapters/mmdb/time-zone.ts';
import { buildApp, type Settings } from '../src/app.ts';
import { type Config, settingsOf } from '../src/config.ts';
import { type Opened, openOptions, type Option } from '../src/extension-points.ts';
import { options as allOptions } from '../src/features.ts';
import type {
  AnonymousDatabase,
  LocationDatabase,
  AsnDatabase,
  FurtherDatabase,
} from '../src/application/location-database.ts';
import { asnMmdb, cityMmdb, NOW } from './databases.ts';

export const MUNICH = '80.1.2.3';

const TRUST_PROXY = '127.0.0.1, 10.0.0.0/8, ::1';

export const settings: Settings = {
  clientAddressOf: createClientAddress({ TRUST_PROXY }),
  isTrustedProxy: createIsTrustedProxy({ TRUST_PROXY }),
  defaultFields: SHORT_RECORD,
  cacheSeconds: 3600,
};

/** Data that never changes, or none. */
export const fixed = <T>(current: T | undefined): Reloadable<T> => ({
  current,
  lastLoad: {
    at: NOW,
    outcome: current ? 'loaded' : 'missing',
    ...(!current && { error: 'the file does not exist' }),
  },
});

export const openCity = (bytes = cityMmdb(), name = 'GeoLite2-City.mmdb'): Promise<LocationDatabase> =>
  openCityDatabase([{ name, bytes }]);
export const openAsn = (bytes = asnMmdb()): Promise<AsnDatabase> =>
  openAsnDatabase([{ name: 'asn.mmdb', bytes }]);

/** The same databases for all apps of a file: each is verified when it is opened. */
let opened: Promise<[LocationDatabase, AsnDatabase]> | undefined;

export interface TestAppOptions {
  locations?: Reloadable<LocationDatabase>;
  operators?: Reloadable<AsnDatabase>;
  further?: readonly Reloadable<FurtherDatabase>[];
  anonymous?: Reloadable<AnonymousDatabase>;
  rateLimitStore?: RateLimitStore | undefined;
  settings?: Partial<Settings>;
  /** what options give instead of what they give by default, by name */
  opened?: Readonly<Record<string, Opened>>;
  options?: readonly Option[];
  now?: () => Date;
}

const apps: Service[] = [];
// Fuzz targets run without Jest.
if ('afterAll' in globalThis) afterAll(() => Promise.all(apps.map((app) => app.close())));

/** The service on test data, at the moment NOW; closed after the tests of a file. */
export const testApp = async ({
  locations,
  operators,
  further,
  anonymous,
  rateLimitStore,
  settings: more,
  opened: given = {},
  options = allOptions,
  now = () => NOW,
}: TestAppOptions = {}) => {
  const { logger, lines } = captureLogger('debug');
  const [city, asn] = await (opened ??= Promise.all([openCity(), openAsn()]));
  const app = buildApp({
    logger,
    clock: now,
    version: '1.2.3',
    locations: locations ?? fixed(city),
    operators: operators ?? fixed(asn),
    ...(further && { further }),
    anonymous,
    rateLimitStore,
    ready: () => ({ ready: true }),
    settings: { ...settings, ...more },
    opened: await openOptions(
      options.map((one) => ({ ...one, open: (...args) => given[one.name] ?? one.open(...args) })),
      readConfig(settingsOf(options), {}) as Config,
      {
        metrics: createMetrics({ name: 'ip-locate', version: '1.2.3' }),
        watch: () => Promise.reject(new Error('no file is named')),
        timeZoneAt,
      },
    ),
    strictProblems: true,
  });
  apps.push(app);
  await app.ready();
  return { app, lines };
};
