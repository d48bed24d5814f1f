import type { FoundRecord, SearchGap } from '@workspace/schemas';
import { CODEC } from '../wire/compression.ts';
import { decodeRecordBatch } from '../wire/kafkajs-protocol.ts';
import { countedBatches } from './counted-batches.ts';
import { beginningSince, isOutOfRange, type PartitionLog } from './partition-log.ts';
import type { RecordQuery } from './record-query.ts';
import { FETCH_BYTES, type IndexedPartition } from './topic-index.ts';

/** What a query found so far, in all partitions. */
export interface Progress {
  found?: FoundRecord;
  gap?: SearchGap;
  /** why a partition could not be read */
  failure?: { error: unknown };
  /** whether batches have the broker's time: a record whose clock was ahead is dated earlier than its query */
  isAppendTime?: boolean;
  readBytes: number;
}

export interface LogReaderOptions {
  topic: string;
  /** most bytes read for the query */
  maxBytes: number;
  /** by how many milliseconds a record may be dated later than those behind it */
  aheadMs: number;
  /** milliseconds since 1970 since when the log has all that was written */
  keptSince?: (() => Promise<number | undefined>) | undefined;
  /** whether the time of the query is over */
  isLate: () => boolean;
}

/** Reads the logs of partitions for one query. */
export const createLogReader = (
  { header, from, isWanted = () => true }: RecordQuery,
  { topic, maxBytes, aheadMs, keptSince, isLate }: LogReaderOptions,
) => {
  const progress: Progress = { readBytes: 0 };
  // Asked after the log: what its retention deletes changes with its settings.
  const mayBeDeleted = async (since: number): Promise<boolean> =>
    since <= ((await keptSince?.()) ?? Infinity);
  const isOver = (): boolean => progress.readBytes >= maxBytes || isLate();

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
  const readOnce = async (log: PartitionLog, offset: number, wanted: number): Promise<number | undefined> => {
    const bytes = Math.min(FETCH_BYTES, maxBytes - progress.readBytes);
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

  return { progress, readSince, readIndexed };
};
