import { createLogger } from '@workspace/logging';
import { InvalidDataError, violationText } from '@workspace/release-catalogue';
import {
  createDrain,
  createMetrics,
  openTelemetry,
  readConfig,
  run,
  startService,
  StartupError,
  systemClock,
} from '@workspace/service-kit';
import { releaseFolder } from './adapters/files/release-folder.ts';
import { registerDataMetrics } from './adapters/prometheus/data-metrics.ts';
import { buildApp } from './app.ts';
import { watchCatalogue } from './application/catalogue-watcher.ts';
import { createSnapshotStore } from './application/snapshot-store.ts';
import { startTransitionTimer } from './application/transition-timer.ts';
import { Config, configViolations, dataFolder } from './config.ts';
import { renderResponses } from './http/responses.ts';
import { siteOf } from './http/site.ts';
import packageJson from '../package.json' with { type: 'json' };

const { name, version } = packageJson;

/** A start-up message is read; `release-data validate` prints every violation. */
const SHOWN_VIOLATIONS = 20;

const startupError = (source: string, { violations }: InvalidDataError): StartupError => {
  const shown = violations.slice(0, SHOWN_VIOLATIONS).map((violation) => `  - ${violationText(violation)}`);
  const more = violations.length - shown.length;
  return new StartupError(
    [
      `The release data in ${source} cannot be served:`,
      ...shown,
      ...(more > 0
        ? [`  and ${more} more; \`node release-data.js validate --data ${source}\` prints all`]
        : []),
    ].join('\n'),
  );
};

await startService(async () => {
  const config = readConfig(Config, process.env, configViolations);
  const logger = createLogger({ name, level: config.LOG_LEVEL });
  const clock = systemClock;
  const facts = releaseFolder(dataFolder(config, import.meta.dirname));

  const signature = await facts.signature();
  const { catalogue, warnings } = await facts.load().catch((error: unknown) => {
    throw error instanceof InvalidDataError ? startupError(facts.source, error) : error;
  });
  const site = siteOf(config, process.versions.node);
  const store = createSnapshotStore({
    catalogue,
    now: clock(),
    render: (snapshot) => renderResponses(snapshot, site),
  });
  const stopTimer = startTransitionTimer(store, clock);
  const watcher = watchCatalogue({
    facts,
    pollMs: config.DATA_POLL_MS,
    logger,
    clock,
    catalogue,
    signature,
    serve: (newer) => store.replace(newer, clock()),
  });
  logger.info(
    { source: facts.source, revision: catalogue.revision, warnings: warnings.length },
    'release data loaded',
  );

  const drain = createDrain();
  const metrics = createMetrics({ name, version });
  const telemetry = await openTelemetry({ name, version, config, metrics, logger });
  const tracing = telemetry?.tracing;
  registerDataMetrics(metrics.registry, watcher.status);
  const app = buildApp({
    logger,
    drain,
    metrics,
    tracing,
    store,
    clock,
    version,
    data: watcher.status,
    site,
  });
  app.addHook('onClose', () => {
    stopTimer();
    watcher.stop();
  });
  await run({ app, config, logger, drain, metrics, telemetry, version, ready: () => ({ ready: true }) });
});
