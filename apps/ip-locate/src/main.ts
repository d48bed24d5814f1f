import { createLogger } from '@workspace/logging';
import { openRateLimitStore } from '@workspace/rate-limit-store';
import { createDrain } from '@workspace/http-connections';
import { createClientAddress, createIsTrustedProxy } from '@workspace/service-kit/client-address';
import { parseRateLimit } from '@workspace/service-kit/rate-limit';
import {
  createMetrics,
  openTelemetry,
  readConfig,
  run,
  startService,
  systemClock,
  WatchedFiles,
  watchSetting,
} from '@workspace/service-process';
import { isStale } from './domain/build-date.ts';
import { parseDatabaseList } from './domain/database-list.ts';
import manifest from '../package.json' with { type: 'json' };
import { openAsnDatabase } from './adapters/mmdb/asn-database.ts';
import { timeZoneAt } from './adapters/mmdb/time-zone.ts';
import { openCityDatabase } from './adapters/mmdb/city-database.ts';
import { ofOneModel, openFurtherDatabase } from './adapters/mmdb/further-database.ts';
import { MAX_BYTES } from './adapters/mmdb/mmdb-file.ts';
import { registerDatabaseMetrics } from './adapters/prometheus/database-metrics.ts';
import { buildApp } from './app.ts';
import { type Config, configViolations, settingsOf } from './config.ts';
import { onlyOne, openOptions, type ProcessContext } from './extension-points.ts';
import { options } from './features.ts';
import { asnPaths, cityPaths, QUIET_MS, takeFileAhead } from './files-ahead.ts';
import { defaultFieldsOf, defaultFieldsViolations } from './http/lookup/chosen-fields.ts';
import { fieldLists } from './http/lookup/fields.ts';

const violationsOf = (config: Config): string[] => [
  ...configViolations(config, options, process.env),
  ...defaultFieldsViolations(config),
];

await startService(async () => {
  const databases: WatchedFiles<object>[] = [];
  const { version } = manifest;
  const config = readConfig(settingsOf(options), process.env, (all) => violationsOf(all as Config)) as Config;
  const logger = createLogger({ name: 'ip-locate', level: config.LOG_LEVEL });
  const clock = systemClock;
  const drain = createDrain();
  const metrics = createMetrics({ name: 'ip-locate', version });
  const telemetry = await openTelemetry({ name: 'ip-locate', version, config, metrics, logger });

  const [named = [], ...others] = parseDatabaseList(config.DATABASE_PATH);
  const districts = { stripDistricts: config.STRIP_DISTRICTS };
  const openCities = ofOneModel((files) => openCityDatabase(files, districts));
  const watched = { maxBytes: MAX_BYTES, quietMs: QUIET_MS, readAhead: takeFileAhead, logger, clock };
  const locations = new WatchedFiles({
    name: 'city database',
    paths: cityPaths(named),
    open: openCities,
    ...watched,
  });
  databases.push(locations);
  // Each on its own: whatever is wrong with one of them, the others serve.
  const further = others.map((files, at) => {
    const open = ofOneModel((found) => openFurtherDatabase(found, districts));
    return new WatchedFiles({ name: `database ${at + 2}`, paths: files, open, ...watched });
  });
  databases.push(...further);
  const operatorPaths = asnPaths(config.ASN_DATABASE_PATH);
  const operators =
    operatorPaths !== undefined
      ? new WatchedFiles({ name: 'ASN database', paths: operatorPaths, open: openAsnDatabase, ...watched })
      : undefined;
  if (operators) databases.push(operators);
  /** What came with the service, by the setting that names newer files. */
  const bundled = [
    ...(named.length === 0 ? [{ database: 'city', setting: 'DATABASE_PATH', files: locations }] : []),
    ...(operators && config.ASN_DATABASE_PATH === undefined
      ? [{ database: 'asn', setting: 'ASN_DATABASE_PATH', files: operators }]
      : []),
  ];
  logger.info('loading databases');
  // What was read ahead is verified when this thread has built the service.
  const loaded = Promise.all(databases.map((database) => database.refresh()));

  const watch: ProcessContext['watch'] = (files) =>
    watchSetting({ ...files, logger, clock, pollMs: config.FILE_POLL_MS });
  const opened = await openOptions(options, config, { metrics, watch, timeZoneAt });
  const traits = onlyOne(opened, 'anonymous');
  const anonymous = traits && new WatchedFiles({ name: 'anonymous database', ...traits, ...watched });
  if (anonymous) databases.push(anonymous);
  registerDatabaseMetrics(
    metrics.registry,
    {
      city: locations,
      ...(operators && { asn: operators }),
      ...Object.fromEntries(further.map((one, at) => [`${at + 2}`, one])),
      ...(anonymous && { anonymous }),
    },
    bundled.map(({ database }) => database),
    Object.assign({}, ...opened.map(({ files }) => files)),
  );
  const rateLimit = parseRateLimit(config);
  const url = config.RATE_LIMIT_STORE_URL;
  const rateLimitStore =
    (rateLimit || onlyOne(opened, 'apiKeys')) && url
      ? await openRateLimitStore({ store: url, service: 'ip-locate', logger, metrics })
      : undefined;
  const ready = () =>
    locations.current ? { ready: true as const } : { ready: false as const, reason: 'no database loaded' };
  const dependencies = {
    logger,
    drain,
    metrics,
    tracing: telemetry?.tracing,
    clock,
    version,
    locations,
    ...(operators && { operators }),
    further,
    anonymous,
    rateLimitStore,
    ready,
    opened,
    settings: {
      clientAddressOf: createClientAddress(config),
      isTrustedProxy: createIsTrustedProxy(config),
      defaultFields: defaultFieldsOf(config, fieldLists(anonymous !== undefined).all),
      ...(config.ERROR_STATUS && { errorStatus: config.ERROR_STATUS }),
      cacheSeconds: config.CACHE_SECONDS,
      ...(rateLimit && { rateLimit }),
      logAddresses: config.LOG_ADDRESSES === 'truncated',
    },
  };
  const app = buildApp(dependencies);
  app.addHook('onClose', async () => {
    for (const { close } of opened.toReversed()) await close?.();
    rateLimitStore?.close();
    for (const database of databases.toReversed()) await database.close();
  });
  await Promise.all([loaded, anonymous?.refresh()]);
  for (const { database, setting, files } of bundled) {
    const { builtAt = null } = files.current?.info ?? {};
    if (builtAt && isStale(builtAt, clock()))
      logger.warn({ database, builtAt }, `the bundled data is old, and nothing renews it: set ${setting}`);
  }
  for (const database of databases) database.poll(config.FILE_POLL_MS);
  await run({ app, config, logger, drain, metrics, telemetry, version, ready });
});
