import type { Logger } from '@workspace/logging';
import { type Cluster, type NewTopic, NO_LEADER, type TopicMetadata } from './cluster.ts';
import { kindOfReason, reasonOf } from '../settings.ts';
import { type Runtime, systemRuntime } from '../wire/runtime.ts';
import {
  readReplication,
  type Replication,
  replicationWarning,
  type UnderReplication,
  underReplication,
} from './topic-replication.ts';

/** What the last probe found. */
export interface TopicView {
  /** broker that leads each partition, by partition number; undefined when the topic could not be seen */
  leaders?: readonly number[];
  latencyMs?: number;
  checkedAt?: Date;
  error?: string;
  /** why acknowledged records can be lost */
  warning?: string;
  /** present while replicas are out of sync */
  underReplication?: UnderReplication;
}

export interface TopicProbe {
  /** resolves after the first probe, whatever it found */
  readonly probed: Promise<void>;
  close(): Promise<void>;
}

const UNKNOWN_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';
/** How often the replication is read: it changes by an operator's hand only. */
const PROBES_PER_REPLICATION = 15;

/**
 * Watches the topic in the background: whether a broker answers, who leads, how long it takes. It never touches the
 * data path: a failed probe costs readiness, not a request.
 *
 * @param create makes a missing topic; undefined leaves that to the operator
 */
export const watchTopic = (
  cluster: Pick<Cluster, 'topicMetadata' | 'createTopic' | 'topicSetting'>,
  options: {
    topic: string;
    intervalMs: number;
    now: () => Date;
    logger: Logger;
    create?: NewTopic;
    onView: (view: TopicView) => void;
    runtime?: Runtime | undefined;
  },
): TopicProbe => {
  const { topic, logger, create, runtime = systemRuntime } = options;
  const stopping = new AbortController();
  let view: TopicView = {};
  let replication: Replication | undefined;
  let probes = 0;
  let lastOutOfSync: string | undefined;
  let onProbed: () => void = () => undefined;
  const probed = new Promise<void>((resolve) => (onProbed = resolve));

  const createTopic = async (wanted: NewTopic): Promise<void> => {
    if (await cluster.createTopic(wanted)) logger.info({ topic, ...wanted }, 'topic created');
  };

  const checkReplication = async (metadata: TopicMetadata): Promise<void> => {
    probes += 1;
    if (replication?.factor === metadata.replicationFactor && probes % PROBES_PER_REPLICATION !== 0) return;
    const before = replication;
    replication = await readReplication(cluster, metadata);
    const warning = replicationWarning(replication);
    if (before && warning === replicationWarning(before)) return;
    if (warning !== undefined) logger.warn({ topic, reason: warning }, 'topic replication too low');
    else logger.info({ topic, ...replication }, 'topic replication');
  };

  const logOutOfSync = (seen: UnderReplication | undefined): void => {
    if (seen && seen.reason !== lastOutOfSync) logger.warn({ topic, ...seen }, 'topic under-replicated');
    else if (!seen && lastOutOfSync !== undefined) logger.info({ topic }, 'topic fully replicated');
    lastOutOfSync = seen?.reason;
  };

  const probeOnce = async (): Promise<TopicView> => {
    const started = runtime.now();
    let metadata: TopicMetadata;
    try {
      metadata = await cluster.topicMetadata();
    } catch (error) {
      if (!create || reasonOf(error) !== UNKNOWN_TOPIC) throw error;
      await createTopic(create);
      metadata = await cluster.topicMetadata();
    }
    const latencyMs = Math.round((runtime.now() - started) * 10) / 10;
    const { leaders } = metadata;
    await checkReplication(metadata);
    const warning = replication && replicationWarning(replication);
    const outOfSync = underReplication(metadata.underReplicated, replication?.minInSync);
    logOutOfSync(outOfSync);
    const leaderless = leaders.findIndex((leader) => leader === NO_LEADER);
    const error = leaderless < 0 ? {} : { error: `partition ${leaderless} has no leader` };
    return {
      leaders,
      latencyMs,
      checkedAt: options.now(),
      ...error,
      ...(warning !== undefined && { warning }),
      ...(outOfSync && { underReplication: outOfSync }),
    };
  };

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const before = view.error;
      try {
        view = await probeOnce();
      } catch (error) {
        view = { error: reasonOf(error), checkedAt: options.now() };
      }
      if (stopping.signal.aborted) break;
      if (view.error && kindOfReason(view.error) !== kindOfReason(before))
        logger.warn({ topic, reason: view.error }, 'Kafka unavailable');
      if (!view.error && before) logger.info({ topic, latencyMs: view.latencyMs }, 'Kafka available');
      options.onView(view);
      onProbed();
      await runtime.sleep(options.intervalMs, stopping.signal);
    }
    onProbed();
  };
  const watching = watch();

  return {
    probed,
    close: async () => {
      stopping.abort();
      await watching;
    },
  };
};
