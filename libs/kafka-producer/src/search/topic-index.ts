import type { Cluster } from '../cluster/cluster.ts';
import type { MajorityMetadata } from '../cluster/topic-metadata.ts';
import type { KafkaSettings } from '../settings.ts';
import { NO_EPOCH } from '../wire/leader-epoch.ts';
import { batchHeads } from '../wire/fetch-response.ts';
import {
  beginningSince,
  endsOfPartitions,
  isOutOfRange,
  openPartitionLog,
  type PartitionLog,
} from './partition-log.ts';
import { PartitionIndex } from './partition-index.ts';

/** Bytes asked for at once: some thousand records, searched in a millisecond. */
export const FETCH_BYTES = 1_048_576;
/** Partitions that are read at the same time. */
export const CONCURRENT_READS = 4;
/**
 * Partitions that are compared with what was read of them each time, in turn. Of the others, a leader of the same epoch and the same end
 * show that nothing was written; only a topic that was deleted and made anew can have both, too.
 */
const COMPARED = 16;
/** For all partitions, 4,096 records each: 40 MB. */
const MOST_CHUNKS = 2_500;

/** What was read of a partition, up to its end at a moment. */
export interface IndexedPartition {
  readonly log: PartitionLog;
  readonly index: PartitionIndex;
  /** whether the leader has more, which is not on every in-sync replica yet */
  readonly isBehind: boolean;
}

/** The topic at a moment. */
export interface IndexedTopic {
  readonly metadata: MajorityMetadata;
  /** by number; what a partition could not be read for, where it could not */
  readonly partitions: readonly (IndexedPartition | { readonly failure: unknown })[];
}

/** Keeps in memory which values of a header the records of the last while have. */
export interface TopicIndex {
  /**
   * Reads on to the end, as it is after this call; calls that wait share what the next one reads.
   * @throws why the leaders are not known
   */
  catchUp(): Promise<IndexedTopic>;
}

export interface TopicIndexOptions {
  cluster: Cluster;
  settings: KafkaSettings;
  /** the header whose values are kept */
  header: string;
  /** milliseconds, back from now, of the records that are kept */
  windowMs: number;
  now: () => Date;
  /** milliseconds by which a record may be dated later than those behind it */
  aheadMs: number;
  onThrottle?: ((milliseconds: number) => void) | undefined;
  /** called when the log no longer has what it had: acknowledged records from an offset on, so many at least */
  onLost?: ((partition: number, records: number, from: number) => void) | undefined;
}

export const createTopicIndex = (options: TopicIndexOptions): TopicIndex => {
  const { cluster, settings, header, windowMs, now, aheadMs, onThrottle, onLost } = options;
  const indexes: (PartitionIndex | undefined)[] = [];
  let last: MajorityMetadata | undefined;
  /** the partition that is compared next */
  let nextCompared = 0;

  const newIndex = async (log: PartitionLog, end: number): Promise<PartitionIndex> => {
    const from = now().getTime() - windowMs;
    if (end === 0) return new PartitionIndex(header, 0, from, -Infinity, aheadMs);
    const { start, isCut } = await beginningSince(log, from, end, aheadMs);
    return new PartitionIndex(header, start, from, isCut ? now().getTime() + aheadMs : -Infinity, aheadMs);
  };

  /**
   * @param knownEnd the log's end now, where it is known and the log need not be compared
   * @returns undefined when the log is not the one that was read before
   */
  const readOn = async (log: PartitionLog, knownEnd?: number): Promise<IndexedPartition | undefined> => {
    const present = indexes[log.partition];
    const isVerified = log.leaderEpoch !== NO_EPOCH && present?.leaderEpoch === log.leaderEpoch;
    if (isVerified && present.end === knownEnd) return { log, index: present, isBehind: false };
    // With no batch read, nothing shows whether the log is still the same one; that of a new topic begins at 0.
    const known = present?.last || present?.start === 0 ? present : undefined;
    // Asked together: a broker answers one after the other. What fails here fails again below.
    const ahead = known?.last && log.read(known.last.baseOffset, FETCH_BYTES);
    ahead?.catch(() => undefined);
    const end = await log.end();
    const index = known ?? (indexes[log.partition] = await newIndex(log, end));
    const lost = (from: number): void => {
      // Not of an earlier leader, which may not have had them.
      if (log.leaderEpoch > index.leaderEpoch) onLost?.(log.partition, index.end - from, from);
    };
    if (index.end > end) {
      lost(end);
      return undefined;
    }
    /** Whether the log is still the one that was read; so nothing of it was truncated since. */
    let isSame = index.last === undefined;
    if (isSame) index.leaderEpoch = log.leaderEpoch;
    let offset = index.last?.baseOffset ?? index.start;
    while (offset < end) {
      let batches: Buffer;
      try {
        const isFirst = offset === index.last?.baseOffset;
        ({ batches } = await (isFirst && ahead ? ahead : log.read(offset, FETCH_BYTES)));
      } catch (error) {
        if (isOutOfRange(error)) return undefined;
        throw error;
      }
      if (batches.length === 0) return { log, index, isBehind: true };
      for (const batch of batchHeads(batches)) {
        if (isSame) await index.add(batch);
        else if (index.endsWith(batch)) {
          isSame = true;
          index.leaderEpoch = log.leaderEpoch;
        } else {
          if (index.isReplacedBy(batch)) lost(index.last!.baseOffset);
          return undefined;
        }
      }
      offset = index.end;
    }
    return { log, index, isBehind: false };
  };

  const readPartition = async (
    partition: number,
    metadata: MajorityMetadata,
    end: number | undefined,
  ): Promise<IndexedTopic['partitions'][number]> => {
    try {
      const log = await openPartitionLog(cluster, settings, partition, metadata, onThrottle);
      let read = await readOn(log, end);
      if (!read) {
        indexes[partition] = undefined;
        read = await readOn(log);
      }
      read?.index.forget(now().getTime() - windowMs, Math.ceil(MOST_CHUNKS / indexes.length));
      return read ?? { failure: new Error(`partition ${partition} changes`) };
    } catch (failure) {
      return { failure };
    }
  };

  const readPartitions = async (metadata: MajorityMetadata): Promise<IndexedTopic> => {
    const partitions: IndexedTopic['partitions'][number][] = [];
    const count = metadata.leaders.length;
    const ends = count > COMPARED ? await endsOfPartitions(cluster, settings.topic, metadata) : [];
    for (let compared = 0; compared < COMPARED; compared += 1) ends[nextCompared++ % count] = undefined;
    let next = 0;
    const readNext = async (): Promise<void> => {
      for (let partition = next++; partition < count; partition = next++)
        partitions[partition] = await readPartition(partition, metadata, ends[partition]);
    };
    await Promise.all(Array.from({ length: CONCURRENT_READS }, readNext));
    return { metadata, partitions };
  };

  /** Reads where the leaders were while it asks who leads now. */
  const readTopic = async (): Promise<IndexedTopic> => {
    const asking = cluster.majorityMetadata();
    const read = last && readPartitions(last);
    const metadata = await asking;
    const { partitions } = (await read) ?? {};
    const isSame =
      last && metadata.epochs.every((epoch, at) => epoch !== NO_EPOCH && epoch === last?.epochs[at]);
    last = metadata;
    return partitions && isSame ? { metadata, partitions } : readPartitions(metadata);
  };

  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<IndexedTopic> | undefined;
  return {
    catchUp: () => {
      if (!next) {
        const reading = running.then(() => {
          next = undefined;
          return readTopic();
        });
        running = reading.catch(() => undefined);
        next = reading;
      }
      return next;
    },
  };
};
