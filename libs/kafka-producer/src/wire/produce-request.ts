import { APIS } from './api-versions.ts';

/** One partition's batch in a Produce request. */
export interface PartitionBatch {
  readonly partition: number;
  /** an encoded record batch */
  readonly batch: Buffer;
}

/** What the broker says about one partition's batch. */
export interface PartitionResponse {
  /** 0 when the batch is in the log */
  readonly errorCode: number;
  /** offset of the batch's first record, -1 when the broker does not say */
  readonly baseOffset: number;
}

export interface ProduceResponse {
  readonly partitions: ReadonlyMap<number, PartitionResponse>;
  /** milliseconds to wait before the next request (quotas, KIP-219) */
  readonly throttleMs: number;
}

export interface ProduceRequestOptions {
  version: number;
  correlationId: number;
  clientId: string;
  topic: string;
  /** milliseconds the broker waits for the replicas */
  timeoutMs: number;
  batches: readonly PartitionBatch[];
}

const ALL_REPLICAS = -1;
const NO_TRANSACTION = -1;

/** A whole Produce request with `acks=all`: length, header version 1, then one topic with its partitions. */
export const encodeProduceRequest = (options: ProduceRequestOptions): Buffer => {
  const { version, correlationId, timeoutMs, batches } = options;
  const clientId = Buffer.from(options.clientId);
  const topic = Buffer.from(options.topic);
  let size = 4 + 8 + 2 + clientId.length + 2 + 2 + 4 + 4 + 2 + topic.length + 4;
  for (const { batch } of batches) size += 8 + batch.length;

  const frame = Buffer.allocUnsafe(size);
  let at = frame.writeInt32BE(size - 4, 0);
  at = frame.writeInt16BE(APIS.Produce.key, at);
  at = frame.writeInt16BE(version, at);
  at = frame.writeInt32BE(correlationId, at);
  at = frame.writeInt16BE(clientId.length, at);
  at += clientId.copy(frame, at);
  at = frame.writeInt16BE(NO_TRANSACTION, at);
  at = frame.writeInt16BE(ALL_REPLICAS, at);
  at = frame.writeInt32BE(timeoutMs, at);
  at = frame.writeInt32BE(1, at);
  at = frame.writeInt16BE(topic.length, at);
  at += topic.copy(frame, at);
  at = frame.writeInt32BE(batches.length, at);
  for (const { partition, batch } of batches) {
    at = frame.writeInt32BE(partition, at);
    at = frame.writeInt32BE(batch.length, at);
    frame.set(batch, at);
    at += batch.length;
  }
  return frame;
};

/**
 * Reads the answer to a request of one topic.
 * @param payload what follows the correlation id
 * @throws RangeError when bytes are missing
 */
export const decodeProduceResponse = (payload: Buffer, version: number): ProduceResponse => {
  // After the base offset come the append time and, from version 5 on, the log's start offset.
  const ignored = version >= 5 ? 16 : 8;
  const partitions = new Map<number, PartitionResponse>();
  let at = 4;
  for (let topics = payload.readInt32BE(0); topics > 0; topics -= 1) {
    at += 2 + payload.readInt16BE(at);
    let count = payload.readInt32BE(at);
    at += 4;
    for (; count > 0; count -= 1) {
      const errorCode = payload.readInt16BE(at + 4);
      const baseOffset = Number(payload.readBigInt64BE(at + 6));
      partitions.set(payload.readInt32BE(at), { errorCode, baseOffset });
      at += 14 + ignored;
    }
  }
  return { partitions, throttleMs: payload.readInt32BE(at) };
};
