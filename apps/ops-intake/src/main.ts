import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaSettings, ProduceObserver } from '@workspace/kafka-producer';
import { createLogger, type Logger } from '@workspace/logging';
import {
  ConfigError,
  createDrain,
  createMetrics,
  currentSecret,
  openTelemetry,
  run,
  startService,
  StartupError,
  systemClock,
  systemTimers,
} from '@workspace/service-kit';
import manifest from '../package.json' with { type: 'json' };
import { createMicrosecondClock } from './adapters/clock/microsecond-clock.ts';
import { createMemoryStore } from './adapters/memory/memory-store.ts';
import type { RedisStore } from './adapters/redis/redis-store.ts';
import { openKafkaLog, submissionIndex } from './adapters/kafka/kafka-log.ts';
import { kafkaSettingsOf } from './adapters/kafka/kafka-settings.ts';
import { addSchemaIds } from './adapters/kafka/schema-ids.ts';
import { recordProducerSpans } from './adapters/opentelemetry/record-spans.ts';
import { recordRedisSpans } from './adapters/opentelemetry/redis-spans.ts';
import { createIntakeMetrics, type IntakeMetrics } from './adapters/prometheus/intake-metrics.ts';
import { fillRandomly } from './adapters/random/random-pool.ts';
import { idsOfSchemas, SchemaNotRegistered } from './adapters/schema-registry/schema-registry.ts';
import { recordSchema } from './http/contract/async-api.ts';
import { buildApp } from './app.ts';
import { openOptions } from './extension-points.ts';
import { options } from './features.ts';
import { parseStrictJson } from './http/submit/strict-json.ts';
import {
  brokersOf,
  BUILT_IN,
  type Config,
  fallbackIds,
  idempotencyLeaseMs,
  isPostgresUrl,
  operationSchemaFiles,
  readSettings,
  recordAgeMs,
  subjectOf,
} from './config.ts';
import { RejectedSubmissions } from './application/rejected-submissions.ts';
import { BUILT_IN_SCHEMA, type OperationSchema } from './application/operation-schema.ts';
import type { IdempotencyStore, StoreObserver } from './application/idempotency-store.ts';
import type { NewestRecords } from './application/record-search.ts';

const { name, version } = manifest;

/**
 * Longest wait for Kafka's first probe and the key store before the port opens. Two brokers that hang take two seconds of
 * it, and on a busy host a connection takes seconds, too.
 */
const FIRST_PROBE_MS = 5_000;

/** How deep a schema may nest: deeper than what it describes. */
const SCHEMA_LEVELS = 64;

const openKafkaSettings = (config: Config): Promise<KafkaSettings> =>
  kafkaSettingsOf(config, brokersOf(config), (variable) => currentSecret(config, variable)).catch(
    ({ message }: Error) => {
      throw new ConfigError([message]);
    },
  );

/** What every log needs, also one that is not searched. */
const logOptions = (config: Config, settings: KafkaSettings) => ({
  settings,
  limits: {
    queueRecords: config.QUEUE_RECORDS,
    queueBytes: config.QUEUE_BYTES,
    batchRecords: config.BATCH_RECORDS,
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

const openLog = (config: Config, settings: KafkaSettings, logger: Logger, observer: ProduceObserver) => {
  const options = logOptions(config, settings);
  return openKafkaLog({
    ...options,
    search: {
      ...options.search,
      // Without a shared store, few keys are looked up: those of unknown outcome.
      ...(config.IDEMPOTENCY_STORE_URL && { index: submissionIndex(config.STATUS_WINDOW_MS) }),
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

/**
 * What writes rejected submissions: a client of its own, whose connections, queue and quota are not those of accepted ones.
 * Undefined without REJECTED_TOPIC.
 */
const openRejected = (config: Config, settings: KafkaSettings, logger: Logger, metrics: IntakeMetrics) => {
  const { REJECTED_TOPIC: topic } = config;
  if (topic === undefined) return undefined;
  const log = openKafkaLog({
    ...logOptions(config, { ...settings, topic, clientId: `${settings.clientId}-rejected` }),
    logger: logger.child({ of: 'rejected submissions' }),
  });
  const onOutcome = metrics.watchRejected(() => rejected.queued);
  const rejected = new RejectedSubmissions({
    log,
    withBodies: config.REJECTED_BODIES,
    bodyBytes: config.MAX_MESSAGE_BYTES,
    queueBytes: config.REJECTED_QUEUE_BYTES,
    timers: systemTimers,
    onOutcome,
  });
  return rejected;
};

const openStore = async (
  config: Config,
  logger: Logger,
  observer: StoreObserver,
  log: NewestRecords,
): Promise<IdempotencyStore & Partial<Pick<RedisStore, 'connected' | 'run'>>> => {
  const { IDEMPOTENCY_STORE_URL: url, IDEMPOTENCY_TTL_MS: ttlMs, IDEMPOTENCY_ENTRIES: entries } = config;
  const leaseMs = idempotencyLeaseMs(config);
  const sequenceTtlMs = config.SEQUENCE_TTL_MS;
  if (url === undefined) {
    const clocks = { now: systemClock, monotonic: systemTimers.now };
    return createMemoryStore({ ttlMs, sequenceTtlMs, leaseMs, entries, ...clocks });
  }
  const timeoutMs = config.IDEMPOTENCY_STORE_TIMEOUT_MS;
  const durability = config.IDEMPOTENCY_STORE_DURABILITY;
  const times = { ttlMs, sequenceTtlMs, leaseMs, timeoutMs, clock: systemClock, timers: systemTimers };
  const shared = { url, durability, ...times };
  // Only the driver that is needed is loaded.
  if (isPostgresUrl(url)) {
    const { openPostgresStore } = await import('./adapters/postgres/postgres-store.ts');
    return openPostgresStore({ ...shared, logger, observer, log });
  }
  const { openRedisStore } = await import('./adapters/redis/redis-store.ts');
  return openRedisStore({ ...shared, logger, observer, log });
};

/** The schemas of `OPERATION_SCHEMA_FILE`; one that cannot be used is a fault of the environment. */
const openOperationSchemas = async (
  config: Config,
  logger: Logger,
): Promise<readonly OperationSchema[] | undefined> => {
  const files = operationSchemaFiles(config);
  if (files === undefined) return undefined;
  const { readSchemaFiles, UnusableSchema } = await import('./adapters/json-schema/schema-files.ts');
  const limits = { operations: config.MAX_OPERATIONS, fractionDigits: config.MAX_FRACTION_DIGITS };
  const schemas = await readSchemaFiles({
    files,
    builtIn: BUILT_IN,
    parse: (text) => parseStrictJson(text, SCHEMA_LEVELS),
    limits,
  }).catch((error: Error) => {
    if (error instanceof UnusableSchema) throw new ConfigError([`OPERATION_SCHEMA_FILE: ${error.message}`]);
    throw error;
  });
  logger.info({ schemas: schemas.map(({ name }) => name) }, 'operations follow OPERATION_SCHEMA_FILE');
  return schemas;
};

/** The ids of schemas in the registry, by their `ce_type`; undefined without one. */
const openSchemaIds = async (
  config: Config,
  schemas: readonly OperationSchema[],
  logger: Logger,
): Promise<ReadonlyMap<string, number> | undefined> => {
  const { SCHEMA_REGISTRY_URL: url, SCHEMA_REGISTRY_USERNAME: username } = config;
  const { SCHEMA_REGISTRY_PASSWORD: password = '' } = config;
  if (url === undefined) return undefined;
  const limits = { operations: config.MAX_OPERATIONS, fractionDigits: config.MAX_FRACTION_DIGITS };
  const fallback = fallbackIds(config);
  const names = schemas.map((schema) => schema.name);
  if (![...fallback.keys()].every((name) => names.includes(name))) {
    throw new ConfigError([`SCHEMA_REGISTRY_FALLBACK_IDS must name schemas in use: ${names.join(', ')}`]);
  }
  const wanted = schemas.map((schema) => ({
    subject: subjectOf(config, schema.type),
    schema: recordSchema(schema, limits),
    fallbackId: fallback.get(schema.name),
  }));
  const ids = await idsOfSchemas(wanted, {
    url,
    login: username === undefined ? undefined : { username, password },
    register: config.SCHEMA_REGISTRY_REGISTER,
    waitMs: config.SCHEMA_REGISTRY_TIMEOUT_MS,
    logger,
  }).catch((error: unknown) => {
    if (error instanceof SchemaNotRegistered) throw new StartupError(`SCHEMA_REGISTRY_URL: ${error.message}`);
    throw error;
  });
  return new Map(schemas.map(({ type }, index) => [type, ids[index]!]));
};

await startService(async () => {
  const config = readSettings(options, process.env);
  const logger = createLogger({ name, level: config.LOG_LEVEL });
  process.removeAllListeners('warning').on('warning', (warning) => logger.warn({ err: warning }, 'warning'));

  const drain = createDrain();
  const metrics = createMetrics({ name, version });
  const telemetry = await openTelemetry({ name, version, config, metrics, logger });
  const tracing = telemetry?.tracing;
  if (tracing) recordRedisSpans(tracing);
  const intakeMetrics = createIntakeMetrics(metrics);
  const settings = await openKafkaSettings(config);
  const operationSchemas = await openOperationSchemas(config, logger);
  const schemaIds = await openSchemaIds(config, operationSchemas ?? [BUILT_IN_SCHEMA], logger);
  const log = openLog(config, settings, logger, intakeMetrics);
  const framing = config.SCHEMA_REGISTRY_FRAMING;
  const written = schemaIds ? addSchemaIds(log, { ids: schemaIds, framing }) : log;
  const rejected = openRejected(config, settings, logger, intakeMetrics);
  const store = await openStore(config, logger, intakeMetrics, log);
  intakeMetrics.watch(log, store);
  const { IDEMPOTENCY_STORE_URL: url } = config;
  const opened = await openOptions(options, config, {
    logger,
    clock: systemClock,
    timers: systemTimers,
    metrics,
    ...(url !== undefined && store.run && { runInKeyStore: { url, run: store.run } }),
  });
  const microseconds = config.AUDIT_TRAIL === undefined ? undefined : createMicrosecondClock();
  const app = buildApp({
    config,
    log: tracing ? recordProducerSpans(written, tracing, config.KAFKA_TOPIC) : written,
    store,
    search: log,
    operationSchemas,
    opened,
    logger,
    clock: systemClock,
    microseconds,
    instance: config.INSTANCE_NAME ?? hostname(),
    timers: systemTimers,
    fillRandomly,
    drain,
    version,
    metrics,
    tracing,
    onAccepted: intakeMetrics.accepted,
    bulkObserver: intakeMetrics,
    rejected,
  });
  app.addHook('onClose', async () => {
    for (const one of opened.toReversed()) await one.close?.();
    const rejectedClosed = rejected?.close();
    // The log settles the last keys: the store outlives it.
    await log.close();
    await store.close();
    const unwritten = await rejectedClosed;
    if (unwritten) logger.warn({ records: unwritten }, 'records of rejected submissions not written');
  });
  // Otherwise an instance that a rolling restart brings up would answer 503 until it knows its broker and its key store. The
  // management listener is open by then, and signals are handled.
  app.addHook('onReady', async () => {
    await Promise.race([Promise.all([log.probed, store.connected]), sleep(FIRST_PROBE_MS)]);
  });
  await run({ app, config, logger, drain, metrics, telemetry, version, ready: () => ({ ready: true }) });
});
