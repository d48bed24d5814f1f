import { Partitioners } from 'kafkajs';
import type { LaneLimits } from '../../domain/lane.ts';
import {
  AppendError,
  type Appending,
  type LogRecord,
  type OperationLog,
} from '../../domain/operation-log.ts';
import { type KafkaLane, type KafkaLaneOptions, openKafkaLane } from './kafka-lane.ts';
import { type NewTopic, type TopicView, watchTopic } from './topic-probe.ts';

export interface KafkaLogOptions extends Omit<KafkaLaneOptions, 'leaderOf'> {
  lanes: number;
  limits: LaneLimits;
  probeIntervalMs: number;
  /** makes a missing topic; undefined leaves that to the operator */
  create?: NewTopic;
  now: () => Date;
}

/** The log, and when it is known whether Kafka is there. */
export interface KafkaLog extends OperationLog {
  /** resolves when the topic was looked at and every lane has tried to connect once, whatever came of it */
  readonly looked: Promise<void>;
}

/**
 * The operation log on Kafka, by kafkajs. Listens to nobody and blocks nobody: it returns at once and connects in the
 * background, for ever. Each lane owns the partitions whose number leaves its own when divided by the number of lanes.
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
  const lanes = Array.from({ length: options.lanes }, (_, number) =>
    openKafkaLane({ ...options, leaderOf, logger: options.logger.child({ lane: number }) }),
  );

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
    return (lanes[partition % lanes.length] as KafkaLane).append({ record, partition });
  };

  return {
    append,
    looked: Promise.all([probe.looked, ...lanes.map(({ tried }) => tried)]).then(() => undefined),
    isFull: () => lanes.every((lane) => lane.isFull()),
    status: () => {
      const error = view.error ?? lanes.find((lane) => lane.fault !== undefined)?.fault;
      return {
        connected: error === undefined && view.leaders !== undefined,
        ...(view.latencyMs !== undefined && { latencyMs: view.latencyMs }),
        ...(view.checkedAt && { checkedAt: view.checkedAt }),
        ...(error !== undefined && { error }),
        ...(view.warning !== undefined && { warning: view.warning }),
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
