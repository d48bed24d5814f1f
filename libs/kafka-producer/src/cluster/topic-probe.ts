import type { Logger } from '@workspace/logging';
import type { LogStatus, UnderReplication, Weakness } from '@workspace/schemas';
import type { Cluster, NewTopic } from './cluster.ts';
import { NO_LEADER, type TopicMetadata } from './topic-metadata.ts';
import { clockWarning, measureClock } from './clock-difference.ts';
import { kindOfReason, reasonOf } from '../settings.ts';
import { type Runtime, systemRuntime } from '../wire/runtime.ts';
import {
  keptSince,
  type KnownSettings,
  readSettings,
  settingsFor,
  type TopicNeeds,
  weaknesses,
} from './topic-settings.ts';
import {
  type Replication,
  replicationSettings,
  replicationWarning,
  TOPIC_DEFAULTS,
  underReplication,
} from './topic-replication.ts';

/** What the last probe found. */
export interface TopicStatus extends Pick<
  LogStatus,
  'latencyMs' | 'checkedAt' | 'error' | 'warning' | 'underReplication' | 'weaknesses' | 'clock'
> {
  /** broker that leads each partition, by partition number; undefined when the topic could not be seen */
  readonly leaders?: readonly number[];
  /** what is known of the settings; undefined until they were asked for */
  readonly settings?: KnownSettings;
}

export interface TopicProbe {
  /** resolves after the first probe, whatever it found */
  readonly probed: Promise<void>;
  /** Milliseconds since 1970 that it is at least by the clock of the cluster; undefined until that was measured. */
  time(): number | undefined;
  /**
   * Milliseconds since 1970 since when the topic has all that was written, by its settings as they are now and have been seen
   * before: what was deleted stays so when they are changed back. undefined when they are not known.
   */
  keptSince(): Promise<number | undefined>;
  close(): Promise<void>;
}

const UNKNOWN_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';
/** How often the settings are read: they change by an operator's hand only. */
const PROBES_PER_SETTINGS = 15;

/**
 * Watches the topic in the background: whether a broker answers, who leads, how long it takes. It never touches the
 * data path: a failed probe costs readiness, not a request.
 *
 * @param create makes a missing topic, once; undefined leaves that to the operator
 */
export const watchTopic = (
  cluster: Pick<Cluster, 'topicMetadata' | 'createTopic' | 'topicSettings' | 'brokerSettings' | 'time'>,
  options: {
    topic: string;
    intervalMs: number;
    now: () => Date;
    logger: Logger;
    create?: NewTopic;
    needs?: TopicNeeds | undefined;
    onStatus: (status: TopicStatus) => void;
    runtime?: Runtime | undefined;
  },
): TopicProbe => {
  const { topic, logger, create, needs, runtime = systemRuntime } = options;
  const stopping = new AbortController();
  let status: TopicStatus = {};
  let replication: Replication | undefined;
  let settings: KnownSettings | undefined;
  let weak: readonly Weakness[] = [];
  let clock: TopicStatus['clock'];
  /** what the cluster's clock showed at least when the monotonic clock was 0: changes of our own make no difference */
  let clusterEpoch: number | undefined;
  /** milliseconds since 1970: what was written until then may have been deleted */
  let deletedUntil = -Infinity;
  let probes = 0;
  let lastOutOfSync: string | undefined;
  let onProbed: () => void = () => undefined;
  const probed = new Promise<void>((resolve) => (onProbed = resolve));

  /** Whether the topic was there: from then on, its absence is an operator's doing, or a mistake. */
  let wasThere = false;

  /** Asks for the topic, or makes it when it never was there. @throws why it is not there */
  const topicMetadata = async (): Promise<TopicMetadata> => {
    try {
      return await cluster.topicMetadata();
    } catch (error) {
      if (reasonOf(error) !== UNKNOWN_TOPIC) throw error;
      if (wasThere)
        throw new Error(`${UNKNOWN_TOPIC}: the topic is gone; create it, which is not done here again`);
      if (!create) throw error;
      await createTopic(create);
      return cluster.topicMetadata();
    }
  };

  const createTopic = async (wanted: NewTopic): Promise<void> => {
    const defaults = await cluster.brokerSettings(undefined, TOPIC_DEFAULTS).catch(() => new Map());
    const settings = replicationSettings(wanted.replicationFactor, defaults);
    const newerSettings = needs && settingsFor(needs);
    const isCreated = await cluster.createTopic({
      ...wanted,
      settings,
      ...(newerSettings && { newerSettings }),
    });
    wasThere = true;
    if (isCreated) logger.info({ topic, ...wanted, ...settings }, 'topic created');
  };

  const logWeaknesses = (before: KnownSettings | undefined, seen: KnownSettings): void => {
    const isNew = ({ setting, reason }: Weakness): boolean =>
      !weak.some((one) => one.setting === setting && one.reason === reason);
    const found = needs ? weaknesses(seen, needs) : [];
    for (const one of found.filter(isNew)) logger.warn({ topic, ...one }, 'setting weakens a promise');
    if (weak.length > 0 && found.length === 0) logger.info({ topic }, 'settings no longer weaken a promise');
    weak = found;
    if (!needs || (before && !before.topic === !seen.topic)) return;
    if (!seen.topic)
      logger.info({ topic }, 'settings of the topic not known: DESCRIBE_CONFIGS is not permitted');
  };

  const topicKeptSince = (seen: KnownSettings): number | undefined => {
    const now = options.now().getTime();
    const since = keptSince(seen, now);
    if (seen.topic) deletedUntil = Math.max(deletedUntil, since ?? now);
    return since === undefined ? undefined : deletedUntil;
  };

  const checkClock = async (ofNeeds: TopicNeeds): Promise<void> => {
    const before = clock?.warning;
    const measured = await measureClock(cluster, options.now);
    if (measured)
      clusterEpoch = options.now().getTime() - measured.aheadMs - measured.uncertaintyMs - runtime.now();
    const warning = measured && clockWarning(measured, ofNeeds);
    if (warning !== undefined && before === undefined)
      logger.warn({ topic, reason: warning }, 'clock differs from the cluster');
    if (measured && warning === undefined && before !== undefined)
      logger.info({ topic, ...measured }, 'clock agrees with the cluster');
    clock = measured && { ...measured, ...(warning !== undefined && { warning }) };
  };

  const checkSettings = async (metadata: TopicMetadata): Promise<void> => {
    probes += 1;
    if (replication?.factor === metadata.replicationFactor && probes % PROBES_PER_SETTINGS !== 0) return;
    const before = replication;
    if (needs) await checkClock(needs);
    const seen = await readSettings(
      cluster,
      needs && metadata.leaders.find((leader) => leader !== NO_LEADER),
    );
    logWeaknesses(settings, seen);
    topicKeptSince(seen);
    settings = seen;
    const minInSync = Number(seen.topic?.get('min.insync.replicas')) || undefined;
    replication = { factor: metadata.replicationFactor, minInSync, brokers: metadata.brokers };
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

  const probeOnce = async (): Promise<TopicStatus> => {
    const started = runtime.now();
    const metadata = await topicMetadata();
    wasThere = true;
    const latencyMs = Math.round((runtime.now() - started) * 10) / 10;
    const { leaders } = metadata;
    await checkSettings(metadata);
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
      ...(settings && { settings }),
      ...(weak.length > 0 && { weaknesses: weak }),
      ...(clock && { clock }),
    };
  };

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const before = status.error;
      try {
        status = await probeOnce();
      } catch (error) {
        status = { error: reasonOf(error), checkedAt: options.now() };
      }
      if (stopping.signal.aborted) break;
      if (status.error && kindOfReason(status.error) !== kindOfReason(before))
        logger.warn({ topic, reason: status.error }, 'Kafka unavailable');
      if (!status.error && before) logger.info({ topic, latencyMs: status.latencyMs }, 'Kafka available');
      options.onStatus(status);
      onProbed();
      await runtime.sleep(options.intervalMs, stopping.signal);
    }
    onProbed();
  };
  const watching = watch();
  let reading: Promise<KnownSettings> | undefined;

  return {
    probed,
    keptSince: async () => {
      // One request for all that ask meanwhile.
      reading ??= readSettings(cluster, undefined).finally(() => (reading = undefined));
      return topicKeptSince(await reading);
    },
    time: () => (clusterEpoch === undefined ? undefined : clusterEpoch + runtime.now()),
    close: async () => {
      stopping.abort();
      await watching;
    },
  };
};
