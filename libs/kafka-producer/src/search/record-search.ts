import type { Logger } from '@workspace/logging';
import type { FoundRecord, SearchResult } from '@workspace/schemas';
import { openCluster } from '../cluster/cluster.ts';
import { partitionOfKey } from '../partition/partition-of-key.ts';
import { type KafkaSettings, kindOfReason, reasonOf } from '../settings.ts';
import { decodeRecordBatch, type KafkaJSProtocolError } from '../wire/kafkajs-protocol.ts';
import { type Runtime, systemRuntime } from '../wire/runtime.ts';
import { countedBatches } from './counted-batches.ts';
import { createLogReader } from './log-reader.ts';
import { isOutOfRange, openPartitionLog, type PartitionLog } from './partition-log.ts';
import type { RecordQuery } from './record-query.ts';
import { CONCURRENT_READS, createTopicIndex, FETCH_BYTES, type TopicIndex } from './topic-index.ts';

/** The topic could not be read now, or may not be read by this user. The message is the reason. */
export class TopicUnreadable extends Error {
  override readonly name = 'TopicUnreadable';
}

/** Whether a record is one of those that are asked for. */
type IsWanted = (record: FoundRecord) => boolean;

/** Searches the topic. */
export interface RecordSearch {
  /** Reads the topic, within limits of time and size. @throws TopicUnreadable */
  find(query: RecordQuery): Promise<SearchResult>;
  /** Some of the last wanted records of each partition, as far as the limit of size allows. @throws TopicUnreadable */
  newest(since: Date, isWanted: IsWanted): Promise<FoundRecord[]>;
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
  /** called when a quota of a broker keeps from reading for so many milliseconds */
  onThrottle?: ((milliseconds: number) => void) | undefined;
  /** with an index, called when acknowledged records are gone: so many at least, from an offset on */
  onLost?: ((partition: number, records: number, from: number) => void) | undefined;
  settings: KafkaSettings;
  logger: Logger;
  now?: (() => Date) | undefined;
  runtime?: Runtime | undefined;
}

/** How long a search waits before it asks again. */
const RETRY_MS = 100;
/** How many wanted records of a partition are enough. So many offsets are read first, and twice as many each time after that. */
const NEWEST = 50;

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
  const search = async (query: RecordQuery, endsAt: number): Promise<SearchResult> => {
    const { maxBytes, keptSince } = options;
    const isLate = (): boolean => runtime.now() >= endsAt;
    const reader = createLogReader(query, { topic, maxBytes, aheadMs, keptSince, isLate });
    const { progress } = reader;
    const isIndexed = options.index?.header === query.header.name;
    const indexed = isIndexed ? await index!.catchUp() : undefined;
    const metadata = indexed ? indexed.metadata : await cluster.majorityMetadata();
    const readPartition = async (partition: number): Promise<void> => {
      const known = indexed?.partitions[partition];
      if (known && 'failure' in known) throw known.failure;
      if (known) return reader.readIndexed(known);
      const log = await openPartitionLog(cluster, settings, partition, metadata, onThrottle);
      await reader.readSince(log, await log.end());
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

  /** @param mostBytes after which nothing more is read */
  const newestOf = async (
    log: PartitionLog,
    since: Date,
    isWanted: IsWanted,
    mostBytes: number,
  ): Promise<FoundRecord[]> => {
    const [end, first = end] = await Promise.all([log.end(), log.firstSince(since.getTime())]);
    const records: FoundRecord[] = [];
    let readBytes = 0;
    for (let stop = end, count = NEWEST; stop > first && records.length < NEWEST; count *= 2) {
      const start = Math.max(stop - count, first);
      for (let offset = start; offset < stop;) {
        if (readBytes > mostBytes) return records;
        const { batches, aborted } = await log.read(offset, FETCH_BYTES);
        if (batches.length === 0) return records;
        readBytes += batches.length;
        for (const { bytes, nextOffset, isControl, isReadable } of countedBatches(batches, aborted)) {
          offset = nextOffset;
          if (isControl || !isReadable) continue;
          const decoded = await decodeRecordBatch(bytes);
          records.push(
            ...decoded.map((one) => ({ topic, partition: log.partition, ...one })).filter(isWanted),
          );
        }
      }
      stop = start;
    }
    return records;
  };

  return {
    newest: async (since, isWanted) => {
      try {
        const metadata = await cluster.majorityMetadata();
        const mostBytes = options.maxBytes / metadata.leaders.length;
        const records: FoundRecord[] = [];
        for (const partition of metadata.leaders.keys()) {
          const log = await openPartitionLog(cluster, settings, partition, metadata, onThrottle);
          records.push(...(await newestOf(log, since, isWanted, mostBytes)));
        }
        return records;
      } catch (error) {
        throw new TopicUnreadable(reasonOf(error), { cause: error });
      }
    },
    find: async (query) => {
      const endsAt = runtime.now() + options.timeoutMs;
      let failure: unknown;
      for (;;) {
        try {
          const result = await inTime(search(query, endsAt), endsAt - runtime.now());
          if (result && result.gap !== 'no-majority') readable();
          if (result) return result;
          if (!failure) return { gap: 'too-long' };
        } catch (error) {
          failure = error;
          // A broker may not know yet who leads, say of a new topic.
          const isPassing = (error as Partial<KafkaJSProtocolError>).retriable === true;
          if (isPassing && !closing.signal.aborted && runtime.now() + RETRY_MS < endsAt) {
            await runtime.sleep(RETRY_MS, closing.signal);
            continue;
          }
        }
        throw new TopicUnreadable(unreadable(failure), { cause: failure });
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
