import type { ConnectionOptions } from 'node:tls';
import type { KafkaJSProtocolError, SASLOptions } from './wire/kafkajs-protocol.ts';

/** How to reach a Kafka cluster and how patient to be with it. */
export interface KafkaSettings {
  brokers: string[];
  clientId: string;
  topic: string;
  /** milliseconds for a TCP or TLS connection to open */
  connectionTimeoutMs: number;
  /** milliseconds for one request to be answered */
  requestTimeoutMs: number;
  /** milliseconds after which a batch that may be in the log is no longer sent again */
  deliveryTimeoutMs: number;
  ssl?: ConnectionOptions;
  sasl?: SASLOptions;
}

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

/** A reason without its address, to log it once: with several brokers gone, each attempt may end at another. */
export const kindOfReason = (reason: string | undefined): string | undefined =>
  reason?.replace(/\S+:\d+/g, '');
