import { createLogger } from '@workspace/logging';
import {
  ConfigError,
  createDrain,
  createMetrics,
  readConfig,
  run,
  startService,
  systemClock,
} from '@workspace/service-kit';
import { InvalidDataError, violationText, loadDataDirectory } from '@workspace/release-catalogue';
import { registerDataMetrics } from './adapters/data-metrics.ts';
import { folderSignature, watchData } from './adapters/data-watcher.ts';
import { buildApp } from './app.ts';
import { Config, configViolations, dataFolder } from './config.ts';
import { siteOf } from './snapshot/site.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createSnapshotStore } from './snapshot/snapshot-store.ts';
import { startTransitionTimer } from './snapshot/transition-timer.ts';

const { name, version } = packageJson;

/** A message is read; `npx nx release-data release-web validate` shows all of them. */
const SHOWN_FAULTS = 20;

await startService(async () => {
  const config = readConfig(Config, process.env, configViolations);
  const logger = createLogger({ name, level: config.LOG_LEVEL });
  const clock = systemClock;
  const site = siteOf(config);
  const folder = dataFolder(config, import.meta.dirname);

  const signature = await folderSignature(folder);
  const { catalogue, warnings } = await loadDataDirectory(folder).catch((error: unknown) => {
    throw error instanceof InvalidDataError
      ? new ConfigError(
          error.violations
            .slice(0, SHOWN_FAULTS)
            .map((violation) => `DATA_DIR ${folder}: ${violationText(violation)}`),
        )
      : error;
  });
  const store = createSnapshotStore(catalogue, clock(), site);
  const stopTimer = startTransitionTimer(store, clock);
  const watcher = watchData({
    folder,
    pollMs: config.DATA_POLL_MS,
    logger,
    clock,
    catalogue,
    signature,
    serve: (facts) => store.replace(facts, clock()),
  });
  logger.info({ folder, revision: catalogue.revision, warnings: warnings.length }, 'data loaded');

  const drain = createDrain();
  const metrics = createMetrics({ name, version });
  registerDataMetrics(metrics.registry, watcher.status);
  const app = buildApp({
    logger,
    drain,
    metrics,
    store,
    clock,
    version,
    data: watcher.status,
    baseUrl: site.baseUrl,
  });
  app.addHook('onClose', () => {
    stopTimer();
    watcher.stop();
  });
  await run({ app, config, logger, drain, metrics, version, ready: () => ({ ready: true }) });
});
