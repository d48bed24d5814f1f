import { createLogger } from '@workspace/logging';
import {
  createDrain,
  createMetrics,
  readConfig,
  run,
  startService,
  systemClock,
} from '@workspace/service-kit';
import manifest from '../package.json' with { type: 'json' };
import { openAsnDatabase } from './adapters/asn-database.ts';
import { bundledData } from './adapters/bundled-data.ts';
import { openCityDatabase } from './adapters/city-database.ts';
import type { NamedFile } from './adapters/data-info.ts';
import { registerDataMetrics } from './adapters/data-metrics.ts';
import { WatchedFiles } from './adapters/watched-files.ts';
import { buildApp } from './app.ts';
import { configViolations, Config } from './config.ts';
import { parseTrust } from './domain/trusted-proxies.ts';

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
  const cities = new WatchedFiles({ paths, open: openCities, logger, clock });
  const operators =
    config.ASN_DATABASE_PATH === undefined
      ? undefined
      : new WatchedFiles({ paths: [config.ASN_DATABASE_PATH], open: openAsnDatabase, logger, clock });
  const data = operators ? [cities, operators] : [cities];
  for (const files of data) {
    await files.refresh();
    files.poll(config.DATABASE_POLL_SECONDS);
    process.on('SIGHUP', () => void files.refresh(true));
  }

  registerDataMetrics(metrics.registry, { city: cities, ...(operators && { asn: operators }) });

  const app = buildApp({
    logger,
    drain,
    metrics,
    clock,
    version,
    cities,
    ...(operators && { operators }),
    settings: {
      trusted: parseTrust(config.TRUST_PROXY).networks,
      ...(config.CLIENT_IP_HEADER && { clientIpHeader: config.CLIENT_IP_HEADER.toLowerCase() }),
      ...(config.ERROR_STATUS && { errorStatus: config.ERROR_STATUS }),
      cacheSeconds: config.CACHE_SECONDS,
      cacheEntries: config.CACHE_ENTRIES,
      rateLimit: config.RATE_LIMIT,
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
