import { APIS } from './api-versions.ts';
import { READABLE_CODECS } from './compression.ts';
import { BATCH_OVERHEAD } from './record-batch.ts';

const NO_REPLICA = -1;
/** What others write in transactions, as mirrors do, counts once it is committed. */
const READ_COMMITTED = 1;

/** Without leader epochs, for brokers older than Kafka 2.1. */
const OLD_VERSION = 4;
const NO_SESSION = 0;
const FINAL_EPOCH_OF_SESSION = -1;

/** The version for a broker that supports versions up to this one. */
export const fetchVersion = (newest: number): number => (newest === APIS.Fetch.newest ? newest : OLD_VERSION);

export interface FetchRequestOptions {
  /** see `fetchVersion` */
  version: number;
  correlationId: number;
  clientId: string;
  topic: string;
  partition: number;
  /** of the leader that is asked: a broker that leads in another epoch does not answer; `NO_EPOCH` when it is not known */
  leaderEpoch: number;
  /** first offset wanted; the answer starts with the batch that holds it */
  offset: number;
  /** how long the broker waits for followers to copy the batch at the offset, if they have not yet */
  longestWaitMs: number;
  /** most bytes of record batches; the first batch is sent whole even if it is larger */
  maxBytes: number;
}

/** A whole Fetch request for one partition: length, header version 1, body of version 4 or 9. */
export const encodeFetchRequest = (options: FetchRequestOptions): Buffer => {
  const { version } = options;
  const withEpoch = version > OLD_VERSION;
  const clientId = Buffer.from(options.clientId);
  const topic = Buffer.from(options.topic);
  const size = 4 + 8 + 2 + clientId.length + 17 + 4 + 2 + topic.length + 4 + 16;
  const frame = Buffer.allocUnsafe(withEpoch ? size + 8 + 12 + 4 : size);
  let at = frame.writeInt32BE(frame.length - 4, 0);
  at = frame.writeInt16BE(APIS.Fetch.key, at);
  at = frame.writeInt16BE(version, at);
  at = frame.writeInt32BE(options.correlationId, at);
  at = frame.writeInt16BE(clientId.length, at);
  at += clientId.copy(frame, at);
  at = frame.writeInt32BE(NO_REPLICA, at);
  at = frame.writeInt32BE(options.longestWaitMs, at);
  at = frame.writeInt32BE(1, at); // fewest bytes
  at = frame.writeInt32BE(options.maxBytes, at);
  at = frame.writeInt8(READ_COMMITTED, at);
  if (withEpoch) {
    at = frame.writeInt32BE(NO_SESSION, at);
    at = frame.writeInt32BE(FINAL_EPOCH_OF_SESSION, at);
  }
  at = frame.writeInt32BE(1, at);
  at = frame.writeInt16BE(topic.length, at);
  at += topic.copy(frame, at);
  at = frame.writeInt32BE(1, at);
  at = frame.writeInt32BE(options.partition, at);
  if (withEpoch) at = frame.writeInt32BE(options.leaderEpoch, at);
  at = frame.writeBigInt64BE(BigInt(options.offset), at);
  if (withEpoch) at = frame.writeBigInt64BE(-1n, at); // log start offset, for followers
  at = frame.writeInt32BE(options.maxBytes, at);
  if (withEpoch) frame.writeInt32BE(0, at); // partitions of the session that are no longer wanted
  return frame;
};

/** What a broker answers for one partition. */
export interface FetchResponse {
  readonly errorCode: number;
  /** milliseconds for which the broker reads nothing more from this connection (quotas, KIP-219) */
  readonly throttleMs: number;
  /** a quota kept the broker from reading: nothing is said about the partition */
  readonly isWithheld?: true;
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

/**
 * Reads the answer to a request of one partition.
 * @param payload what follows the correlation id
 * @throws RangeError when bytes are missing
 */
export const decodeFetchResponse = (payload: Buffer, version: number): FetchResponse => {
  const isNew = version > OLD_VERSION;
  const throttleMs = payload.readInt32BE(0);
  const nothing = { throttleMs, batches: payload.subarray(0, 0), aborted: [] };
  let at = 4; // throttle time
  if (isNew) {
    const errorCode = payload.readInt16BE(at);
    if (errorCode !== 0) return { errorCode, ...nothing };
    at += 2 + 4; // error, session
  }
  const topics = payload.readInt32BE(at);
  if (topics === 0) return { errorCode: 0, ...nothing, isWithheld: true };
  at += 4;
  at += 2 + payload.readInt16BE(at) + 4 + 4; // topic, number of partitions, partition
  const errorCode = payload.readInt16BE(at);
  at += 2 + 8 + 8 + (isNew ? 8 : 0); // error, high watermark, last stable offset, start of the log
  const aborted: AbortedTransaction[] = [];
  for (let left = payload.readInt32BE(at); left > 0; left -= 1, at += 16)
    aborted.push({
      producerId: payload.readBigInt64BE(at + 4),
      firstOffset: Number(payload.readBigInt64BE(at + 12)),
    });
  at += 4;
  const size = Math.max(payload.readInt32BE(at), 0);
  return { errorCode, throttleMs, batches: payload.subarray(at + 4, at + 4 + size), aborted };
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
      isReadable: READABLE_CODECS.has(codec),
      isTransactional: (attributes & TRANSACTIONAL) !== 0,
      isControl: (attributes & CONTROL) !== 0,
    };
    at = end;
  }
}
