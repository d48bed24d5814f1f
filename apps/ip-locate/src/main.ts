import { createLogger } from '@workspace/logging';
import {
  createClientAddress,
  createDrain,
  createMetrics,
  type NamedFile,
  parseRateLimit,
  readConfig,
  run,
  startService,
  systemClock,
  WatchedFiles,
} from '@workspace/service-kit';
import manifest from '../package.json' with { type: 'json' };
import { openAsnDatabase } from './adapters/asn-database.ts';
import { bundledData } from './adapters/bundled-data.ts';
import { openCityDatabase } from './adapters/city-database.ts';
import { registerDataMetrics } from './adapters/data-metrics.ts';
import { buildApp } from './app.ts';
import { configViolations, Config } from './config.ts';

await startService(async () => {
  const { version } = manifest;
  const config = readConfig(Config, process.env, configViolations);
  const logger = createLogger({ name: 'ip-locate', level: config.LOG_LEVEL });
  const clock = systemClock;
  const drain = createDrain();
  const metrics = createMetrics({ name: 'ip-locate', version });

  const paths =
    config.DATABASE_PATH?.split(',').map((path) => path.trim()) ?? bundledData(import.meta.url) ?? [];
  const openCities = (files: readonly NamedFile[]) =>
    openCityDatabase(files, { stripDistricts: config.STRIP_DISTRICTS });
  const cities = new WatchedFiles({ name: 'city database', paths, open: openCities, logger, clock });
  const operators =
    config.ASN_DATABASE_PATH === undefined
      ? undefined
      : new WatchedFiles({
          name: 'ASN database',
          paths: [config.ASN_DATABASE_PATH],
          open: openAsnDatabase,
          logger,
          clock,
        });
  const data = operators ? [cities, operators] : [cities];
  for (const files of data) {
    await files.refresh();
    files.poll(config.DATABASE_POLL_SECONDS);
    process.on('SIGHUP', () => void files.refresh(true));
  }

  registerDataMetrics(metrics.registry, { city: cities, ...(operators && { asn: operators }) });

  const rateLimit = parseRateLimit(config);
  const app = buildApp({
    logger,
    drain,
    metrics,
    clock,
    version,
    cities,
    ...(operators && { operators }),
    settings: {
      clientAddressOf: createClientAddress(config),
      ...(config.ERROR_STATUS && { errorStatus: config.ERROR_STATUS }),
      cacheSeconds: config.CACHE_SECONDS,
      cacheEntries: config.CACHE_ENTRIES,
      ...(rateLimit && { rateLimit }),
      logAddresses: config.LOG_ADDRESSES === 'truncated',
    },
  });
  app.addHook('onClose', async () => {
    for (const files of data) await files.close();
  });
  const ready = () =>
    cities.current ? { ready: true as const } : { ready: false as const, reason: 'no database is open' };
  await run({ app, config, logger, drain, metrics, version, ready });
});
