import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaSettings, ProduceObserver } from '@workspace/kafka-producer';
import { createLogger, type Logger } from '@workspace/logging';
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
import { openKafkaLog, submissionIndex } from './adapters/kafka/kafka-log.ts';
import { createIntakeMetrics } from './adapters/prometheus/intake-metrics.ts';
import { createRandomPool } from './adapters/random/random-pool.ts';
import { buildApp } from './app.ts';
import { closeOptions, onlyOne, openOptions } from './extension-points.ts';
import { options } from './features.ts';
import { brokersOf, type Config, idempotencyLeaseMs, readSettings, recordAgeMs } from './config.ts';

const { name, version } = manifest;

/** Submissions in one batch at most: larger ones would delay the answers to all of them. */
const BATCH_RECORDS = 500;
/**
 * Longest wait for Kafka's first probe and the key store before the port opens. Two brokers that hang take two seconds of
 * it, and on a busy host a connection takes seconds, too.
 */
const FIRST_PROBE_MS = 5_000;

const openKafkaSettings = async (config: Config): Promise<KafkaSettings> => ({
  brokers: brokersOf(config),
  clientId: config.KAFKA_CLIENT_ID,
  topic: config.KAFKA_TOPIC,
  connectionTimeoutMs: config.KAFKA_CONNECTION_TIMEOUT_MS,
  requestTimeoutMs: config.KAFKA_REQUEST_TIMEOUT_MS,
  deliveryTimeoutMs: config.KAFKA_DELIVERY_TIMEOUT_MS,
  ...(await onlyOne(options, 'connection')?.(config)),
});

/** What every log needs, also one that is not searched. */
const logOptions = (config: Config, settings: KafkaSettings) => ({
  settings,
  limits: {
    queueRecords: config.QUEUE_RECORDS,
    queueBytes: config.QUEUE_BYTES,
    batchRecords: BATCH_RECORDS,
    batchBytes: config.BATCH_BYTES,
  },
  search: { maxBytes: config.STATUS_READ_BYTES, timeoutMs: config.STATUS_TIMEOUT_MS },
  probeIntervalMs: config.KAFKA_PROBE_INTERVAL_MS,
  ...(config.KAFKA_CREATE_TOPIC && {
    create: {
      partitions: config.KAFKA_TOPIC_PARTITIONS,
      replicationFactor: config.KAFKA_TOPIC_REPLICATION_FACTOR,
    },
  }),
  now: systemClock,
});

/** @param isIndexed whether many submissions are looked up: without a shared store, only those of unknown outcome */
const openLog = (
  config: Config,
  settings: KafkaSettings,
  isIndexed: boolean,
  logger: Logger,
  observer: ProduceObserver,
) => {
  const options = logOptions(config, settings);
  return openKafkaLog({
    ...options,
    search: {
      ...options.search,
      ...(isIndexed && { index: submissionIndex(config.STATUS_WINDOW_MS) }),
    },
    needs: {
      recordAgeMs: recordAgeMs(config),
      // What a claim's lease has left when its record is sent for the last time.
      clockDifferenceMs: config.KAFKA_REQUEST_TIMEOUT_MS,
      keptMs: config.STATUS_WINDOW_MS,
    },
    logger,
    observer,
  });
};

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
  const log = openLog(config, settings, isIndexed, logger, intakeMetrics);
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
        ...logOptions(config, { ...settings, topic, clientId: `${settings.clientId}-${suffix}` }),
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
