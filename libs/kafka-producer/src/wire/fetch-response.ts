import { CODEC } from './compression.ts';
import type { FieldReader } from './fields.ts';
import { BATCH_OVERHEAD } from './record-batch.ts';

/** What a broker has of one partition. */
export interface FetchedBatches {
  /** record batches; the last one may be cut off */
  readonly batches: Buffer;
  /** transactions among them that were aborted */
  readonly aborted: readonly AbortedTransaction[];
}

/** A producer's batches from an offset on, until its next mark of the end of a transaction. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

/** The answer to a Fetch request for one partition. */
export interface FetchResponse {
  readonly errorCode: number;
  /** milliseconds for which the broker reads nothing more from this connection (quotas, KIP-219) */
  readonly throttleTime: number;
  /** undefined when a quota kept the broker from reading: nothing is said about the partition */
  readonly fetched?: FetchedBatches;
}

const readPartition = (reader: FieldReader, version: number): Omit<FetchResponse, 'throttleTime'> => {
  reader.readInt32(); // its number
  const errorCode = reader.readInt16();
  reader.readInt64(); // high watermark
  reader.readInt64(); // last stable offset
  if (version >= 5) reader.readInt64(); // start of the log
  const aborted = reader.readArray(() => ({
    producerId: reader.readInt64(),
    firstOffset: Number(reader.readInt64()),
  }));
  if (version >= 11) reader.readInt32(); // a replica that is nearer
  return { errorCode, fetched: { batches: reader.readBytes() ?? Buffer.alloc(0), aborted } };
};

/**
 * Reads the answer to a request for one partition. kafkajs would decode each record.
 * @throws RangeError when bytes are missing
 */
export const readFetch = (reader: FieldReader, version: number): FetchResponse => {
  const throttleTime = reader.readInt32();
  const errorCode = version >= 7 ? reader.readInt16() : 0;
  if (version >= 7) reader.readInt32(); // session
  const [topic] = reader.readArray(() => {
    reader.readString();
    return reader.readArray(() => readPartition(reader, version));
  });
  return { throttleTime, errorCode, ...topic?.[0] };
};

/** The head of a record batch of format 2. */
export interface BatchHead {
  /** the whole batch */
  readonly bytes: Buffer;
  readonly baseOffset: number;
  /** offset after its last record */
  readonly nextOffset: number;
  /** in which epoch its leader appended it; that of another log differs, unless the topic was made anew */
  readonly leaderEpoch: number;
  /** how many records it has; compaction deletes some of them */
  readonly records: number;
  /** milliseconds since 1970, of its first record */
  readonly baseTimestamp: number;
  /** milliseconds since 1970, of its latest record */
  readonly maxTimestamp: number;
  /** whether these times are the broker's (`LogAppendTime`), and not the producer's */
  readonly isAppendTime: boolean;
  readonly producerId: bigint;
  /** what its records are compressed with, see `CODEC`; 0 when they can be searched as bytes */
  readonly codec: number;
  /** whether its records can be decompressed */
  readonly isReadable: boolean;
  /** whether it belongs to a transaction */
  readonly isTransactional: boolean;
  /** whether it holds the broker's own marks instead of records */
  readonly isControl: boolean;
}

const COMPRESSION = 0x07;
const APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

/** The whole batches of a Fetch answer, in order; what is cut off at the end is left out. */
export function* batchHeads(batches: Buffer): Generator<BatchHead> {
  let at = 0;
  while (at + BATCH_OVERHEAD <= batches.length) {
    const end = at + 12 + batches.readInt32BE(at + 8);
    if (end > batches.length) return;
    const attributes = batches.readInt16BE(at + 21);
    const baseOffset = Number(batches.readBigInt64BE(at));
    const codec = attributes & COMPRESSION;
    yield {
      bytes: batches.subarray(at, end),
      baseOffset,
      nextOffset: baseOffset + batches.readInt32BE(at + 23) + 1,
      leaderEpoch: batches.readInt32BE(at + 12),
      records: batches.readInt32BE(at + 57),
      baseTimestamp: Number(batches.readBigInt64BE(at + 27)),
      maxTimestamp: Number(batches.readBigInt64BE(at + 35)),
      isAppendTime: (attributes & APPEND_TIME) !== 0,
      producerId: batches.readBigInt64BE(at + 43),
      codec,
      isReadable: codec <= CODEC.zstd,
      isTransactional: (attributes & TRANSACTIONAL) !== 0,
      isControl: (attributes & CONTROL) !== 0,
    };
    at = end;
  }
}
