import type { Logger } from '@workspace/logging';
import type { Receipt } from '@workspace/schemas';
import { openCluster } from '../cluster/cluster.ts';
import type { MajorityMetadata } from '../cluster/topic-metadata.ts';
import { partitionOfKey } from '../partition/partition-of-key.ts';
import { type KafkaSettings, kindOfReason, reasonOf } from '../settings.ts';
import { CODEC } from '../wire/compression.ts';
import { decodeRecordBatch } from '../wire/kafkajs-protocol.ts';
import { type Runtime, systemRuntime } from '../wire/runtime.ts';
import { countedBatches } from './counted-batches.ts';
import { beginningSince, isOutOfRange, openPartitionLog, type PartitionLog } from './partition-log.ts';
import {
  CONCURRENT_READS,
  createTopicIndex,
  FETCH_BYTES,
  type IndexedPartition,
  type TopicIndex,
} from './topic-index.ts';

/** A record to search for. */
export interface RecordQuery {
  /** a header that only this record has */
  readonly header: { readonly name: string; readonly value: string };
  /** the key that it probably has: that key's partition is read first */
  readonly likelyKey: string;
  /** records written before this are not read */
  readonly from: Date;
  /** Whether a record with the header is the wanted one: others may have written it. Any is when left out. */
  readonly isWanted?: (record: Pick<FoundRecord, 'value' | 'headers'>) => boolean;
}

/** A record as it is in the log. */
export interface FoundRecord extends Receipt {
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Why the absence of a record proves nothing. */
export type SearchGap =
  /** there was more to read than may be read */
  | 'too-long'
  /** the end of the log is not on every in-sync replica yet, or behind an open transaction, and so cannot be read */
  | 'not-replicated'
  /** the log no longer has its records of that time, or may have lost some of them to its retention */
  | 'deleted'
  /** records of that time are compressed in a way that cannot be read */
  | 'unreadable-compression'
  /** only a minority of the brokers answers: another one may lead, and have the record */
  | 'no-majority';

export interface SearchResult {
  readonly found?: FoundRecord;
  /** undefined: all records of that time were read */
  readonly gap?: SearchGap;
}

/** The topic could not be read now, or may not be read by this user. The message is the reason. */
export class TopicUnreadable extends Error {
  override readonly name = 'TopicUnreadable';
}

/** Searches the topic. */
export interface RecordSearch {
  /** Reads the topic, within limits of time and size. @throws TopicUnreadable */
  find(query: RecordQuery): Promise<SearchResult>;
  /** The last records of each partition, some tens where there are so many. @throws TopicUnreadable */
  newest(): Promise<FoundRecord[]>;
  /** with an index, why the topic could not be read last; undefined once it could */
  readonly unreadable: string | undefined;
  close(): void;
}

export interface SearchLimits {
  /** most bytes read for one query */
  maxBytes: number;
  /** most milliseconds spent on one query */
  timeoutMs: number;
  /** keeps in memory which values of a header recent records have; without it, each query reads the log */
  index?: {
    header: string;
    /** milliseconds, back from now */
    windowMs: number;
    /** milliseconds between two readings of what was written since, so that a query finds little to read */
    intervalMs: number;
  };
}

export interface RecordSearchOptions extends SearchLimits {
  /** Milliseconds by which a record may be dated later than those behind it, because the clocks of producers differ; 0 when left out. */
  aheadMs?: number;
  /** Milliseconds since 1970 since when the log has all that was written, as of now; undefined when it is not known. */
  keptSince?: (() => Promise<number | undefined>) | undefined;
  /** told when a quota of a broker keeps from reading for so many milliseconds */
  onThrottle?: ((milliseconds: number) => void) | undefined;
  /** with an index, told when acknowledged records are gone: so many at least, from an offset on */
  onLost?: ((partition: number, records: number, from: number) => void) | undefined;
  settings: KafkaSettings;
  logger: Logger;
  now?: (() => Date) | undefined;
  runtime?: Runtime | undefined;
}

/** How many offsets of a partition are its newest ones. */
const NEWEST = 50;

/** What a query found so far. */
interface Progress {
  found?: FoundRecord;
  gap?: SearchGap;
  /** why a partition could not be read */
  failure?: { error: unknown };
  /** whether batches have the broker's time: a record whose clock was ahead is dated earlier than its query */
  isAppendTime?: boolean;
  readBytes: number;
}

/**
 * Searches the topic without a consumer group, on connections that nothing else uses. It connects at its first query, or at
 * once with an index.
 *
 * Batches are searched as bytes, at the speed of memory; only one that contains the header's value is decoded. Where the topic
 * compresses its batches, all of them are.
 */
export const createRecordSearch = (options: RecordSearchOptions): RecordSearch => {
  const { settings, logger, onThrottle, onLost, runtime = systemRuntime, now = () => new Date() } = options;
  const { aheadMs = 0 } = options;
  const { topic } = settings;
  const cluster = openCluster(settings, runtime);
  const closing = new AbortController();
  const index =
    options.index &&
    createTopicIndex({ cluster, settings, ...options.index, now, aheadMs, onThrottle, onLost });
  let lastReason: string | undefined;

  const readable = (): void => {
    lastReason = undefined;
  };
  const unreadable = (error: unknown): string => {
    const reason = reasonOf(error);
    if (kindOfReason(reason) !== kindOfReason(lastReason))
      logger.warn({ topic, reason }, 'topic cannot be searched');
    lastReason = reason;
    return reason;
  };

  const follow = async (topicIndex: TopicIndex, intervalMs: number): Promise<void> => {
    while (!closing.signal.aborted) {
      const failure = await topicIndex.catchUp().then(
        ({ metadata, partitions }) =>
          partitions.find((one) => 'failure' in one)?.failure ??
          (metadata.lacksMajority && new Error('only a minority of the brokers answers')),
        (error: unknown) => error,
      );
      if (closing.signal.aborted) return;
      if (!failure) readable();
      else unreadable(failure);
      await runtime.sleep(intervalMs, closing.signal);
    }
  };
  if (index) void follow(index, options.index!.intervalMs);

  /** @throws why the topic cannot be read */
  const search = async (query: RecordQuery): Promise<SearchResult> => {
    const { header, from, isWanted = () => true } = query;
    const endsAt = runtime.now() + options.timeoutMs;
    const progress: Progress = { readBytes: 0 };
    // Asked after the log: what its retention deletes changes with its settings.
    const mayBeDeleted = async (since: number): Promise<boolean> =>
      since <= ((await options.keptSince?.()) ?? Infinity);
    const isOver = (): boolean => progress.readBytes >= options.maxBytes || runtime.now() >= endsAt;

    /**
     * Reads from an offset up to another one, or until the record is found.
     * @param wanted what is before only shows whether there is a hole
     */
    const scan = async (log: PartitionLog, first: number, end: number, wanted = first): Promise<void> => {
      for (let offset = first; offset < end && !progress.found;) {
        if (isOver()) {
          progress.gap ??= 'too-long';
          return;
        }
        const next = await readOnce(log, offset, wanted);
        // The leader has more than it shows: its followers do not have that yet.
        if (next === offset) progress.gap ??= 'not-replicated';
        if (next === undefined || next === offset) return;
        offset = next;
      }
    };

    /** @returns the offset to go on with; undefined when the record was found */
    const readOnce = async (
      log: PartitionLog,
      offset: number,
      wanted: number,
    ): Promise<number | undefined> => {
      const bytes = Math.min(FETCH_BYTES, options.maxBytes - progress.readBytes);
      const { batches, aborted } = await log.read(offset, bytes);
      progress.readBytes += batches.length;
      let next = offset;
      for (const batch of countedBatches(batches, aborted)) {
        // Compaction deletes whole batches, too.
        if (batch.baseOffset > next) progress.gap ??= 'deleted';
        next = batch.nextOffset;
        progress.isAppendTime ||= batch.isAppendTime;
        if (batch.isControl || next <= wanted) continue;
        if (batch.records < next - batch.baseOffset) progress.gap ??= 'deleted';
        if (batch.codec === CODEC.none && !batch.bytes.includes(header.value)) continue;
        if (!batch.isReadable) {
          progress.gap ??= 'unreadable-compression';
          continue;
        }
        const record = (await decodeRecordBatch(batch.bytes)).find(
          (one) => one.headers[header.name] === header.value && isWanted(one),
        );
        if (!record) continue;
        progress.found = { topic, partition: log.partition, ...record };
        return undefined;
      }
      return next;
    };

    /** Reads what was written since a time, up to an offset. */
    const readSince = async (log: PartitionLog, end: number, since = from.getTime()): Promise<void> => {
      const { start, first, isCut } = await beginningSince(log, since, end, aheadMs);
      if (isCut && (await mayBeDeleted(since))) progress.gap ??= 'deleted';
      await scan(log, start, end, first);
      if (progress.isAppendTime && !progress.found && since === from.getTime())
        await readSince(log, first, since - aheadMs);
    };

    /** Reads what is left of a part that was read before. */
    const scanLeft = async (log: PartitionLog, start: number, end: number): Promise<void> => {
      try {
        await scan(log, start, end);
      } catch (error) {
        if (!isOutOfRange(error)) throw error;
        progress.gap ??= 'deleted';
        await scan(log, await log.earliest(), end);
      }
    };

    const readIndexed = async ({ log, index, isBehind }: IndexedPartition): Promise<void> => {
      if (isBehind) progress.gap ??= 'not-replicated';
      const since = index.last?.isAppendTime ? from.getTime() - aheadMs : from.getTime();
      if (since <= index.cutUntil && (await mayBeDeleted(since))) progress.gap ??= 'deleted';
      for (const { start, end } of index.candidates(header.value)) await scanLeft(log, start, end);
      const gap = index.chunks.find((chunk) => chunk.gap && chunk.lastTime >= since)?.gap;
      if (gap) progress.gap ??= gap;
      if (since < index.from) await readSince(log, index.start, since);
    };

    const isIndexed = options.index?.header === header.name;
    const indexed = isIndexed ? await index!.catchUp() : undefined;
    const metadata = indexed ? indexed.metadata : await cluster.majorityMetadata();
    const readPartition = async (partition: number): Promise<void> => {
      const known = indexed?.partitions[partition];
      if (known && 'failure' in known) throw known.failure;
      if (known) return readIndexed(known);
      const log = await openPartitionLog(cluster, settings, partition, metadata, onThrottle);
      await readSince(log, await log.end());
    };

    const likeliest = partitionOfKey(query.likelyKey, metadata.leaders.length);
    const others = [...metadata.leaders.keys()].filter((partition) => partition !== likeliest);
    const waiting = [likeliest, ...others];
    const readNext = async (): Promise<void> => {
      for (let partition = waiting.shift(); partition !== undefined; partition = waiting.shift()) {
        if (progress.found) return;
        // A record may be found although other partitions cannot be read.
        await readPartition(partition).catch((error: unknown) => {
          // What was there when it was indexed is no longer.
          if (isOutOfRange(error)) progress.gap ??= 'deleted';
          else progress.failure ??= { error };
        });
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_READS }, readNext));
    const { found, failure, gap = metadata.lacksMajority && 'no-majority' } = progress;
    if (found) return { found };
    if (failure) throw failure.error;
    return gap ? { gap } : {};
  };

  /** What a promise gives, or undefined after so long. */
  const inTime = async <Value>(promise: Promise<Value>, milliseconds: number): Promise<Value | undefined> => {
    const enough = new AbortController();
    try {
      return await Promise.race([promise, runtime.sleep(milliseconds, enough.signal).then(() => undefined)]);
    } finally {
      enough.abort();
    }
  };

  const newestOf = async (partition: number, metadata: MajorityMetadata): Promise<FoundRecord[]> => {
    const log = await openPartitionLog(cluster, settings, partition, metadata, onThrottle);
    const [end, earliest] = await Promise.all([log.end(), log.earliest()]);
    if (end <= earliest) return [];
    const { batches, aborted } = await log.read(Math.max(end - NEWEST, earliest), FETCH_BYTES);
    const records: FoundRecord[] = [];
    for (const { bytes, isControl, isReadable } of countedBatches(batches, aborted)) {
      if (isControl || !isReadable) continue;
      for (const record of await decodeRecordBatch(bytes)) records.push({ topic, partition, ...record });
    }
    return records;
  };

  return {
    newest: async () => {
      try {
        const metadata = await cluster.majorityMetadata();
        const records: FoundRecord[] = [];
        for (const partition of metadata.leaders.keys())
          records.push(...(await newestOf(partition, metadata)));
        return records;
      } catch (error) {
        throw new TopicUnreadable(reasonOf(error), { cause: error });
      }
    },
    find: async (query) => {
      try {
        const result = await inTime(search(query), options.timeoutMs);
        if (result && result.gap !== 'no-majority') readable();
        return result ?? { gap: 'too-long' };
      } catch (error) {
        throw new TopicUnreadable(unreadable(error), { cause: error });
      }
    },
    get unreadable() {
      return index && lastReason;
    },
    close: () => {
      closing.abort();
      cluster.close();
    },
  };
};
