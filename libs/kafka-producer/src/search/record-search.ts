import type { Logger } from '@workspace/logging';
import type { Receipt } from '@workspace/schemas';
import type { BrokerConnection } from '../wire/broker-connection.ts';
import { type Cluster, openCluster } from '../cluster/cluster.ts';
import { CODEC, READABLE_CODECS } from '../wire/compression.ts';
import { batchHeads, decodeFetchResponse, encodeFetchRequest, fetchVersion } from '../wire/fetch-request.ts';
import { type KafkaSettings, kindOfReason, reasonOf } from '../settings.ts';
import { decodeRecordBatch, errorOfCode } from '../wire/kafkajs-protocol.ts';
import { type Runtime, systemRuntime } from '../wire/runtime.ts';
import { partitionOfKey } from '../partition/partition-of-key.ts';

/** A record to search for. */
export interface RecordQuery {
  /** a header that only this record has */
  readonly header: { readonly name: string; readonly value: string };
  /** the key that it probably has: that key's partition is read first */
  readonly likelyKey: string;
  /** records written before this are not read */
  readonly from: Date;
  /** no record is read that is certainly behind all that were written until then */
  readonly until: Date;
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
  /** the end of the log is not on every in-sync replica yet, and so cannot be read */
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
  close(): void;
}

export interface SearchLimits {
  /** most bytes read for one query */
  maxBytes: number;
  /** most milliseconds spent on one query */
  timeoutMs: number;
}

export interface RecordSearchOptions extends SearchLimits {
  /**
   * By how many milliseconds the times of records can be out of order in a partition, as far as the topic itself sees to that;
   * without it, every record behind may be an earlier one, since their times are what producers say.
   */
  disorderMs?: (() => number) | undefined;
  settings: KafkaSettings;
  logger: Logger;
  runtime?: Runtime | undefined;
}

/** Bytes asked for at once: some thousand records, searched in a millisecond. */
const FETCH_BYTES = 1_048_576;
/** Partitions that are read at the same time. */
const AT_ONCE = 4;

interface Progress {
  found?: FoundRecord;
  gap?: SearchGap;
  /** why a partition could not be read */
  failure?: { error: unknown };
  readBytes: number;
}

/**
 * Searches the topic without a consumer group, on connections that nothing else uses. It connects at its first query.
 *
 * Batches are searched as bytes, at the speed of memory; only one that contains the header's value is decoded. Where the topic
 * compresses its batches, all of them are.
 */
export const createRecordSearch = (options: RecordSearchOptions): RecordSearch => {
  const { settings, logger } = options;
  const cluster = openCluster(settings, options.runtime);
  let lastReason: string | undefined;
  return {
    find: async (query) => {
      try {
        const result = await search(cluster, query, options);
        lastReason = undefined;
        return result;
      } catch (error) {
        const reason = reasonOf(error);
        if (kindOfReason(reason) !== kindOfReason(lastReason))
          logger.warn({ topic: settings.topic, reason }, 'topic cannot be searched');
        lastReason = reason;
        throw new TopicUnreadable(reason, { cause: error });
      }
    },
    close: () => cluster.close(),
  };
};

/** @throws why the topic cannot be read */
const search = async (
  cluster: Cluster,
  query: RecordQuery,
  { settings, maxBytes, timeoutMs, disorderMs, runtime = systemRuntime }: RecordSearchOptions,
): Promise<SearchResult> => {
  const { topic, clientId, requestTimeoutMs } = settings;
  const { leaders, epochs, lacksMajority } = await cluster.majorityMetadata();
  const endsAt = runtime.now() + timeoutMs;
  const lastTime = query.until.getTime() + (disorderMs?.() ?? Infinity);
  const progress: Progress = { readBytes: 0 };
  const isOver = (): boolean => progress.readBytes >= maxBytes || runtime.now() >= endsAt;

  const readPartition = async (partition: number): Promise<void> => {
    const connection = await cluster.connectionTo(leaders[partition] as number);
    const { first, end, isCut } = await spanOf(connection, topic, partition, epochs[partition]!, query.from);
    if (isCut) progress.gap ??= 'deleted';
    let offset: number | undefined = first;
    while (offset !== undefined && offset < end && !progress.found) {
      if (isOver()) {
        progress.gap ??= 'too-long';
        return;
      }
      const next = await readOnce(connection, partition, offset);
      // The leader has more than it shows: its followers do not have that yet.
      if (next === offset) progress.gap ??= 'not-replicated';
      offset = next === offset ? undefined : next;
    }
  };

  /** @returns the offset to go on with; undefined when the record was found, or cannot follow */
  const readOnce = async (
    connection: BrokerConnection,
    partition: number,
    offset: number,
  ): Promise<number | undefined> => {
    const version = fetchVersion(connection.versionOf('Fetch'));
    const bytes = Math.min(FETCH_BYTES, maxBytes - progress.readBytes);
    const payload = await connection.send(
      (correlationId) =>
        encodeFetchRequest({
          version,
          correlationId,
          clientId,
          topic,
          partition,
          leaderEpoch: epochs[partition]!,
          offset,
          maxBytes: Math.max(bytes, 1),
        }),
      requestTimeoutMs,
    );
    const { errorCode, batches } = decodeFetchResponse(payload, version);
    if (errorCode !== 0) throw errorOfCode(errorCode);
    progress.readBytes += batches.length;
    let next = offset;
    for (const batch of batchHeads(batches)) {
      if (batch.baseTimestamp > lastTime) return undefined;
      next = batch.nextOffset;
      if (batch.isControl) continue;
      if (batch.codec === CODEC.none && !batch.bytes.includes(query.header.value)) continue;
      if (!READABLE_CODECS.has(batch.codec)) {
        progress.gap ??= 'unreadable-compression';
        continue;
      }
      const record = (await decodeRecordBatch(batch.bytes)).find(
        ({ headers }) => headers[query.header.name] === query.header.value,
      );
      if (!record) continue;
      progress.found = { topic, partition, ...record };
      return undefined;
    }
    return next;
  };

  const likeliest = partitionOfKey(query.likelyKey, leaders.length);
  const others = [...leaders.keys()].filter((partition) => partition !== likeliest);
  const waiting = [likeliest, ...others];
  const readNext = async (): Promise<void> => {
    for (let partition = waiting.shift(); partition !== undefined; partition = waiting.shift()) {
      if (progress.found) return;
      // A record may be found although other partitions cannot be read.
      await readPartition(partition).catch((error: unknown) => (progress.failure ??= { error }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  const { found, failure, gap = lacksMajority && 'no-majority' } = progress;
  if (found) return { found };
  if (failure) throw failure.error;
  return gap ? { gap } : {};
};

/** Special times of a ListOffsets request. */
const EARLIEST = -2;
const LATEST = -1;
/** As this replica, a request hears of all that the leader has; as a consumer (-1), only of what every in-sync replica has. */
const DEBUGGING_REPLICA = -2;

interface Span {
  /** offset of the first record written at that time or later; undefined when there is none */
  first: number | undefined;
  /** offset after the last record that the leader has */
  end: number;
  /** whether records of that time have been deleted, or may have been: the log begins with them */
  isCut: boolean;
}

/** What a partition has from a time on. Whatever was sent before this question is within it, or will never be there. */
const spanOf = async (
  connection: BrokerConnection,
  topic: string,
  partition: number,
  leaderEpoch: number,
  from: Date,
): Promise<Span> => {
  const offsetAt = async (timestamp: number): Promise<number> => {
    const { responses } = (await connection.request('ListOffsets', {
      replicaId: DEBUGGING_REPLICA,
      isolationLevel: 0,
      topics: [{ topic, partitions: [{ partition, leaderEpoch, timestamp: String(timestamp) }] }],
    })) as { responses: { partitions: { offset: string }[] }[] };
    return Number(responses[0]?.partitions[0]?.offset ?? -1);
  };
  const [end, earliest, first] = await Promise.all([
    offsetAt(LATEST),
    offsetAt(EARLIEST),
    offsetAt(from.getTime()),
  ]);
  const isCut = earliest > 0 && (first < 0 ? earliest === end : first === earliest);
  return { first: first < 0 ? undefined : first, end, isCut };
};
