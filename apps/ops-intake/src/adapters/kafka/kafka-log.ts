import { Partitioners } from 'kafkajs';
import type { QueueLimits } from './producer-queue.ts';
import {
  AppendError,
  type PendingAppend,
  type LogRecord,
  type OperationLog,
} from '../../application/operation-log.ts';
import { type QueuedProducer, type QueuedProducerOptions, openQueuedProducer } from './queued-producer.ts';
import { type NewTopic, type TopicView, watchTopic } from './topic-probe.ts';

export interface KafkaLogOptions extends Omit<QueuedProducerOptions, 'leaderOf'> {
  /** how many producers send side by side */
  producers: number;
  limits: QueueLimits;
  probeIntervalMs: number;
  /** makes a missing topic; undefined leaves that to the operator */
  create?: NewTopic;
  now: () => Date;
}

/** The log, and when it is known whether Kafka is there. */
export interface KafkaLog extends OperationLog {
  /** resolves when the topic was probed and every producer has tried to connect once, whatever came of it */
  readonly probed: Promise<void>;
}

/**
 * The operation log on Kafka, by kafkajs. It returns at once and keeps connecting in the background. Each
 * producer owns the partitions whose number modulo the number of producers is its own.
 */
export const openKafkaLog = (options: KafkaLogOptions): KafkaLog => {
  const { settings } = options;
  const choosePartition = Partitioners.DefaultPartitioner();
  let view: TopicView = {};
  /** as last seen: a probe that fails costs readiness, and never changes where records go */
  let leaders: readonly number[] = [];
  let partitionMetadata: Parameters<typeof choosePartition>[0]['partitionMetadata'] = [];

  const onView = (seen: TopicView): void => {
    view = seen;
    if (!seen.leaders) return;
    leaders = seen.leaders;
    if (leaders.length === partitionMetadata.length) return;
    partitionMetadata = leaders.map((leader, partitionId) => {
      return { partitionId, leader, partitionErrorCode: 0, replicas: [], isr: [] };
    });
  };
  const probe = watchTopic(settings, {
    intervalMs: options.probeIntervalMs,
    now: options.now,
    logger: options.logger,
    onView,
    ...(options.create && { create: options.create }),
  });
  const leaderOf = (partition: number): number => leaders[partition] ?? 0;
  const producers = Array.from({ length: options.producers }, (_, number) =>
    openQueuedProducer({ ...options, leaderOf, logger: options.logger.child({ producer: number }) }),
  );

  const append = (record: LogRecord): PendingAppend => {
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
    return (producers[partition % producers.length] as QueuedProducer).append({ record, partition });
  };

  return {
    append,
    probed: Promise.all([probe.probed, ...producers.map(({ attempted }) => attempted)]).then(() => undefined),
    isFull: () => producers.every((producer) => producer.isFull()),
    status: () => {
      const error = view.error ?? producers.find((producer) => producer.error !== undefined)?.error;
      return {
        connected: error === undefined && view.leaders !== undefined,
        ...(view.latencyMs !== undefined && { latencyMs: view.latencyMs }),
        ...(view.checkedAt && { checkedAt: view.checkedAt }),
        ...(error !== undefined && { error }),
        ...(view.warning !== undefined && { warning: view.warning }),
        queued: {
          records: producers.reduce((sum, { depth }) => sum + depth.records, 0),
          bytes: producers.reduce((sum, { depth }) => sum + depth.bytes, 0),
        },
      };
    },
    close: async () => {
      await Promise.all(producers.map((producer) => producer.close()));
      await probe.close();
    },
  };
};
