import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { Admin } from 'kafkajs';
import type { Logger } from '@workspace/logging';
import { framedSocketFactory } from './framed-socket.ts';
import { type KafkaSettings, newKafka, reasonOf } from './kafka-settings.ts';
import { readReplication, type Replication, replicationWarning } from './topic-replication.ts';

export interface NewTopic {
  /** -1 takes the broker's default */
  partitions: number;
  /** -1 takes the broker's default */
  replicationFactor: number;
}

/** What the last probe found. */
export interface TopicView {
  /** broker that leads each partition, by partition number; undefined when the topic could not be seen */
  leaders?: readonly number[];
  latencyMs?: number;
  checkedAt?: Date;
  error?: string;
  /** why acknowledged records can be lost */
  warning?: string;
}

export interface TopicProbe {
  /** resolves after the first probe, whatever it found */
  readonly probed: Promise<void>;
  close(): Promise<void>;
}

interface Partitions {
  /** broker that leads each partition */
  leaders: number[];
  /** replicas of the partition that has the fewest */
  factor: number;
}

const UNKNOWN_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';
const NO_LEADER = -1;
/** How often the replication is read: it changes by an operator's hand only. */
const PROBES_PER_REPLICATION = 15;

const ignored = { wrote: () => undefined, read: () => undefined };

/**
 * Watches the topic in the background with an admin client of its own, kept open: whether the broker answers, who
 * leads, how long it takes. It never touches the data path: a failed probe costs readiness, not a request.
 *
 * @param create makes a missing topic; undefined leaves that to the operator
 */
export const watchTopic = (
  settings: KafkaSettings,
  options: {
    intervalMs: number;
    now: () => Date;
    logger: Logger;
    create?: NewTopic;
    onView: (view: TopicView) => void;
  },
): TopicProbe => {
  const { logger, create } = options;
  const { topic } = settings;
  const sockets = new Set<Socket>();
  const stopping = new AbortController();
  let admin: Admin | undefined;
  let view: TopicView = {};
  let replication: Replication | undefined;
  let probes = 0;
  let onProbed: () => void = () => undefined;
  const probed = new Promise<void>((resolve) => (onProbed = resolve));

  const openAdmin = async (): Promise<Admin> => {
    const opened = newKafka(
      settings,
      logger,
      framedSocketFactory(() => ignored, sockets),
      0,
    ).admin();
    await opened.connect();
    return opened;
  };

  const dropAdmin = (): void => {
    for (const socket of sockets) socket.destroy();
    admin?.disconnect().catch((error: unknown) => logger.debug({ err: error }, 'discarding an admin client'));
    admin = undefined;
  };

  const createTopic = async (client: Admin, { partitions, replicationFactor }: NewTopic): Promise<void> => {
    const isNew = await client.createTopics({
      topics: [{ topic, numPartitions: partitions, replicationFactor }],
      waitForLeaders: false,
    });
    // Else another instance was quicker.
    if (isNew) logger.info({ topic, partitions, replicationFactor }, 'topic created');
  };

  const readPartitions = async (client: Admin): Promise<Partitions> => {
    const { topics } = await client.fetchTopicMetadata({ topics: [topic] });
    const leaders: number[] = [];
    let factor = Infinity;
    for (const { partitionId, leader, replicas } of topics[0]?.partitions ?? []) {
      leaders[partitionId] = leader;
      factor = Math.min(factor, replicas.length);
    }
    return { leaders, factor };
  };

  const checkReplication = async (client: Admin, factor: number): Promise<void> => {
    probes += 1;
    if (replication?.factor === factor && probes % PROBES_PER_REPLICATION !== 0) return;
    const before = replication;
    replication = await readReplication(client, topic, factor);
    const warning = replicationWarning(replication);
    if (before && warning === replicationWarning(before)) return;
    if (warning !== undefined) logger.warn({ topic, reason: warning }, 'topic replication too low');
    else logger.info({ topic, ...replication }, 'topic replication');
  };

  const probeOnce = async (): Promise<TopicView> => {
    const started = performance.now();
    admin ??= await openAdmin();
    let partitions: Partitions;
    try {
      partitions = await readPartitions(admin);
    } catch (error) {
      if (!create || reasonOf(error) !== UNKNOWN_TOPIC) throw error;
      await createTopic(admin, create);
      partitions = await readPartitions(admin);
    }
    const latencyMs = Math.round((performance.now() - started) * 10) / 10;
    const { leaders, factor } = partitions;
    await checkReplication(admin, factor);
    const warning = replication && replicationWarning(replication);
    const leaderless = leaders.findIndex((leader) => leader === NO_LEADER);
    const error = leaderless < 0 ? {} : { error: `partition ${leaderless} has no leader` };
    return {
      leaders,
      latencyMs,
      checkedAt: options.now(),
      ...error,
      ...(warning !== undefined && { warning }),
    };
  };

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const before = view.error;
      try {
        view = await probeOnce();
      } catch (error) {
        dropAdmin();
        view = { error: reasonOf(error), checkedAt: options.now() };
      }
      if (stopping.signal.aborted) break;
      if (view.error && view.error !== before)
        logger.warn({ topic, reason: view.error }, 'Kafka unavailable');
      if (!view.error && before) logger.info({ topic, latencyMs: view.latencyMs }, 'Kafka available');
      options.onView(view);
      onProbed();
      await sleep(options.intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    dropAdmin();
    onProbed();
  };
  const watching = watch();

  return {
    probed,
    close: async () => {
      stopping.abort();
      // With an error: kafkajs does not hear of a socket that only closes, and would wait for its answer.
      for (const socket of sockets) socket.destroy(new Error('closed'));
      await watching;
    },
  };
};
