import type { ConnectionOptions } from 'node:tls';
import {
  Kafka,
  type KafkaConfig,
  type KafkaJSProtocolError,
  logLevel,
  type RetryOptions,
  type SASLOptions,
} from 'kafkajs';
import type { Logger } from '@workspace/logging';

/** How to reach a Kafka cluster and how patient to be with it. */
export interface KafkaSettings {
  brokers: string[];
  clientId: string;
  topic: string;
  /** milliseconds for a TCP or TLS connection to open */
  connectionTimeoutMs: number;
  /** milliseconds for one request to be answered */
  requestTimeoutMs: number;
  /** attempts after the first; a send is given up after (retries + 1) × requestTimeoutMs + pauses */
  retries: number;
  ssl?: ConnectionOptions;
  sasl?: SASLOptions;
}

/** kafkajs pauses no longer between two attempts. */
const LONGEST_PAUSE_MS = 500;

/**
 * Every field is set: kafkajs has other defaults under NODE_ENV=test, and retries on two layers (the client's govern
 * reconnects, the producer's govern sends).
 */
export const retryOptions = (retries: number): Required<Omit<RetryOptions, 'restartOnFailure'>> => ({
  retries,
  initialRetryTime: 100,
  maxRetryTime: LONGEST_PAUSE_MS,
  factor: 0.2,
  multiplier: 2,
});

/** How long a send may take, reconnecting before each attempt, before kafkajs gives it up. */
export const longestSendMs = (
  settings: Pick<KafkaSettings, 'retries' | 'connectionTimeoutMs' | 'requestTimeoutMs'>,
): number =>
  (settings.retries + 1) * (settings.connectionTimeoutMs + settings.requestTimeoutMs + LONGEST_PAUSE_MS);

/** kafkajs speaks of every attempt; what matters to an operator is said by this adapter, so its words are for debugging. */
const logCreator =
  (logger: Logger): NonNullable<KafkaConfig['logCreator']> =>
  () =>
  ({ level, namespace, log: { message, ...fields } }) => {
    const write = level <= logLevel.WARN ? 'debug' : 'trace';
    logger[write]({ kafkajs: namespace, broker: fields['broker'], reason: fields['error'] }, message);
  };

/** A kafkajs client with everything explicit. */
export const newKafka = (
  settings: KafkaSettings,
  logger: Logger,
  socketFactory: NonNullable<KafkaConfig['socketFactory']>,
  retries = settings.retries,
): Kafka =>
  new Kafka({
    brokers: settings.brokers,
    clientId: settings.clientId,
    connectionTimeout: settings.connectionTimeoutMs,
    authenticationTimeout: settings.requestTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: retryOptions(retries),
    socketFactory,
    logLevel: logger.isLevelEnabled('trace') ? logLevel.DEBUG : logLevel.WARN,
    logCreator: logCreator(logger),
    ...(settings.ssl && { ssl: settings.ssl }),
    ...(settings.sasl && { sasl: settings.sasl }),
  });

type ProblemError = Partial<KafkaJSProtocolError>;

/**
 * The broker's own name for what it refused, else the client's words. kafkajs wraps it as the cause, or for the creation
 * of topics in a list; and its classes are no ES exports.
 */
export const reasonOf = (error: unknown): string => {
  const { type, cause, errors } = error as ProblemError & {
    cause?: ProblemError;
    errors?: readonly ProblemError[];
  };
  return type ?? cause?.type ?? errors?.[0]?.type ?? (error instanceof Error ? error.message : String(error));
};
