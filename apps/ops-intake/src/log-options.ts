import { submissionIndex } from './adapters/kafka/kafka-log.ts';
import { type Config, recordAgeMs } from './config.ts';

/** Submissions in one batch at most: larger ones would delay the answers to all of them. */
const BATCH_RECORDS = 500;

/** What connections to Kafka take of the settings of the core. */
export const kafkaSettings = (config: Config) => ({
  clientId: config.KAFKA_CLIENT_ID,
  topic: config.KAFKA_TOPIC,
  connectionTimeoutMs: config.KAFKA_CONNECTION_TIMEOUT_MS,
  requestTimeoutMs: config.KAFKA_REQUEST_TIMEOUT_MS,
  deliveryTimeoutMs: config.KAFKA_DELIVERY_TIMEOUT_MS,
});

/** What every log needs, also one that is not searched. */
export const logOptions = (config: Config) => ({
  limits: {
    queueRecords: config.QUEUE_RECORDS,
    queueBytes: config.QUEUE_BYTES,
    batchRecords: BATCH_RECORDS,
    batchBytes: config.BATCH_BYTES,
  },
  search: { maxBytes: config.STATUS_READ_BYTES, timeoutMs: config.STATUS_TIMEOUT_MS },
  probeIntervalMs: config.KAFKA_PROBE_INTERVAL_MS,
});

/**
 * What the log of submissions needs.
 * @param isIndexed whether many submissions are looked up: without a shared store, only those of unknown outcome
 */
export const submissionLogOptions = (config: Config, isIndexed: boolean) => {
  const options = logOptions(config);
  return {
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
  };
};
