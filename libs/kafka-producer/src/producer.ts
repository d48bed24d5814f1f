import type { Logger } from '@workspace/logging';
import type {
  AppendListener,
  LogRecord,
  LogStatus,
  NotPublishedReason,
  PendingAppend,
} from '@workspace/schemas';
import { type NewTopic, openCluster } from './cluster/cluster.ts';
import { createLeaders } from './cluster/leaders.ts';
import { type TopicStatus, watchTopic } from './cluster/topic-probe.ts';
import type { TopicNeeds } from './cluster/topic-settings.ts';
import { partitionOfKey } from './partition/partition-of-key.ts';
import { PartitionProducer, TIMEOUTS_BEFORE_REJECTION } from './partition/partition-producer.ts';
import type { ProduceObserver } from './partition/produce-observer.ts';
import { createQueueDepth, type QueueLimits } from './partition/queue-depth.ts';
import type { BatchLimits } from './partition/record-queue.ts';
import { createRecordSearch, type RecordSearch, type SearchLimits } from './search/record-search.ts';
import { type KafkaSettings, reasonOf } from './settings.ts';
import { recordBytes } from './wire/record-batch.ts';
import { type Runtime, systemRuntime } from './wire/runtime.ts';

export interface ProducerOptions {
  settings: KafkaSettings;
  limits: QueueLimits & BatchLimits;
  search: SearchLimits;
  probeIntervalMs: number;
  /** what the settings of topic and brokers are compared with */
  needs?: TopicNeeds;
  /** creates a topic that is missing at the start; undefined leaves that to the operator */
  create?: NewTopic;
  now: () => Date;
  logger: Logger;
  observer?: Partial<ProduceObserver>;
  /** the system's own when left out; a simulation brings another */
  runtime?: Runtime;
}

/** Writes records to one topic, each acknowledged once every in-sync replica has it, and searches the topic. */
export interface Producer extends Pick<RecordSearch, 'find' | 'newest'> {
  /**
   * @param listener may be called before this returns
   * @param maxWaitMs how long the record may wait before it is sent; after that it never is
   */
  append(record: LogRecord, listener: AppendListener, maxWaitMs?: number): PendingAppend;
  /** whether any record would be rejected as `queue-full` now */
  isFull(): boolean;
  status(): LogStatus;
  /** Milliseconds since 1970 that it is at least by the clock of the cluster; undefined until that was measured. */
  time(): number | undefined;
  /** resolves when the topic was probed and every leader was tried once, whatever the result */
  readonly probed: Promise<void>;
  /** Sends what is waiting, then closes. */
  close(): Promise<void>;
}

/** How far ahead clocks of producers are expected to be at most. */
const CLOCK_AHEAD_MS = 900_000;

/** How long a quota that has kept from sending is reported after that. */
const THROTTLE_COUNTS_MS = 5_000;

const NOT_PENDING: PendingAppend = { withdraw: () => false };

/**
 * Opens a producer. It returns at once and keeps connecting in the background. Each partition has its own queue and its
 * own sequence numbers.
 */
export const openProducer = (options: ProducerOptions): Producer => {
  const { settings, limits, logger, observer, runtime = systemRuntime } = options;
  const { topic, clientId, requestTimeoutMs, deliveryTimeoutMs } = settings;
  const cluster = openCluster(settings, runtime);
  /** by the monotonic clock: while a quota limits, and a moment after */
  let throttledUntil = -Infinity;
  let throttledMs = 0;
  const onThrottle = (milliseconds: number): void => {
    observer?.throttled?.(milliseconds);
    if (runtime.now() >= throttledUntil)
      logger.warn({ topic, clientId, milliseconds }, 'throttled by a quota of the broker');
    throttledMs = milliseconds;
    throttledUntil = runtime.now() + milliseconds + THROTTLE_COUNTS_MS;
  };
  const onLost = (partition: number, records: number, from: number): void => {
    logger.warn({ topic, partition, from, to: from + records - 1 }, 'acknowledged records are gone');
    observer?.acknowledgedLost?.(records, from);
  };
  const leaders = createLeaders(cluster, { topic, clientId, runtime, onThrottle });
  const closing = new AbortController();
  let isClosing = false;
  const depth = createQueueDepth(limits);
  const producers: PartitionProducer[] = [];
  let topicStatus: TopicStatus = {};
  /** by the monotonic clock, when the last probe ended that found nothing amiss */
  let seenAt = -Infinity;
  const passingMs = options.probeIntervalMs + TIMEOUTS_BEFORE_REJECTION * requestTimeoutMs;
  const search = createRecordSearch({
    settings,
    ...options.search,
    now: options.now,
    logger,
    runtime,
    onThrottle,
    onLost,
    // While a record was on its way, others that are dated later were written before it.
    aheadMs: CLOCK_AHEAD_MS + (options.needs?.recordAgeMs ?? deliveryTimeoutMs),
    keptSince: () => probe.keptSince(),
  });

  const addProducer = (partition: number): void => {
    let lastReason: string | undefined;
    producers[partition] = new PartitionProducer({
      topic,
      partition,
      leader: leaders.of(partition),
      depth,
      limits,
      requestTimeoutMs,
      deliveryTimeoutMs,
      now: runtime.now,
      timestamp: () => options.now().getTime(),
      pause: (milliseconds) => runtime.sleep(milliseconds, closing.signal),
      // The channel writes in the next `setImmediate`, which it asks for before the next tick.
      afterWriting: (task) => process.nextTick(() => runtime.setImmediate(task)),
      observer: {
        settled: (outcome, records) => observer?.settled?.(outcome, records),
        producerIdRenewed: () => {
          logger.warn({ partition }, 'producer id renewed');
          observer?.producerIdRenewed?.();
        },
        acknowledgedLost: (records, from) => onLost(partition, records, from),
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

  const addProducers = (): void => {
    for (let partition = producers.length; partition < leaders.partitions; partition += 1)
      addProducer(partition);
  };

  const probe = watchTopic(cluster, {
    topic,
    intervalMs: options.probeIntervalMs,
    runtime,
    now: options.now,
    logger,
    needs: options.needs,
    onStatus: (seen) => {
      topicStatus = seen;
      if (seen.error === undefined) seenAt = runtime.now();
      if (!seen.leaders) return;
      leaders.update(seen.leaders);
      if (!closing.signal.aborted) addProducers();
    },
    ...(options.create && { create: options.create }),
  });

  return {
    append: (record, listener, maxWaitMs = Infinity) => {
      const notPublished = (reason: NotPublishedReason): PendingAppend => {
        listener.settled({ outcome: 'not-published', reason });
        return NOT_PENDING;
      };
      if (isClosing) return notPublished('closed');
      if (leaders.partitions === 0) return notPublished('log-unavailable');
      // After a failure, leaders are asked for before the next probe, and there may be more.
      addProducers();
      const producer = producers[partitionOfKey(record.key, leaders.partitions)]!;
      const bytes = recordBytes(record);
      if (!depth.enter(bytes)) return notPublished('queue-full');
      return producer.append(record, bytes, listener, runtime.now() + maxWaitMs);
    },
    find: search.find,
    newest: search.newest,
    time: () => probe.time(),
    probed: probe.probed.then(() => Promise.all(producers.map(({ tried }) => tried))).then(() => undefined),
    isFull: () => depth.isFull,
    status: () => {
      // A topic that was recreated may have fewer partitions: of those that are gone, none is reached again.
      const present = producers.slice(0, leaders.partitions);
      const failing = present.filter((producer) => producer.error !== undefined);
      const failed = failing[0]?.error;
      const { leaders: seenLeaders, settings: known, error: unseen, ...seen } = topicStatus;
      const error = unseen ?? (failed === undefined ? undefined : reasonOf(failed));
      const isRejecting =
        unseen === undefined && failing.length > 0 && failing.every((one) => one.isRejecting);
      // Records wait as long for a leader that moves, or for a broker of which another one may answer soon.
      const isPassing = failed === undefined && runtime.now() < seenAt + passingMs;
      return {
        ...seen,
        connected: (error === undefined && seenLeaders !== undefined) || isPassing,
        ...(error !== undefined && { error }),
        ...(isRejecting && { isRejecting }),
        ...(known && { settingsKnown: known.topic !== undefined }),
        ...(runtime.now() < throttledUntil && { throttledMs }),
        ...(search.unreadable !== undefined && { unreadable: search.unreadable }),
        queued: { records: depth.records, bytes: depth.bytes },
      };
    },
    close: async () => {
      const waiting = new AbortController();
      const enough = runtime.sleep(TIMEOUTS_BEFORE_REJECTION * requestTimeoutMs, waiting.signal);
      isClosing = true;
      await Promise.race([depth.emptied(), enough]);
      waiting.abort();
      closing.abort();
      cluster.close();
      search.close();
      await Promise.all(producers.map((producer) => producer.stop()));
      await probe.close();
    },
  };
};
