import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@workspace/logging';
import {
  type AppendResult,
  createProducerQueue,
  type PartitionedRecord,
  type ProducerQueue,
  type QueueLimits,
} from './producer-queue.ts';
import { AppendError } from '../../application/operation-log.ts';
import { type KafkaSettings, longestSendMs, reasonOf } from './kafka-settings.ts';
import { type BatchProducer, openBatchProducer, type SendReport } from './batch-producer.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** How long a rejected send speaks against Kafka when no later one speaks for it: an unready service gets no requests. */
const REJECTION_COUNTS_MS = 5_000;

/** What happens inside the log, for counters. */
export interface KafkaLogObserver {
  sent(report: SendReport): void;
  producerReplaced(): void;
  settled(outcome: 'acknowledged' | 'rejected' | 'unknown'): void;
}

export interface QueuedProducerOptions {
  settings: KafkaSettings;
  limits: QueueLimits;
  leaderOf: (partition: number) => number;
  logger: Logger;
  observer?: Partial<KafkaLogObserver>;
  /** records after which a producer is replaced, before its sequence numbers run out */
  recordsPerProducer?: number;
}

const outcomeOf = (result: AppendResult): 'acknowledged' | 'rejected' | 'unknown' => {
  if (!(result instanceof AppendError)) return 'acknowledged';
  return result.outcome === 'unknown' ? 'unknown' : 'rejected';
};

/** A producer queue with the producer it sends by, replaced whenever it may not be used any more. */
export interface QueuedProducer extends ProducerQueue {
  /** why records are not taken now: no producer, the last send was rejected, or one does not end */
  readonly error: string | undefined;
  /** resolves after the first attempt to connect, whatever came of it */
  readonly attempted: Promise<void>;
  /** Sends what waits, then closes the producer. */
  close(): Promise<void>;
}

export const openQueuedProducer = (options: QueuedProducerOptions): QueuedProducer => {
  const { settings, logger, observer } = options;
  const closing = new AbortController();
  let producer: BatchProducer | undefined;
  let connectionError: string | undefined = 'connecting';
  let retire: () => void = () => undefined;
  let rejection: { reason: string; at: number } | undefined;
  let sendingSince: number | undefined;
  let onAttempted: () => void = () => undefined;
  const attempted = new Promise<void>((resolve) => (onAttempted = resolve));

  const send = async (batch: readonly PartitionedRecord[]): Promise<readonly AppendResult[]> => {
    if (!producer) throw new Error('a queue without a producer does not send');
    sendingSince = performance.now();
    const results = await producer.send(batch);
    sendingSince = undefined;
    if (producer.retired) {
      queue.pause();
      retire();
    }
    rejection = undefined;
    for (const result of results) {
      observer?.settled?.(outcomeOf(result));
      if (!(result instanceof AppendError) || result.failure === 'record-too-large') continue;
      rejection = { reason: reasonOf(result.cause), at: performance.now() };
    }
    return results;
  };
  const queue = createProducerQueue({ send, leaderOf: options.leaderOf, limits: options.limits });

  const report = (sent: SendReport): void => {
    observer?.sent?.(sent);
    if (sent.error === undefined) return;
    const { records, frames, error } = sent;
    logger.warn({ records, frames, reason: reasonOf(error) }, 'send failed; replacing the producer');
    logger.debug({ err: error }, 'the failed send');
  };

  /** A new producer, as nothing in kafkajs reconnects after a failed connect. Without one, records are rejected at once. */
  const connect = async (): Promise<BatchProducer | undefined> => {
    try {
      const opened = await openBatchProducer(
        settings,
        logger,
        report,
        closing.signal,
        options.recordsPerProducer,
      );
      connectionError = undefined;
      logger.info('producer connected');
      return opened;
    } catch (error) {
      const reason = reasonOf(error);
      if (connectionError !== reason)
        logger.warn({ reason }, 'no connection to Kafka; rejecting submissions');
      connectionError = reason;
      queue.fail(error);
      return undefined;
    }
  };

  const sendError = (): string | undefined => {
    const now = performance.now();
    if (sendingSince !== undefined && now - sendingSince > 2 * longestSendMs(settings)) {
      return 'a send is not answered';
    }
    return rejection && now - rejection.at < REJECTION_COUNTS_MS ? rejection.reason : undefined;
  };

  const keepProducer = async (): Promise<void> => {
    let pause = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      producer = await connect();
      if (!producer) {
        onAttempted();
        await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        continue;
      }
      pause = FIRST_PAUSE_MS;
      const retired = new Promise<void>((resolve) => (retire = resolve));
      queue.resume();
      onAttempted();
      if (!closing.signal.aborted) await retired;
      producer.discard();
      producer = undefined;
      connectionError = 'replacing the producer';
      if (!closing.signal.aborted) observer?.producerReplaced?.();
    }
    queue.fail(new Error('closed'));
  };
  const keeping = keepProducer();

  return {
    ...queue,
    attempted,
    get error() {
      return sendError() ?? connectionError;
    },
    close: async () => {
      await queue.drain();
      closing.abort();
      retire();
      await keeping;
    },
  };
};
