import type { Cluster } from '../cluster/cluster.ts';
import type { MajorityMetadata } from '../cluster/topic-metadata.ts';
import type { KafkaSettings } from '../settings.ts';
import type { BrokerConnection } from '../wire/broker-connection.ts';
import type { FetchedBatches, FetchResponse } from '../wire/fetch-response.ts';

/** Special times of a ListOffsets request. */
const EARLIEST = -2;
const LATEST = -1;
/**
 * The id of no broker. A replica hears of all that the leader has, and from the leader only. A consumer (-1) hears of what every
 * in-sync replica has, and a debugging consumer (-2) gets answers of followers, too, which may lack the last records.
 */
const NO_BROKER = 2 ** 31 - 1;

const OUT_OF_RANGE = 1;

/** Whether a fetch failed because it was from before the beginning of the log, or from behind its end. */
export const isOutOfRange = (error: unknown): boolean => (error as { code?: number }).code === OUT_OF_RANGE;

/** The log of one partition, at its leader. Every method throws why it cannot be read. */
export interface PartitionLog {
  readonly partition: number;
  /** the leader's, or `NO_EPOCH` */
  readonly leaderEpoch: number;
  /** offset after the last record that the leader has; whatever was sent before is below it, or will never be there */
  end(): Promise<number>;
  /** offset of the first record that is left */
  earliest(): Promise<number>;
  /** offset of the first record written at that time or later; undefined when there is none */
  firstSince(time: number): Promise<number | undefined>;
  /** Batches from the one that holds an offset on; none while they are not on every in-sync replica. */
  read(offset: number, maxBytes: number): Promise<FetchedBatches>;
}

/** Followers copy a batch within milliseconds; those of a busy cluster within tens. */
const LONGEST_WAIT_MS = 500;

/** Where to begin with what was written since a time. */
export interface Beginning {
  /** offset of the first record written then or later */
  readonly first: number;
  /** the offset before it, where there is one: compaction may have left a hole between them */
  readonly start: number;
  /** Records of that time may have been deleted. */
  readonly isCut: boolean;
}

/** @param aheadMs how much later than a record those before it may be dated */
export const beginningSince = async (
  log: PartitionLog,
  time: number,
  end: number,
  aheadMs: number,
): Promise<Beginning> => {
  const [earliest, first = end] = await Promise.all([log.earliest(), log.firstSince(time)]);
  // Then the first record that is left is dated as if others of that time may have been before it.
  const isCut = earliest > 0 && (first === earliest || (await log.firstSince(time - aheadMs)) === earliest);
  return { first, start: Math.max(first - 1, earliest), isCut };
};

/** The offset of each partition that the leader answers for. @param time milliseconds since 1970, `EARLIEST` or `LATEST` */
const offsetsAt = async (
  connection: BrokerConnection,
  topic: string,
  time: number,
  partitions: readonly { readonly partition: number; readonly leaderEpoch: number }[],
): Promise<ReadonlyMap<number, number>> => {
  const timestamp = String(time);
  const { responses } = (await connection.request('ListOffsets', {
    replicaId: NO_BROKER,
    isolationLevel: 0,
    topics: [{ topic, partitions: partitions.map((one) => ({ ...one, timestamp })) }],
  })) as { responses: { partitions: { partition: number; offset: string }[] }[] };
  return new Map(responses[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
};

/**
 * The ends of all partitions, see `PartitionLog.end`, by one request to each leader: a topic may have thousands.
 * @returns by number; undefined where the leader did not answer for all of its partitions
 */
export const endsOfPartitions = async (
  cluster: Pick<Cluster, 'connectionTo'>,
  topic: string,
  { leaders, epochs }: MajorityMetadata,
): Promise<(number | undefined)[]> => {
  const ends: (number | undefined)[] = leaders.map(() => undefined);
  const byLeader = Map.groupBy(leaders.keys(), (partition) => leaders[partition]!);
  const askLeader = async (leader: number, partitions: readonly number[]): Promise<void> => {
    const connection = await cluster.connectionTo(leader);
    const asked = partitions.map((partition) => ({ partition, leaderEpoch: epochs[partition]! }));
    for (const [partition, end] of await offsetsAt(connection, topic, LATEST, asked)) ends[partition] = end;
  };
  await Promise.allSettled([...byLeader].map(([leader, partitions]) => askLeader(leader, partitions)));
  return ends;
};

export const openPartitionLog = async (
  cluster: Cluster,
  { topic, requestTimeoutMs }: KafkaSettings,
  partition: number,
  { leaders, epochs }: MajorityMetadata,
  onThrottle?: (milliseconds: number) => void,
): Promise<PartitionLog> => {
  const leaderEpoch = epochs[partition]!;
  const connection = await cluster.connectionTo(leaders[partition] as number);
  const offsetAt = async (time: number): Promise<number> =>
    (await offsetsAt(connection, topic, time, [{ partition, leaderEpoch }])).get(partition) ?? -1;
  return {
    partition,
    leaderEpoch,
    end: () => offsetAt(LATEST),
    earliest: () => offsetAt(EARLIEST),
    firstSince: async (time) => {
      const offset = await offsetAt(Math.max(time, 0));
      return offset < 0 ? undefined : offset;
    },
    read: async (offset, maxBytes) => {
      const wanted = { partition, currentLeaderEpoch: leaderEpoch, fetchOffset: offset, maxBytes };
      const request = {
        maxWaitTime: Math.min(LONGEST_WAIT_MS, Math.floor(requestTimeoutMs / 2)),
        minBytes: 1,
        maxBytes,
        topics: [{ topic, partitions: [wanted] }],
      };
      for (;;) {
        const { throttleTime, fetched } = (await connection.request('Fetch', request)) as FetchResponse;
        if (throttleTime > 0) onThrottle?.(throttleTime);
        if (fetched) return fetched;
      }
    },
  };
};
