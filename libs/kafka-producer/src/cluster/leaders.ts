import type { PartitionLeader } from '../partition/partition-leader.ts';
import type { BrokerConnection } from '../wire/broker-connection.ts';
import type { ProducerIdentity } from '../wire/record-batch.ts';
import type { Cluster } from './cluster.ts';
import { NO_LEADER } from './topic-metadata.ts';
import { createProduceChannel, type ProduceChannel, type ProduceChannelOptions } from './produce-channel.ts';

/** Who leads which partition. */
export interface Leaders {
  /** partitions of the topic; 0 until it was seen */
  readonly partitions: number;
  /** Takes over who leads, by partition number. */
  update(leaders: readonly number[]): void;
  of(partition: number): PartitionLeader;
}

/** The ways to the leaders of a topic: partitions of one leader share its connection and its requests. */
export const createLeaders = (
  cluster: Pick<Cluster, 'newestMetadata' | 'connectionTo' | 'newProducerIdentity'>,
  options: ProduceChannelOptions,
): Leaders => {
  const channels = new WeakMap<BrokerConnection, ProduceChannel>();
  /** as last seen: a probe that fails costs readiness, and never changes where records go */
  let leaders: readonly number[] = [];
  let refreshing: Promise<void> | undefined;
  let identity: Promise<ProducerIdentity> | undefined;
  let current: ProducerIdentity | undefined;

  const channelOf = async (partition: number): Promise<ProduceChannel> => {
    const leader = leaders[partition] ?? NO_LEADER;
    if (leader === NO_LEADER) throw new Error(`partition ${partition} has no leader`);
    const connection = await cluster.connectionTo(leader);
    let channel = channels.get(connection);
    if (!channel) {
      channel = createProduceChannel(connection, options);
      channels.set(connection, channel);
    }
    return channel;
  };

  /** One producer id for all partitions, until a broker no longer follows it. */
  const identityOtherThan = async (rejected: ProducerIdentity | undefined): Promise<ProducerIdentity> => {
    // Whoever rejects it, too, before the next one has arrived gets that one.
    if (rejected !== undefined && rejected === current) identity = current = undefined;
    identity ??= cluster.newProducerIdentity().catch((error: unknown) => {
      identity = undefined;
      throw error;
    });
    return (current = await identity);
  };

  /** One request for all partitions that ask meanwhile. A single broker may be cut off, and go on naming the old leader. */
  const refresh = (): Promise<void> =>
    (refreshing ??= cluster
      .newestMetadata()
      .then(
        (metadata) => void (leaders = metadata.leaders),
        // The next attempt fails with the reason; the probe reports it to operators.
        () => undefined,
      )
      .finally(() => (refreshing = undefined)));

  return {
    get partitions() {
      return leaders.length;
    },
    update: (seen) => {
      leaders = seen;
    },
    of: (partition) => ({
      connect: async () => void (await channelOf(partition)),
      identity: identityOtherThan,
      produce: async (...batch) => (await channelOf(partition)).produce(partition, ...batch),
      refresh,
    }),
  };
};
