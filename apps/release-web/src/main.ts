import { createLogger } from '@workspace/logging';
import type { Catalogue } from '@workspace/release-catalogue';
import { createDrain } from '@workspace/http-connections';
import {
  createMetrics,
  openTelemetry,
  Poller,
  readConfig,
  run,
  startService,
  systemClock,
  systemTimers,
} from '@workspace/service-process';
import { lastValidFile } from './adapters/files/last-valid-file.ts';
import { releaseFolder } from './adapters/files/release-folder.ts';
import { registerDataMetrics } from './adapters/prometheus/data-metrics.ts';
import { isStale } from './domain/utc-day.ts';
import { buildApp } from './app.ts';
import { openCatalogue, watchCatalogue } from './application/catalogue-watcher.ts';
import { startTransitionTimer } from './application/snapshot.ts';
import { Config, configViolations, dataFolder } from './config.ts';
import { options } from './features.ts';
import { readiness } from './http/health/health.ts';
import { SnapshotStore } from './http/rendering/snapshot-store.ts';
import { siteOf } from './http/site.ts';
import packageJson from '../package.json' with { type: 'json' };

const { name, version } = packageJson;

await startService(async () => {
  const config = readConfig(Config, process.env, configViolations);
  const logger = createLogger({ name, level: config.LOG_LEVEL });
  const clock = systemClock;
  const isBundled = config.DATA_DIR === undefined;
  const facts = releaseFolder(dataFolder(config, import.meta.dirname));

  const lastValid =
    config.DATA_CACHE_DIR === undefined ? undefined : lastValidFile(config.DATA_CACHE_DIR, facts.source);

  const site = siteOf(config, { runtimeVersion: process.versions.node, version }, options);
  const store = new SnapshotStore();
  let stopTimer = (): void => undefined;
  const serve = (catalogue: Catalogue): void => {
    store.replace(catalogue, clock());
    stopTimer();
    stopTimer = startTransitionTimer(store, clock, systemTimers);
  };
  const drain = createDrain();
  const metrics = createMetrics({ name, version });
  const telemetry = await openTelemetry({ name, version, config, metrics, logger });
  const tracing = telemetry?.tracing;
  const app = buildApp({
    logger,
    drain,
    metrics,
    tracing,
    store,
    clock,
    version,
    data: () => watcher.status(),
    site,
    options,
  });
  // After the routes have said what they prepare: facts from which that cannot be made are not served.
  const sources = { facts, lastValid, logger, serve };
  const opened = await openCatalogue(sources);
  const { catalogue } = opened;
  if (isBundled && catalogue && isStale(catalogue.revision, clock(), config.DATA_STALE_DAYS))
    logger.warn(
      { revision: catalogue.revision },
      'the bundled data is old, and nothing renews it: set DATA_DIR to data that is kept up to date',
    );
  const watcher = watchCatalogue({ ...sources, opened, clock });
  const poller = new Poller(watcher.check);
  poller.start(config.FILE_POLL_MS);
  registerDataMetrics(metrics.registry, isBundled ? 'bundled' : 'configured', watcher.status);
  app.addHook('onClose', (_app, done) => {
    stopTimer();
    // Without waiting for the last check: a network file system may hang.
    void poller.stop();
    done();
  });
  await run({
    app,
    config,
    logger,
    drain,
    metrics,
    telemetry,
    version,
    ready: () => readiness(watcher.status()),
  });
});
