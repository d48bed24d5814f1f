import { BATCH_OVERHEAD } from '../wire/record-batch.ts';
import type { BatchHead } from '../wire/fetch-response.ts';
import { NO_EPOCH } from '../wire/leader-epoch.ts';
import { visitHeaderValues } from '../wire/record-headers.ts';

/** Records of a chunk: what is read again when one of them may be the one that is asked for. */
const CHUNK_RECORDS = 4_096;

/** FNV-1a, 32 bits: of four million other values, one in a thousand times one is the same. */
const hashOf = (bytes: Uint8Array, start = 0, end = bytes.length): number => {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
};

/** A part of a partition that was read. */
export interface Chunk {
  readonly start: number;
  /** offset after its last one */
  end: number;
  /** of the values; sorted and in a typed array once the next chunk has begun */
  hashes: number[] | Uint32Array;
  /** milliseconds since 1970, of its latest record */
  lastTime: number;
  /** why it may have had records that were not read */
  gap?: 'deleted' | 'unreadable-compression';
}

const isIn = (hashes: number[] | Uint32Array, hash: number): boolean => {
  if (Array.isArray(hashes)) return hashes.includes(hash);
  let low = 0;
  let high = hashes.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = hashes[middle]!;
    if (found === hash) return true;
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return false;
};

/**
 * What was read of one partition, from an offset on and without a gap: four bytes for each record. Of a value that no record
 * has it says so without reading the partition again.
 */
export class PartitionIndex {
  /** Records from then on are in it, or after it, milliseconds since 1970. */
  from: number;
  /** What the log lacks of what was written until then: its retention has deleted it, or may have. */
  cutUntil: number;
  /** the last batch that was read */
  last: BatchHead | undefined;
  /** of the last leader whose log goes on as it was read */
  leaderEpoch = NO_EPOCH;
  /** in order, each from the end of the one before on */
  readonly chunks: Chunk[] = [];
  readonly #header: string;
  readonly #aheadMs: number;
  readonly #firstStart: number;

  /** @param aheadMs how much later than a record those before it may be dated */
  constructor(header: string, start: number, from: number, cutUntil: number, aheadMs: number) {
    this.#header = header;
    this.#aheadMs = aheadMs;
    this.#firstStart = start;
    this.from = from;
    this.cutUntil = cutUntil;
  }

  /** first offset */
  get start(): number {
    return this.chunks[0]?.start ?? this.#firstStart;
  }

  /** offset after the last one */
  get end(): number {
    return this.chunks.at(-1)?.end ?? this.#firstStart;
  }

  /** Whether the last batch that was read is still this one: then the log goes on as it was read. */
  endsWith({ bytes }: BatchHead): boolean {
    return this.last?.bytes.equals(bytes.subarray(0, BATCH_OVERHEAD)) ?? false;
  }

  /** Whether another batch is where the last one was: the log was truncated. Compaction leaves a part of the same batch, or none. */
  isReplacedBy({ baseOffset, producerId, leaderEpoch }: BatchHead): boolean {
    const { last } = this;
    if (!last || baseOffset > last.baseOffset) return false;
    return producerId !== last.producerId || leaderEpoch !== last.leaderEpoch;
  }

  /** Takes the batch that follows what it has. */
  async add(batch: BatchHead): Promise<void> {
    const { baseOffset, nextOffset, maxTimestamp } = batch;
    let chunk = this.chunks.at(-1);
    if (!chunk) this.cutUntil = Math.min(this.cutUntil, maxTimestamp + this.#aheadMs);
    if (!chunk || chunk.hashes.length >= CHUNK_RECORDS) {
      if (chunk) chunk.hashes = Uint32Array.from(chunk.hashes).sort();
      chunk = { start: this.end, end: this.end, hashes: [], lastTime: -Infinity };
      this.chunks.push(chunk);
    }
    const hashes = chunk.hashes as number[];
    if (!batch.isReadable) chunk.gap = 'unreadable-compression';
    else if (!batch.isControl) {
      await visitHeaderValues(batch, this.#header, (bytes, start, end) =>
        hashes.push(hashOf(bytes, start, end)),
      );
      // Compaction leaves holes.
      if (batch.records < nextOffset - baseOffset) chunk.gap ??= 'deleted';
    }
    // The first batch may begin before the offset that was asked for.
    if (baseOffset > chunk.end) chunk.gap ??= 'deleted';
    chunk.end = nextOffset;
    chunk.lastTime = Math.max(chunk.lastTime, maxTimestamp);
    // Its own copy: the answer that it came in is large.
    this.last = { ...batch, bytes: Buffer.from(batch.bytes.subarray(0, BATCH_OVERHEAD)) };
  }

  /** Chunks that may have a value; others certainly do not. */
  candidates(value: string): Chunk[] {
    const hash = hashOf(Buffer.from(value));
    return this.chunks.filter(({ hashes }) => isIn(hashes, hash));
  }

  /** Forgets what was written before a time, and the oldest chunks if there are too many. */
  forget(before: number, mostChunks: number): void {
    while (this.chunks.length > 1) {
      const oldest = this.chunks[0]!;
      if (oldest.lastTime >= before && this.chunks.length <= mostChunks) return;
      this.chunks.shift();
      this.from = Math.max(this.from, oldest.lastTime + 1);
    }
  }
}
