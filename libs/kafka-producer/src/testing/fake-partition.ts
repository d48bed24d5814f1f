import type { PartitionResponse } from '../wire/produce-request.ts';
import type { ProducerIdentity } from '../wire/record-batch.ts';

const NONE = 0;
const MESSAGE_TOO_LARGE = 10;
const INVALID_TIMESTAMP = 32;
const OUT_OF_ORDER_SEQUENCE_NUMBER = 45;
/** Batches of a producer id that a broker remembers. */
const REMEMBERED = 5;
const SEQUENCES = 2 ** 31;

interface Remembered {
  sequence: number;
  count: number;
  offset: number;
}

/** One partition as a broker keeps it, for tests: appends batches, knows those that come again by their numbers. */
export interface FakePartition {
  /** keys of the records, by offset */
  readonly log: readonly string[];
  readonly batches: readonly StoredBatch[];
  /** most bytes of a batch */
  maxBytes: number;
  /** how old and how far in the future the timestamp of a batch may be: `message.timestamp.before.max.ms`, `.after.max.ms` */
  readonly timestamps: { beforeMaxMs: number; afterMaxMs: number };
  /** Removes the last batches, as when a replica becomes leader that never had them. @returns what was removed */
  truncate(batches: number): StoredBatch[];
  /** Becomes what another replica has: what only this one has is truncated, and producers are known by the batches left. */
  follow(leader: FakePartition): void;
  /** Forgets a producer, so that its next batch is out of order. */
  forget(): void;
  append(batch: Buffer): PartitionResponse;
  /** offset of the first record that is left */
  start: number;
  /** records from here on are not on every in-sync replica: consumers do not see them */
  highWatermark: number;
  /** offset of the first record written at that time or later, -1 for none; -1 as time: the end, -2: the start */
  offsetAt(time: number): number;
  /** Record batches from the one that holds an offset on; the first is whole, the last may be cut off. */
  read(offset: number, maxBytes: number): Buffer;
}

/** A batch in a log. */
export interface StoredBatch {
  readonly bytes: Buffer;
  readonly offset: number;
  readonly count: number;
  readonly timestamp: number;
}

const readVarint = (bytes: Buffer, at: number): [value: number, next: number] => {
  let value = 0;
  let shift = 0;
  let byte: number;
  do {
    byte = bytes[at++] as number;
    value |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return [(value >>> 1) ^ -(value & 1), at];
};

/** The keys of the records of a batch. */
export const keysOf = (batch: Buffer): string[] => {
  const keys: string[] = [];
  let at = 61;
  for (let left = batch.readInt32BE(57); left > 0; left -= 1) {
    const [length, body] = readVarint(batch, at);
    const [, afterDelta] = readVarint(batch, body + 2);
    const [keyLength, key] = readVarint(batch, afterDelta);
    keys.push(batch.toString('utf8', key, key + keyLength));
    at = body + length;
  }
  return keys;
};

export const identityOf = (batch: Buffer): ProducerIdentity => ({
  id: batch.readBigInt64BE(43),
  epoch: batch.readInt16BE(51),
});

/** @param now the broker's clock, milliseconds since 1970 */
export const createFakePartition = (now: () => number = () => Date.now()): FakePartition => {
  const log: string[] = [];
  const batches: StoredBatch[] = [];
  const producers = new Map<bigint, Remembered[]>();
  const forgotten = new Set<bigint>();
  const store = (batch: StoredBatch): void => {
    const { id } = identityOf(batch.bytes);
    const numbers = { sequence: batch.bytes.readInt32BE(53), count: batch.count, offset: batch.offset };
    batches.push(batch);
    log.push(...keysOf(batch.bytes));
    producers.set(id, [...(producers.get(id) ?? []), numbers].slice(-REMEMBERED));
  };
  const partition: FakePartition = {
    log,
    batches,
    maxBytes: Infinity,
    timestamps: { beforeMaxMs: Infinity, afterMaxMs: Infinity },
    start: 0,
    highWatermark: Infinity,
    offsetAt: (time) => {
      if (time === -1) return log.length;
      if (time === -2) return partition.start;
      const found = batches.find(({ offset, timestamp }) => offset >= partition.start && timestamp >= time);
      return found?.offset ?? -1;
    },
    read: (from, maxBytes) => {
      const wanted = batches.filter(
        ({ offset, count }) => offset + count > from && offset < partition.highWatermark,
      );
      const bytes = Buffer.concat(wanted.map((batch) => batch.bytes));
      return bytes.subarray(0, Math.max(maxBytes, wanted[0]?.bytes.length ?? 0));
    },
    forget: () => {
      for (const id of producers.keys()) forgotten.add(id);
    },
    append: (batch) => {
      const { id } = identityOf(batch);
      const sequence = batch.readInt32BE(53);
      const keys = keysOf(batch);
      if (batch.length > partition.maxBytes) return { errorCode: MESSAGE_TOO_LARGE, baseOffset: -1 };
      const timestamp = Number(batch.readBigInt64BE(27));
      const { beforeMaxMs, afterMaxMs } = partition.timestamps;
      if (now() - timestamp > beforeMaxMs || timestamp - now() > afterMaxMs)
        return { errorCode: INVALID_TIMESTAMP, baseOffset: -1 };
      const remembered = producers.get(id) ?? [];
      const same = remembered.find((one) => one.sequence === sequence && one.count === keys.length);
      if (same) return { errorCode: NONE, baseOffset: same.offset };
      const last = remembered.at(-1);
      const expected = last && (last.sequence + last.count) % SEQUENCES;
      if (forgotten.has(id) || (expected !== undefined && expected !== sequence)) {
        return { errorCode: OUT_OF_ORDER_SEQUENCE_NUMBER, baseOffset: -1 };
      }
      const offset = log.length;
      const bytes = Buffer.from(batch);
      bytes.writeBigInt64BE(BigInt(offset), 0);
      store({ bytes, offset, count: keys.length, timestamp });
      return { errorCode: NONE, baseOffset: offset };
    },
    truncate: (count) => {
      if (count === 0) return [];
      const kept = batches.splice(0);
      const removed = kept.splice(Math.max(0, kept.length - count));
      log.length = 0;
      producers.clear();
      for (const batch of kept) store(batch);
      return removed;
    },
    follow: (leader) => {
      let same = Math.min(batches.length, leader.batches.length);
      while (same > 0 && batches[same - 1] !== leader.batches[same - 1]) same -= 1;
      partition.truncate(batches.length - same);
      for (const batch of leader.batches.slice(same)) store(batch);
      partition.start = leader.start;
    },
  };
  return partition;
};
