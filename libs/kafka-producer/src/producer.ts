import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@workspace/logging';
import {
  AppendError,
  type AppendFailure,
  type AppendListener,
  type LogRecord,
  type PendingAppend,
} from './record.ts';
import type { BrokerConnection } from './wire/broker-connection.ts';
import { NO_LEADER, type NewTopic, openCluster } from './cluster/cluster.ts';
import { type KafkaSettings, reasonOf } from './settings.ts';
import { partitionOfKey } from './partition/partition-of-key.ts';
import {
  createPartitionProducer,
  type PartitionProducer,
  type PartitionRoute,
} from './partition/partition-producer.ts';
import { createProduceChannel, type ProduceChannel } from './cluster/produce-channel.ts';
import { createQueueDepth, type QueueLimits, recordBytes } from './partition/queue-depth.ts';
import type { ProducerIdentity } from './wire/record-batch.ts';
import type { BatchLimits } from './partition/record-queue.ts';
import {
  createRecordSearch,
  type RecordQuery,
  type SearchLimits,
  type SearchResult,
} from './search/record-search.ts';
import type { ProduceObserver } from './partition/sequenced-batches.ts';
import { type TopicView, watchTopic } from './cluster/topic-probe.ts';
import type { UnderReplication } from './cluster/topic-replication.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** A batch that timed out is given longer each time, or a broker that is slower than our patience would never be heard. */
const LONGEST_PATIENCE = 8;
/** Requests that may time out, one after the other, before waiting submissions are no longer kept waiting. */
const TIMEOUTS_BEFORE_REJECTION = 2;

export interface ProducerOptions {
  settings: KafkaSettings;
  limits: QueueLimits & BatchLimits;
  search: SearchLimits;
  probeIntervalMs: number;
  /** creates a missing topic; undefined leaves that to the operator */
  create?: NewTopic;
  now: () => Date;
  logger: Logger;
  observer?: Partial<ProduceObserver>;
  /** where sequence numbers begin; not 0 only in tests */
  firstSequence?: number;
}

export interface ProducerStatus {
  /** whether the topic's leaders answer and records are taken */
  readonly connected: boolean;
  /** time the last probe took, when it was answered */
  readonly latencyMs?: number;
  /** when the last probe ended */
  readonly checkedAt?: Date;
  /** why it is not connected, for an operator */
  readonly error?: string;
  /** what an operator has to act on although records are taken: replication that can lose acknowledged records */
  readonly warning?: string;
  /** how many partitions lack in-sync replicas, and what follows; absent while none does */
  readonly underReplication?: UnderReplication;
  /** what waits or is being sent now */
  readonly queued: { readonly records: number; readonly bytes: number };
}

/** Writes records to one topic, each acknowledged once every in-sync replica has it, and searches the topic. */
export interface Producer {
  /** @param listener may be called before this returns */
  append(record: LogRecord, listener: AppendListener): PendingAppend;
  /** whether any record would be rejected as `queue-full` now */
  isFull(): boolean;
  status(): ProducerStatus;
  /** Searches the topic for a record. @throws TopicUnreadable */
  find(query: RecordQuery): Promise<SearchResult>;
  /** resolves when the topic was probed and every leader was tried once, whatever the result */
  readonly probed: Promise<void>;
  /** Sends what is waiting, then closes. */
  close(): Promise<void>;
}

/**
 * Opens a producer. It returns at once and keeps connecting in the background. Each partition has its own
 * queue and its own sequence numbers; partitions of one leader share its connection and its requests.
 */
export const openProducer = (options: ProducerOptions): Producer => {
  const { settings, limits, logger, observer } = options;
  const { topic, clientId, requestTimeoutMs } = settings;
  const cluster = openCluster(settings);
  const search = createRecordSearch({ settings, ...options.search, logger });
  const closing = new AbortController();
  let isClosing = false;
  const depth = createQueueDepth(limits);
  const producers: PartitionProducer[] = [];
  const channels = new WeakMap<BrokerConnection, ProduceChannel>();
  let view: TopicView = {};
  /** as last seen: a probe that fails costs readiness, and never changes where records go */
  let leaders: readonly number[] = [];
  let identity: Promise<ProducerIdentity> | undefined;
  let current: ProducerIdentity | undefined;

  const channelOf = async (partition: number): Promise<ProduceChannel> => {
    const leader = leaders[partition] ?? NO_LEADER;
    if (leader === NO_LEADER) throw new Error(`partition ${partition} has no leader`);
    const connection = await cluster.connectionTo(leader);
    let channel = channels.get(connection);
    if (!channel) {
      channel = createProduceChannel(connection, { topic, clientId });
      channels.set(connection, channel);
    }
    return channel;
  };

  /** One producer id for all partitions, until a broker no longer follows it. */
  const identityOtherThan = async (rejected: ProducerIdentity | undefined): Promise<ProducerIdentity> => {
    if (rejected !== undefined && rejected === current) identity = undefined;
    const asked = (identity ??= cluster.newProducerIdentity());
    try {
      current = await asked;
      return current;
    } catch (error) {
      if (identity === asked) identity = undefined;
      throw error;
    }
  };

  const readLeaders = (): Promise<void> =>
    cluster.topicMetadata().then(
      (metadata) => void (leaders = metadata.leaders),
      // The next attempt says what is wrong; the probe says it to operators.
      () => undefined,
    );

  const route: PartitionRoute = {
    connect: async (partition) => void (await channelOf(partition)),
    identity: identityOtherThan,
    produce: async (partition, take, failures) => {
      const timeoutMs = requestTimeoutMs * Math.min(2 ** failures, LONGEST_PATIENCE);
      return (await channelOf(partition)).produce(partition, take, timeoutMs);
    },
    recover: async (failures) => {
      if (closing.signal.aborted) return;
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
      const paused = sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined);
      await Promise.all([readLeaders(), paused]);
    },
  };

  const addProducer = (partition: number): void => {
    let lastReason: string | undefined;
    producers[partition] = createPartitionProducer({
      topic,
      partition,
      route,
      depth,
      limits,
      holdMs: TIMEOUTS_BEFORE_REJECTION * requestTimeoutMs,
      deliveryTimeoutMs: settings.deliveryTimeoutMs,
      now: () => performance.now(),
      timestamp: () => options.now().getTime(),
      ...(options.firstSequence !== undefined && { firstSequence: options.firstSequence }),
      observer: {
        settled: (outcome, records) => observer?.settled?.(outcome, records),
        producerIdRenewed: () => {
          logger.warn({ partition }, 'producer id renewed');
          observer?.producerIdRenewed?.();
        },
        sent: (attempt) => {
          observer?.sent?.(attempt);
          const { records, error } = attempt;
          const reason = error === undefined ? undefined : reasonOf(error);
          if (reason !== undefined && reason !== lastReason)
            logger.warn({ partition, records, reason }, 'batch not acknowledged');
          else if (reason === undefined && lastReason !== undefined)
            logger.info({ partition }, 'batches acknowledged again');
          lastReason = reason;
        },
      },
    });
  };

  const onView = (seen: TopicView): void => {
    view = seen;
    if (!seen.leaders) return;
    leaders = seen.leaders;
    if (closing.signal.aborted) return;
    for (let partition = producers.length; partition < leaders.length; partition += 1) addProducer(partition);
  };
  const probe = watchTopic(cluster, {
    topic,
    intervalMs: options.probeIntervalMs,
    now: options.now,
    logger,
    onView,
    ...(options.create && { create: options.create }),
  });

  const append: Producer['append'] = (record, listener) => {
    const rejected = (failure: AppendFailure, cause?: unknown): PendingAppend => {
      listener.failed(new AppendError(failure, 'not-published', cause === undefined ? undefined : { cause }));
      return { withdraw: () => false };
    };
    if (isClosing) return rejected('closed');
    if (leaders.length === 0)
      return rejected('log-unavailable', new Error(view.error ?? 'the topic has not been seen yet'));
    const producer = producers[partitionOfKey(record.key, leaders.length)];
    if (!producer) return rejected('log-unavailable', new Error('the partition has not been seen yet'));
    const bytes = recordBytes(record);
    if (!depth.enter(bytes)) return rejected('queue-full');
    return producer.append(record, bytes, listener);
  };

  return {
    append,
    find: search.find,
    probed: probe.probed.then(() => Promise.all(producers.map(({ tried }) => tried))).then(() => undefined),
    isFull: () => depth.isFull,
    status: () => {
      const failed = producers.find((producer) => producer.error !== undefined)?.error;
      const error = view.error ?? (failed === undefined ? undefined : reasonOf(failed));
      return {
        connected: error === undefined && view.leaders !== undefined,
        ...(view.latencyMs !== undefined && { latencyMs: view.latencyMs }),
        ...(view.checkedAt && { checkedAt: view.checkedAt }),
        ...(error !== undefined && { error }),
        ...(view.warning !== undefined && { warning: view.warning }),
        ...(view.underReplication && { underReplication: view.underReplication }),
        queued: { records: depth.records, bytes: depth.bytes },
      };
    },
    close: async () => {
      const patience = new AbortController();
      const enough = sleep(TIMEOUTS_BEFORE_REJECTION * requestTimeoutMs, undefined, {
        signal: patience.signal,
      }).catch(() => undefined);
      isClosing = true;
      await Promise.race([depth.emptied(), enough]);
      patience.abort();
      closing.abort();
      cluster.close();
      search.close();
      await Promise.all(producers.map((producer) => producer.stop()));
      await probe.close();
    },
  };
};
