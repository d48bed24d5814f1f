import { setTimeout as sleep } from 'node:timers/promises';
import { Partitioners } from 'kafkajs';
import type { Logger } from '@workspace/logging';
import { createLane, type Lane, type LaneLimits } from '../../domain/lane.ts';
import {
  AppendError,
  type Appending,
  type LogRecord,
  type OperationLog,
} from '../../domain/operation-log.ts';
import { type KafkaSettings, reasonOf } from './kafka-settings.ts';
import { type LiveProducer, openLiveProducer, type SendReport } from './live-producer.ts';
import { type NewTopic, type TopicView, watchTopic } from './topic-probe.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/** What happens inside the log, for counters. */
export interface KafkaLogObserver {
  sent(report: SendReport): void;
  producerReplaced(): void;
  settled(outcome: 'acked' | 'not-published' | 'unknown'): void;
}

export interface KafkaLogOptions {
  settings: KafkaSettings;
  lanes: number;
  limits: LaneLimits;
  probeIntervalMs: number;
  create?: NewTopic;
  now: () => Date;
  logger: Logger;
  observer?: Partial<KafkaLogObserver>;
  /** records after which a producer is replaced, before its sequence numbers run out */
  recordsPerProducer?: number;
}

/** A lane with the producer it sends by, replaced whenever it may not be used any more. */
interface ProducerLane extends Lane {
  /** why it has no producer; undefined when it has */
  readonly fault: string | undefined;
  close(): Promise<void>;
}

const openLane = (options: KafkaLogOptions, number: number, leaderOf: (partition: number) => number) => {
  const { settings, observer } = options;
  const logger = options.logger.child({ lane: number });
  const closing = new AbortController();
  let live: LiveProducer | undefined;
  let fault: string | undefined = 'connecting';
  let retire: () => void = () => undefined;

  const lane = createLane({
    leaderOf,
    limits: options.limits,
    send: async (batch) => {
      if (!live) throw new Error('a lane without a producer is not open');
      const results = await live.send(batch);
      if (live.spent) {
        lane.hold();
        retire();
      }
      for (const result of results) {
        observer?.settled?.(result instanceof AppendError ? result.outcome : 'acked');
      }
      return results;
    },
  });

  const report = (sent: SendReport): void => {
    observer?.sent?.(sent);
    if (sent.error) {
      const { records, frames, error } = sent;
      logger.warn(
        { records, frames, reason: reasonOf(error) },
        'a send was rejected: replacing the producer',
      );
      logger.debug({ err: error }, 'the rejected send');
    }
  };

  /** Nothing in kafkajs reconnects after a failed connect, so a new producer is made for each try. */
  const keepProducer = async (): Promise<void> => {
    let pause = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      try {
        live = await openLiveProducer(settings, logger, report, options.recordsPerProducer);
      } catch (error) {
        if (fault !== reasonOf(error)) logger.warn({ reason: reasonOf(error) }, 'no producer');
        fault = reasonOf(error);
        lane.shut(error);
        await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        continue;
      }
      pause = FIRST_PAUSE_MS;
      fault = undefined;
      logger.info('producer connected');
      const retired = new Promise<void>((resolve) => (retire = resolve));
      lane.open();
      if (!closing.signal.aborted) await retired;
      live.discard();
      live = undefined;
      fault = 'replacing the producer';
      if (!closing.signal.aborted) observer?.producerReplaced?.();
    }
    lane.shut(new Error('closed'));
  };
  const keeping = keepProducer();

  return {
    ...lane,
    get fault() {
      return fault;
    },
    close: async () => {
      await lane.drain();
      closing.abort();
      retire();
      await keeping;
    },
  } satisfies ProducerLane;
};

/**
 * The operation log on Kafka, by kafkajs. Listens to nobody and blocks nobody: it returns at once and connects in the
 * background, for ever. Each lane owns the partitions whose number leaves its own when divided by the number of lanes.
 */
export const openKafkaLog = (options: KafkaLogOptions): OperationLog => {
  const { settings } = options;
  const choosePartition = Partitioners.DefaultPartitioner();
  let view: TopicView = {};
  let partitionMetadata: Parameters<typeof choosePartition>[0]['partitionMetadata'] = [];

  const probe = watchTopic(settings, {
    intervalMs: options.probeIntervalMs,
    now: options.now,
    logger: options.logger,
    ...(options.create && { create: options.create }),
    onView: (seen) => {
      view = seen;
      if (seen.leaders && seen.leaders.length !== partitionMetadata.length) {
        partitionMetadata = seen.leaders.map((leader, partitionId) => ({
          partitionId,
          leader,
          partitionErrorCode: 0,
          replicas: [],
          isr: [],
        }));
      }
    },
  });
  const leaderOf = (partition: number): number => view.leaders?.[partition] ?? 0;
  const lanes = Array.from({ length: options.lanes }, (_, number) => openLane(options, number, leaderOf));

  const append = (record: LogRecord): Appending => {
    if (partitionMetadata.length === 0) {
      const cause = new Error(view.error ?? 'the topic has not been seen yet');
      const settled = Promise.reject(new AppendError('log-unavailable', 'not-published', { cause }));
      return { settled, withdraw: () => false };
    }
    const partition = choosePartition({
      topic: settings.topic,
      partitionMetadata,
      message: { key: record.key, value: record.value },
    });
    return (lanes[partition % lanes.length] as ProducerLane).append({ record, partition });
  };

  return {
    append,
    status: () => {
      const error = view.error ?? lanes.find((lane) => lane.fault !== undefined)?.fault;
      return {
        connected: error === undefined && view.leaders !== undefined,
        ...(view.latencyMs !== undefined && { latencyMs: view.latencyMs }),
        ...(view.checkedAt && { checkedAt: view.checkedAt }),
        ...(error !== undefined && { error }),
        queued: {
          records: lanes.reduce((sum, { depth }) => sum + depth.records, 0),
          bytes: lanes.reduce((sum, { depth }) => sum + depth.bytes, 0),
        },
      };
    },
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
      await probe.close();
    },
  };
};
