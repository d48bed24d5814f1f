import { errorOfCode } from '../wire/kafkajs-protocol.ts';
import { NO_EPOCH } from '../wire/leader-epoch.ts';
import type { BrokerAddress } from '../wire/broker-connection.ts';

/** A partition with fewer replicas in sync than replicas. */
export interface UnderReplicated {
  readonly partition: number;
  readonly replicas: number;
  readonly inSync: number;
}

/** What the cluster says about the topic. */
export interface TopicMetadata {
  /** broker that leads each partition, by partition number; `NO_LEADER` if it has no leader */
  readonly leaders: readonly number[];
  /** in which epoch it leads, by partition number; `NO_EPOCH` from brokers older than Kafka 2.1 */
  readonly epochs: readonly number[];
  /** brokers that have each partition, by partition number */
  readonly replicas: readonly (readonly number[])[];
  /** replicas of the partition that has the fewest */
  readonly replicationFactor: number;
  /** brokers of the cluster that are alive */
  readonly brokers: number;
  readonly underReplicated: readonly UnderReplicated[];
}

/** The topic as several brokers see it, of each partition the leader of the newest epoch. */
export interface MajorityMetadata extends TopicMetadata {
  /** Of some partition fewer replicas answered than a majority: one that did not may know of a newer leader. */
  readonly lacksMajority?: true;
}

export const NO_LEADER = -1;

/** The answer to a Metadata request for one topic. */
export interface MetadataAnswer {
  brokers: ({ nodeId: number } & BrokerAddress)[];
  controllerId: number;
  topicMetadata: {
    topicErrorCode: number;
    partitionMetadata: {
      partitionId: number;
      leader: number;
      leaderEpoch?: number;
      replicas: number[];
      isr: number[];
    }[];
  }[];
}

/**
 * @param brokers of the cluster that are alive
 * @throws KafkaJSProtocolError why the broker does not describe the topic
 */
export const describe = ({ topicMetadata }: MetadataAnswer, brokers: number): TopicMetadata => {
  const [described] = topicMetadata;
  if (!described || described.topicErrorCode !== 0) throw errorOfCode(described?.topicErrorCode ?? 3);
  const partitions = described.partitionMetadata.toSorted((a, b) => a.partitionId - b.partitionId);
  return {
    leaders: partitions.map(({ leader }) => leader),
    epochs: partitions.map(({ leaderEpoch = NO_EPOCH }) => leaderEpoch),
    replicas: partitions.map(({ replicas }) => replicas),
    replicationFactor: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    brokers,
    underReplicated: partitions
      .map(({ replicas, isr }, partition) => ({ partition, replicas: replicas.length, inSync: isr.length }))
      .filter(({ replicas, inSync }) => inSync < replicas),
  };
};

/** For each partition, the answer that has the later leader. */
export const newest = (one: TopicMetadata, other: TopicMetadata): TopicMetadata => {
  const isLater = (partition: number): boolean =>
    (other.epochs[partition] ?? NO_EPOCH) > (one.epochs[partition] ?? NO_EPOCH);
  const chosen = Array.from({ length: Math.max(one.leaders.length, other.leaders.length) }, (_, partition) =>
    partition >= one.leaders.length || isLater(partition) ? other : one,
  );
  return {
    ...one,
    leaders: chosen.map(({ leaders }, partition) => leaders[partition] as number),
    epochs: chosen.map(({ epochs }, partition) => epochs[partition] as number),
    replicas: chosen.map(({ replicas }, partition) => replicas[partition] as readonly number[]),
  };
};

/** Whether a broker does not know of a leader, or a partition, that another one has named before. */
export const isBehind = (seen: TopicMetadata, believed: TopicMetadata): boolean =>
  seen.epochs.length < believed.epochs.length ||
  seen.epochs.some((epoch, partition) => epoch < (believed.epochs[partition] ?? NO_EPOCH));
