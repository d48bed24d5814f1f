import type { Socket } from 'node:net';
import type { Producer } from 'kafkajs';
import type { Logger } from '@workspace/logging';
import type { Routed, SendResult } from '../../domain/lane.ts';
import { AppendError } from '../../domain/operation-log.ts';
import { framedSocketFactory } from './framed-socket.ts';
import { type KafkaSettings, newKafka, retryOptions } from './kafka-settings.ts';
import { createProduceLedger, type ProduceLedger } from './produce-ledger.ts';

const ALL_REPLICAS = -1;
const MESSAGE_TOO_LARGE = 10;
const RECORD_LIST_TOO_LARGE = 18;
/** Sequence numbers are int32 and kafkajs wraps them wrongly; a producer retires long before. */
const RECORDS_PER_PRODUCER = 2 ** 30;

/** A connected idempotent producer that is used until its first rejected send, and never after. */
export interface LiveProducer {
  /** Sends one batch and reports on each record. Never rejects. One call at a time. */
  send(batch: readonly Routed[]): Promise<SendResult[]>;
  /** not to be used any more: a send was rejected, or the sequence numbers run out */
  readonly spent: boolean;
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

const resultOf = (ledger: ProduceLedger, topic: string, partition: number, cause: unknown) => {
  const verdict = ledger.verdict(partition);
  if (verdict === 'unknown') return new AppendError('log-unavailable', 'unknown', { cause });
  if ('acked' in verdict) return { topic, partition, offset: verdict.acked };
  const tooLarge = verdict.refused === MESSAGE_TOO_LARGE || verdict.refused === RECORD_LIST_TOO_LARGE;
  return new AppendError(tooLarge ? 'record-too-large' : 'log-unavailable', 'not-published', { cause });
};

/** Offsets of the records of each partition count up from the batch's base offset. */
const numbered = (batch: readonly Routed[], first: (partition: number) => SendResult): SendResult[] => {
  const firsts = new Map<number, SendResult>();
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

/** What the lane's owner wants to know of each send. */
export interface SendReport {
  records: number;
  milliseconds: number;
  /** Produce frames written; 0 when the broker was never reached */
  frames: number;
  error?: unknown;
}

/**
 * Connects a new idempotent producer with its own client and its own books.
 * @param stop ends the wait for a broker that takes connections and says nothing
 * @throws what kafkajs throws when the broker cannot be reached; nothing is left open then
 */
export const openLiveProducer = async (
  settings: KafkaSettings,
  logger: Logger,
  report: (report: SendReport) => void,
  stop: AbortSignal,
  recordsPerProducer = RECORDS_PER_PRODUCER,
): Promise<LiveProducer> => {
  const ledger = createProduceLedger();
  const sockets = new Set<Socket>();
  const kafka = newKafka(settings, logger, framedSocketFactory(ledger.connection, sockets));
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

  let spent = false;
  let sent = 0;
  const send = async (batch: readonly Routed[]): Promise<SendResult[]> => {
    ledger.begin();
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
      spent = true;
    }
    sent += batch.length;
    spent ||= sent >= recordsPerProducer;
    const milliseconds = performance.now() - started;
    report({ records: batch.length, milliseconds, frames: ledger.written, error });
    // The wire decides, also after success: kafkajs can resolve without having sent a partition whose leader moved.
    return numbered(batch, (partition) => resultOf(ledger, settings.topic, partition, error));
  };
  return {
    send,
    get spent() {
      return spent;
    },
    discard,
  };
};
