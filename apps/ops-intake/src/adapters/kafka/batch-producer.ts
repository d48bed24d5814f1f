import type { Socket } from 'node:net';
import type { Producer } from 'kafkajs';
import type { Logger } from '@workspace/logging';
import type { PartitionedRecord, AppendResult } from './producer-queue.ts';
import { AppendError } from '../../application/operation-log.ts';
import { framedSocketFactory } from './framed-socket.ts';
import { type KafkaSettings, newKafka, retryOptions } from './kafka-settings.ts';
import { createProduceTracker, type ProduceTracker } from './produce-tracker.ts';

const ALL_REPLICAS = -1;
const MESSAGE_TOO_LARGE = 10;
const RECORD_LIST_TOO_LARGE = 18;
/** Sequence numbers are int32 and kafkajs wraps them wrongly; a producer retires long before. */
const RECORDS_PER_PRODUCER = 2 ** 30;

/** A connected idempotent producer that is used until its first rejected send, and never after. */
export interface BatchProducer {
  /** Sends one batch and reports on each record. Never rejects. One call at a time. */
  send(batch: readonly PartitionedRecord[]): Promise<AppendResult[]>;
  /** not to be used any more: a send was rejected, or the sequence numbers run out */
  readonly retired: boolean;
  /** Cuts its connections; a frame may still be on its way, so what it wrote stays written. */
  discard(): void;
}

/** The producer connects, but its `producerId` may be missing after a failure: then kafkajs would send unprotected. */
const connect = async (producer: Producer, cut: () => void, stop: AbortSignal): Promise<void> => {
  let closed: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    closed = () => reject(new Error('closed'));
    stop.addEventListener('abort', closed);
  });
  try {
    await Promise.race([producer.connect(), stopped]);
  } catch (error) {
    cut();
    throw error;
  } finally {
    stop.removeEventListener('abort', closed);
  }
};

const resultOf = (tracker: ProduceTracker, topic: string, partition: number, cause: unknown) => {
  const outcome = tracker.outcome(partition);
  if (outcome === 'unknown') return new AppendError('log-unavailable', 'unknown', { cause });
  if ('acknowledged' in outcome) return { topic, partition, offset: outcome.acknowledged };
  const tooLarge = outcome.rejected === MESSAGE_TOO_LARGE || outcome.rejected === RECORD_LIST_TOO_LARGE;
  return new AppendError(tooLarge ? 'record-too-large' : 'log-unavailable', 'not-published', { cause });
};

/** Offsets of the records of each partition count up from the batch's base offset. */
const numbered = (
  batch: readonly PartitionedRecord[],
  first: (partition: number) => AppendResult,
): AppendResult[] => {
  const firsts = new Map<number, AppendResult>();
  const taken = new Map<number, number>();
  return batch.map(({ partition }) => {
    let result = firsts.get(partition);
    if (!result) firsts.set(partition, (result = first(partition)));
    if (result instanceof AppendError) return result;
    const index = taken.get(partition) ?? 0;
    taken.set(partition, index + 1);
    return index === 0 ? result : { ...result, offset: result.offset + index };
  });
};

/** What happened to one send, for logs and counters. */
export interface SendReport {
  records: number;
  milliseconds: number;
  /** Produce frames written; 0 when the broker was never reached */
  frames: number;
  error?: unknown;
}

/**
 * Connects a new idempotent producer with its own client and its own tracker of Produce requests.
 * @param stop ends the wait for a broker that takes connections and says nothing
 * @throws what kafkajs throws when the broker cannot be reached; nothing is left open then
 */
export const openBatchProducer = async (
  settings: KafkaSettings,
  logger: Logger,
  report: (report: SendReport) => void,
  stop: AbortSignal,
  recordsPerProducer = RECORDS_PER_PRODUCER,
): Promise<BatchProducer> => {
  const tracker = createProduceTracker();
  const sockets = new Set<Socket>();
  const kafka = newKafka(settings, logger, framedSocketFactory(tracker.connection, sockets));
  const producer = kafka.producer({
    idempotent: true,
    allowAutoTopicCreation: false,
    retry: retryOptions(settings.retries),
    // The partition is chosen before: a partitioner that runs again on each retry would turn retries into duplicates.
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition as number,
  });
  const discard = (): void => {
    for (const socket of sockets) socket.destroy();
    producer.disconnect().catch((error: unknown) => logger.debug({ err: error }, 'discarding a producer'));
  };
  await connect(producer, discard, stop);

  let retired = false;
  let sent = 0;
  const send = async (batch: readonly PartitionedRecord[]): Promise<AppendResult[]> => {
    tracker.begin();
    const started = performance.now();
    let error: unknown;
    try {
      await producer.send({
        topic: settings.topic,
        acks: ALL_REPLICAS,
        // The broker gives up before we do, so that a late answer is an answer and not a timeout of ours.
        timeout: Math.floor(settings.requestTimeoutMs * 0.9),
        messages: batch.map(({ record, partition }) => ({
          key: record.key,
          value: record.value,
          headers: record.headers,
          partition,
        })),
      });
    } catch (cause) {
      error = cause;
      retired = true;
    }
    sent += batch.length;
    retired ||= sent >= recordsPerProducer;
    const milliseconds = performance.now() - started;
    report({ records: batch.length, milliseconds, frames: tracker.written, error });
    // The wire decides, also after success: kafkajs can resolve without having sent a partition whose leader moved.
    return numbered(batch, (partition) => resultOf(tracker, settings.topic, partition, error));
  };
  return {
    send,
    get retired() {
      return retired;
    },
    discard,
  };
};
