import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger, type Logger } from '@workspace/logging';
import { openRateLimitStore } from '@workspace/rate-limit-store';
import {
  ConfigError,
  createClientAddress,
  createIsTrustedProxy,
  createDrain,
  createMetrics,
  openTelemetry,
  parseApiKeyFile,
  parseRateLimit,
  readConfig,
  run,
  startService,
  systemClock,
  UnusableFiles,
  WatchedFiles,
  watchTokenFile,
} from '@workspace/service-kit';
import { isStale } from './domain/build-date.ts';
import { type FileRules, type NamedText, parseRuleFiles } from './domain/access/rules-text.ts';
import { parseDatabaseList } from './domain/database-list.ts';
import { PRECISIONS } from './domain/precision.ts';
import manifest from '../package.json' with { type: 'json' };
import { openAnonymousDatabase } from './adapters/mmdb/anonymous-database.ts';
import { openAsnDatabase } from './adapters/mmdb/asn-database.ts';
import { timeZoneAt } from './adapters/mmdb/time-zone.ts';
import { openCityDatabase } from './adapters/mmdb/city-database.ts';
import { ofOneModel, openFurtherDatabase } from './adapters/mmdb/further-database.ts';
import { MAX_OVERLAY_BYTES, openOverlay } from './adapters/overlay/overlay-file.ts';
import { registerDatabaseMetrics } from './adapters/prometheus/database-metrics.ts';
import { buildApp } from './app.ts';
import { type Config, configViolations, ruleSettingViolations, settingsOf } from './config.ts';
import { options } from './features.ts';
import { asnPaths, cityPaths, QUIET_MS, takeFileAhead } from './files-ahead.ts';
import type { ApiKeys, ApiKeySettings } from './http/api-keys.ts';
import { defaultFieldsOf, defaultFieldsViolations, fieldLists } from './http/lookup/fields.ts';

const violationsOf = (config: Config): string[] => [
  ...configViolations(config, options),
  ...defaultFieldsViolations(config),
  ...ruleSettingViolations(process.env),
];

/** Paths separated by commas. */
const pathsIn = (text: string | undefined): string[] | undefined =>
  text?.split(',').map((path) => path.trim());

/** The API keys in `API_KEYS_FILE`, kept up to date. */
const openApiKeys = async (config: Config, logger: Logger) => {
  const path = config.API_KEYS_FILE;
  if (path === undefined) return undefined;
  return watchTokenFile<{ keys: ApiKeys }>({
    variable: 'API_KEYS_FILE',
    path,
    name: 'API keys',
    parse: (text) => parseApiKeyFile(text, PRECISIONS),
    logger,
    clock: systemClock,
    pollMs: config.FILE_POLL_MS,
  });
};

/** The rules in `GEO_RULES`, kept up to date; the last good ones stay when a file becomes unusable. */
const openAccessRules = async (config: Config, logger: Logger) => {
  if (config.GEO_RULES === undefined) return undefined;
  const { flags } = fieldLists(config.ANONYMOUS_DATABASE_PATH !== undefined);
  const file = new WatchedFiles<FileRules>({
    name: 'access rules',
    paths: pathsIn(config.GEO_RULES) ?? [],
    maxBytes: MAX_OVERLAY_BYTES,
    quietMs: QUIET_MS,
    logger,
    clock: systemClock,
    open: async (files) => {
      const texts = files.map(({ name, bytes }): NamedText => ({ name, text: String(bytes) }));
      const parsed = await parseRuleFiles(texts as [NamedText, ...NamedText[]], flags, nextTurn);
      if ('violation' in parsed) throw new UnusableFiles(parsed.violation);
      return parsed;
    },
  });
  await file.refresh();
  if (!file.current) throw new ConfigError([`GEO_RULES: ${file.lastLoad?.error}`]);
  file.poll(config.FILE_POLL_MS);
  return file;
};

/** The networks in `OVERLAY_PATH`, kept up to date; the last good file stays when a newer one is wrong. */
const openOwnNetworks = async (config: Config, logger: Logger) => {
  const path = config.OVERLAY_PATH;
  if (path === undefined) return undefined;
  const overlay = new WatchedFiles({
    name: 'overlay',
    paths: [path],
    open: (files) => openOverlay(files, { timeZoneAt }),
    maxBytes: MAX_OVERLAY_BYTES,
    quietMs: QUIET_MS,
    logger,
    clock: systemClock,
  });
  await overlay.refresh();
  if (!overlay.current) throw new ConfigError([`OVERLAY_PATH: ${overlay.lastLoad?.error}`]);
  overlay.poll(config.FILE_POLL_MS);
  return overlay;
};

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
  const watched = { quietMs: QUIET_MS, readAhead: takeFileAhead, logger, clock };
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
  const anonymousPaths = pathsIn(config.ANONYMOUS_DATABASE_PATH);
  const anonymous =
    anonymousPaths !== undefined
      ? new WatchedFiles({
          name: 'anonymous database',
          paths: anonymousPaths,
          open: openAnonymousDatabase,
          ...watched,
        })
      : undefined;
  if (anonymous) databases.push(anonymous);
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

  const keyFile = await openApiKeys(config, logger);
  const overlay = await openOwnNetworks(config, logger);
  const accessRules = await openAccessRules(config, logger);
  registerDatabaseMetrics(
    metrics.registry,
    {
      city: locations,
      ...(operators && { asn: operators }),
      ...Object.fromEntries(further.map((one, at) => [`${at + 2}`, one])),
      ...(anonymous && { anonymous }),
    },
    bundled.map(({ database }) => database),
    {
      ...(overlay && { overlay }),
      ...(accessRules && { rules: accessRules }),
      ...(keyFile && { keys: keyFile }),
    },
  );
  const apiKeys: ApiKeySettings | undefined = keyFile && {
    keys: () => keyFile.current.keys,
    required: config.API_KEY_REQUIRED,
  };
  const rateLimit = parseRateLimit(config);
  const url = config.RATE_LIMIT_STORE_URL;
  const rateLimitStore =
    (rateLimit || apiKeys) && url
      ? await openRateLimitStore({ store: url, service: 'ip-locate', logger, metrics })
      : undefined;
  const opened = options.flatMap((option) => option.open?.(config, { metrics }) ?? []);
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
    overlay,
    accessRules,
    hostNames: opened.find(({ hostNames }) => hostNames)?.hostNames,
    warnings: () => Object.assign({}, ...opened.map((one) => one.warnings?.())) as Record<string, string>,
    rateLimitStore,
    ready,
    options,
    settings: {
      clientAddressOf: createClientAddress(config),
      isTrustedProxy: createIsTrustedProxy(config),
      defaultFields: defaultFieldsOf(config),
      ...(config.ERROR_STATUS && { errorStatus: config.ERROR_STATUS }),
      precision: config.PRECISION,
      cacheSeconds: config.CACHE_SECONDS,
      ...(rateLimit && { rateLimit }),
      ...(apiKeys && { apiKeys }),
      logAddresses: config.LOG_ADDRESSES === 'truncated',
    },
  };
  const app = buildApp(dependencies);
  app.addHook('onClose', async () => {
    for (const { close } of opened) close?.();
    rateLimitStore?.close();
    await accessRules?.close();
    await overlay?.close();
    for (const database of databases.toReversed()) await database.close();
  });
  await loaded;
  for (const { database, setting, files } of bundled) {
    const { builtAt = null } = files.current?.info ?? {};
    if (builtAt && isStale(builtAt, clock()))
      logger.warn({ database, builtAt }, `the bundled data is old, and nothing renews it: set ${setting}`);
  }
  for (const database of databases) database.poll(config.FILE_POLL_MS);
  await run({ app, config, logger, drain, metrics, telemetry, version, ready });
});
