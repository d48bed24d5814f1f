import type { ConnectionSettings } from './wire/broker-connection.ts';
import type { KafkaJSProtocolError } from './wire/kafkajs-protocol.ts';

/** How to reach a Kafka cluster and how patient to be with it. */
export interface KafkaSettings extends ConnectionSettings {
  /** `host:port` or `[IPv6 address]:port` */
  brokers: string[];
  topic: string;
  /** milliseconds after which a batch that may be in the log is no longer sent again */
  deliveryTimeoutMs: number;
}

type ProblemError = Partial<KafkaJSProtocolError>;

/**
 * The broker's own name of its error, else the client's message. kafkajs wraps it as the cause, or for the creation
 * of topics in a list, as Node does for a name with several addresses; and its classes are no ES exports.
 */
export const reasonOf = (error: unknown): string => {
  const { type, cause, errors } = error as ProblemError & {
    cause?: ProblemError;
    errors?: readonly ProblemError[];
  };
  const first = errors?.[0];
  return (
    type ??
    cause?.type ??
    first?.type ??
    first?.message ??
    (error instanceof Error ? error.message : String(error))
  );
};

/** A reason without its address, to log it once: with several brokers gone, each attempt may end at another. */
export const kindOfReason = (reason: string | undefined): string | undefined =>
  reason?.replace(/\S+:\d+/g, '');
