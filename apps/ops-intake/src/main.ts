import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaSettings } from '@workspace/kafka-producer';
import { createLogger } from '@workspace/logging';
import { createDrain } from '@workspace/http-connections';
import {
  createMetrics,
  openTelemetry,
  run,
  startService,
  systemClock,
  systemTimers,
} from '@workspace/service-process';
import manifest from '../package.json' with { type: 'json' };
import { createMemoryStore } from './adapters/memory/memory-store.ts';
import { openKafkaLog } from './adapters/kafka/kafka-log.ts';
import { createIntakeMetrics } from './adapters/prometheus/intake-metrics.ts';
import { createRandomPool } from './adapters/random/random-pool.ts';
import { buildApp } from './app.ts';
import { closeOptions, onlyOne, openOptions } from './extension-points.ts';
import { options } from './features.ts';
import { brokersOf, type Config, idempotencyLeaseMs, readSettings } from './config.ts';
import { kafkaSettings, logOptions, submissionLogOptions } from './log-options.ts';

const { name, version } = manifest;

/**
 * Longest wait for Kafka's first probe and the key store before the port opens. Two brokers that hang take two seconds of
 * it, and on a busy host a connection takes seconds, too.
 */
const FIRST_PROBE_MS = 5_000;

const openKafkaSettings = async (config: Config): Promise<KafkaSettings> => ({
  brokers: brokersOf(config),
  ...kafkaSettings(config),
  ...(await onlyOne(options, 'connection')?.(config)),
});

/** What every log of the running service needs, too: the topic that it may create, and the clock. */
const topicOptions = (config: Config) => ({
  ...(config.KAFKA_CREATE_TOPIC && {
    create: {
      partitions: config.KAFKA_TOPIC_PARTITIONS,
      replicationFactor: config.KAFKA_TOPIC_REPLICATION_FACTOR,
    },
  }),
  now: systemClock,
});

await startService(async () => {
  const config = readSettings(options, process.env);
  const logger = createLogger({ name, level: config.LOG_LEVEL });
  process.removeAllListeners('warning').on('warning', (warning) => logger.warn({ err: warning }, 'warning'));

  const drain = createDrain();
  const metrics = createMetrics({ name, version });
  const telemetry = await openTelemetry({ name, version, config, metrics, logger });
  const intakeMetrics = createIntakeMetrics(metrics);
  const settings = await openKafkaSettings(config);
  const isIndexed = options.some((option) => option.searchesLog?.(config));
  const log = openKafkaLog({
    ...topicOptions(config),
    ...submissionLogOptions(config, isIndexed),
    settings,
    logger,
    observer: intakeMetrics,
  });
  const clocks = { clock: systemClock, timers: systemTimers };
  const fillRandomly = createRandomPool();
  const opened = await openOptions(options, config, {
    ...clocks,
    logger,
    metrics,
    tracing: telemetry?.tracing,
    fillRandomly,
    storeObserver: intakeMetrics,
    newest: log,
    openLog: (topic, suffix, ownLogger) =>
      openKafkaLog({
        ...topicOptions(config),
        ...logOptions(config),
        settings: { ...settings, topic, clientId: `${settings.clientId}-${suffix}` },
        logger: ownLogger,
      }),
  });
  const shared = onlyOne(opened, 'keyStore')?.store;
  const store =
    shared ??
    createMemoryStore({
      ttlMs: config.IDEMPOTENCY_TTL_MS,
      sequenceTtlMs: config.SEQUENCE_TTL_MS,
      leaseMs: idempotencyLeaseMs(config),
      entries: config.IDEMPOTENCY_ENTRIES,
      now: systemClock,
      monotonic: systemTimers.now,
    });
  intakeMetrics.watch(log, store);
  const app = buildApp({
    config,
    log,
    store,
    search: log,
    opened,
    logger,
    ...clocks,
    fillRandomly,
    drain,
    version,
    metrics,
    tracing: telemetry?.tracing,
    onAccepted: intakeMetrics.accepted,
    onFailed: intakeMetrics.failed,
  });
  app.addHook('onClose', async () => {
    const closed = closeOptions(opened, logger);
    // The log settles the last keys: the store outlives it.
    await log.close();
    await store.close();
    await closed;
  });
  // Otherwise an instance that a rolling restart brings up would answer 503 until it knows its broker and its key store. The
  // management listener is open by then, and signals are handled.
  app.addHook('onReady', async () => {
    await Promise.race([Promise.all([log.probed, shared?.connected]), sleep(FIRST_PROBE_MS)]);
  });
  await run({ app, config, logger, drain, metrics, telemetry, version, ready: () => ({ ready: true }) });
});
