import type { UnderReplication } from '@workspace/schemas';
import type { UnderReplicated } from './topic-metadata.ts';

/** On how many brokers an acknowledged record is. */
export interface Replication {
  /** replicas of the partition that has the fewest */
  factor: number;
  /** `min.insync.replicas`; undefined when the user may not read it (`DESCRIBE_CONFIGS`) */
  minInSync: number | undefined;
  /** brokers of the cluster that are alive */
  brokers: number;
}

/** Why acknowledged records can be lost although the cluster could keep them; undefined when they cannot. */
export const replicationWarning = ({ factor, minInSync, brokers }: Replication): string | undefined => {
  if (factor < 2) {
    if (brokers < 2) return undefined;
    const better = Math.min(3, brokers);
    return `replication factor 1 in a cluster of ${brokers} brokers: losing one broker loses acknowledged records; raise it to ${better}, with min.insync.replicas=2`;
  }
  if (minInSync !== 1) return undefined;
  return `min.insync.replicas=1 of ${factor}: one replica may acknowledge alone, and losing it loses acknowledged records; set it to 2`;
};

/** Names of a broker's settings that a new topic has unless others are given. */
export const TOPIC_DEFAULTS = ['default.replication.factor', 'min.insync.replicas'];

/**
 * Settings of a topic that is made, so that one broker may fail, and no record is acknowledged by one replica alone.
 * @param factor replicas; -1 takes the broker's default
 * @param defaults `TOPIC_DEFAULTS` of a broker, as far as they are known
 */
export const replicationSettings = (
  factor: number,
  defaults: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> => {
  const replicas = factor > 0 ? factor : Number(defaults.get('default.replication.factor'));
  const isSafe = Number(defaults.get('min.insync.replicas')) > 1;
  return replicas >= 3 && !isSafe ? { 'min.insync.replicas': '2' } : {};
};

/** What the next failure of a broker costs while replicas are out of sync; undefined while all are in sync. */
export const underReplication = (
  partitions: readonly UnderReplicated[],
  minInSync: number | undefined,
): UnderReplication | undefined => {
  const worst = partitions.toSorted((a, b) => a.inSync - b.inSync)[0];
  if (!worst) return undefined;
  const { partition, replicas, inSync } = worst;
  const others = partitions.length > 1 ? ` (${partitions.length - 1} more are under-replicated)` : '';
  const setting = `(min.insync.replicas=${minInSync})`;
  const isStopped = minInSync !== undefined && inSync < minInSync;
  const effect = isStopped
    ? `no record can be written ${setting}`
    : inSync === minInSync
      ? `if one more fails, no record can be written ${setting}`
      : 'the topic has fewer copies than it should';
  return {
    partitions: partitions.length,
    isStopped,
    reason: `${inSync} of ${replicas} replicas in sync in partition ${partition}${others}: ${effect}`,
  };
};
