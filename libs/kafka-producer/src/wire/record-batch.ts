import type { LogRecord, SharedHeaders } from '@workspace/schemas';
import { crc32c } from './crc32c.ts';

/** What Kafka knows an idempotent producer by. */
export interface ProducerIdentity {
  readonly id: bigint;
  readonly epoch: number;
}

export interface RecordBatchOptions {
  identity: ProducerIdentity;
  /** sequence number of the first record, 0 to 2³¹ - 1; the broker knows a batch that is sent again by it */
  baseSequence: number;
  /** milliseconds since 1970, of every record */
  timestamp: number;
}

/** Bytes before the first record. */
export const BATCH_OVERHEAD = 61;
const LENGTH_AT = 8;
const LEADER_EPOCH_AT = 12;
const MAGIC_AT = 16;
const CRC_AT = 17;
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const BASE_TIMESTAMP_AT = 27;
const MAX_TIMESTAMP_AT = 35;
const PRODUCER_ID_AT = 43;
const PRODUCER_EPOCH_AT = 51;
const BASE_SEQUENCE_AT = 53;
const COUNT_AT = 57;
const MAGIC = 2;

const INITIAL_BYTES = 64 * 1024;
/** A larger buffer is not kept for the next batch. */
const KEPT_BYTES = 2 * 1024 * 1024;
const MAX_VARINT = 5;
const MAX_BYTES_PER_CHARACTER = 3;
/** A text shorter than this has a length of one byte, and is faster written by JavaScript than by native code. */
const SHORT_TEXT = 64;

/** Length, attributes, time, offset, and the lengths of key, value and headers, at their longest. */
const RECORD_FRAMING = 27;
/** The lengths of its name and value. */
const HEADER_FRAMING = 10;

const sizeOfVarint = (value: number): number => {
  let size = 1;
  for (let rest = (value << 1) >>> 7; rest !== 0; rest >>>= 7) size += 1;
  return size;
};

/** Most records are of 64 to 8,191 bytes, whose length takes two; otherwise the record is moved. */
const USUAL_LENGTH_BYTES = 2;

/** Writes batches into a buffer of its own, out of which each is copied. */
class BatchEncoder {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  /** where the next byte goes */
  #at = 0;
  readonly #encodedParts = new WeakMap<SharedHeaders, readonly Buffer[]>();

  #ensure(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }

  /** A signed 32-bit integer, zigzag-encoded, seven bits a byte, least significant first. */
  #writeVarint(value: number): void {
    let rest = (value << 1) ^ (value >> 31);
    while ((rest & ~0x7f) !== 0) {
      this.#buffer[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#at++] = rest;
  }

  #writeLongText(text: string): void {
    this.#ensure(MAX_VARINT + text.length * MAX_BYTES_PER_CHARACTER);
    this.#writeVarint(Buffer.byteLength(text));
    this.#at += this.#buffer.write(text, this.#at, 'utf8');
  }

  /** Length and UTF-8 bytes. */
  #writeText(text: string): void {
    const { length } = text;
    if (length >= SHORT_TEXT) return this.#writeLongText(text);
    this.#ensure(1 + length);
    const start = this.#at;
    this.#buffer[this.#at++] = length << 1;
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.#at = start;
        return this.#writeLongText(text);
      }
      this.#buffer[this.#at++] = code;
    }
  }

  #writeBytes(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#ensure(MAX_VARINT + length);
    this.#writeVarint(length);
    if (length < SHORT_TEXT)
      for (let index = 0; index < length; index += 1) this.#buffer[this.#at++] = bytes[index]!;
    else {
      this.#buffer.set(bytes, this.#at);
      this.#at += length;
    }
  }

  #writeValue(value: string | Buffer): void {
    if (typeof value === 'string') this.#writeText(value);
    else this.#writeBytes(value);
  }

  #writeCount(headers: object): void {
    let count = 0;
    for (const _ in headers) count += 1;
    this.#ensure(MAX_VARINT);
    this.#writeVarint(count);
  }

  #writeHeaders(headers: LogRecord['headers']): void {
    this.#writeCount(headers);
    for (const name in headers) {
      this.#writeText(name);
      this.#writeValue(headers[name] as string | Buffer);
    }
  }

  /** The bytes of shared headers before, between and after the values that are each record's own. */
  #partsOf(shared: SharedHeaders): readonly Buffer[] {
    const known = this.#encodedParts.get(shared);
    if (known) return known;
    const { headers, own } = shared;
    const parts: Buffer[] = [];
    // What is beyond `at` is free, also while a batch is written.
    const start = this.#at;
    const cut = (): void => {
      parts.push(Buffer.from(this.#buffer.subarray(start, this.#at)));
      this.#at = start;
    };
    this.#writeCount(headers);
    for (const name in headers) {
      this.#writeText(name);
      if (own.includes(name)) cut();
      else this.#writeValue(headers[name] as string | Buffer);
    }
    cut();
    this.#encodedParts.set(shared, parts);
    return parts;
  }

  #writeSharedHeaders(shared: SharedHeaders, own: readonly string[]): void {
    const parts = this.#partsOf(shared);
    for (let index = 0; index < parts.length; index += 1) {
      if (index > 0) this.#writeText(own[index - 1]!);
      const part = parts[index]!;
      this.#ensure(part.length);
      this.#buffer.set(part, this.#at);
      this.#at += part.length;
    }
  }

  recordBytes(record: LogRecord): number {
    const { key, value, shared, own } = record;
    let bytes = RECORD_FRAMING + Buffer.byteLength(key) + value.length;
    if (shared) {
      const parts = this.#partsOf(shared);
      for (let index = 0; index < parts.length; index += 1) bytes += parts[index]!.length;
      for (let index = 0; index < own!.length; index += 1)
        bytes += MAX_VARINT + Buffer.byteLength(own![index]!);
      return bytes;
    }
    const { headers } = record;
    for (const name in headers) {
      const header = headers[name] as string | Buffer;
      bytes += HEADER_FRAMING + name.length; // names of headers are our own, and ASCII
      bytes += typeof header === 'string' ? Buffer.byteLength(header) : header.length;
    }
    return bytes;
  }

  #writeRecord(record: LogRecord, offsetDelta: number): void {
    const { key, value, shared } = record;
    this.#ensure(USUAL_LENGTH_BYTES + 2 + MAX_VARINT);
    const start = this.#at;
    this.#at += USUAL_LENGTH_BYTES;
    const body = this.#at;
    this.#buffer[this.#at++] = 0; // attributes
    this.#buffer[this.#at++] = 0; // timestamp delta
    this.#writeVarint(offsetDelta);
    this.#writeText(key);
    this.#writeBytes(value);
    if (shared) this.#writeSharedHeaders(shared, record.own!);
    else this.#writeHeaders(record.headers);
    const end = this.#at;
    this.#ensure(MAX_VARINT);
    this.#at = start;
    const length = end - body;
    const lengthBytes = sizeOfVarint(length);
    if (lengthBytes !== USUAL_LENGTH_BYTES) this.#buffer.copyWithin(start + lengthBytes, body, end);
    this.#writeVarint(length);
    this.#at += length;
  }

  encode(records: readonly LogRecord[], options: RecordBatchOptions): Buffer {
    const { identity, baseSequence, timestamp } = options;
    this.#at = BATCH_OVERHEAD;
    for (let index = 0; index < records.length; index += 1) this.#writeRecord(records[index]!, index);

    const batch = Buffer.allocUnsafe(this.#at);
    batch.set(this.#buffer.subarray(BATCH_OVERHEAD, this.#at), BATCH_OVERHEAD);
    this.#at = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafe(INITIAL_BYTES);
    batch.fill(0, 0, LENGTH_AT); // base offset: the broker's to give
    batch.writeInt32BE(batch.length - LEADER_EPOCH_AT, LENGTH_AT);
    batch.writeInt32BE(0, LEADER_EPOCH_AT); // the broker's, too
    batch[MAGIC_AT] = MAGIC;
    batch.writeInt16BE(0, ATTRIBUTES_AT);
    batch.writeInt32BE(records.length - 1, LAST_OFFSET_DELTA_AT);
    batch.writeBigInt64BE(BigInt(timestamp), BASE_TIMESTAMP_AT);
    batch.writeBigInt64BE(BigInt(timestamp), MAX_TIMESTAMP_AT);
    batch.writeBigInt64BE(identity.id, PRODUCER_ID_AT);
    batch.writeInt16BE(identity.epoch, PRODUCER_EPOCH_AT);
    batch.writeInt32BE(baseSequence, BASE_SEQUENCE_AT);
    batch.writeInt32BE(records.length, COUNT_AT);
    batch.writeUInt32BE(crc32c(batch, ATTRIBUTES_AT), CRC_AT);
    return batch;
  }
}

const encoder = new BatchEncoder();

/** Bytes that a record takes in a batch, at most: key, value, headers and their framing. */
export const recordBytes = (record: LogRecord): number => encoder.recordBytes(record);

/**
 * Encodes one record batch of format 2, uncompressed, with Kafka's field order (kafka.apache.org, "Record Batch").
 * The bytes are the caller's own: sent again unchanged, they are recognised by the broker.
 *
 * @param records at least one
 */
export const encodeRecordBatch = (records: readonly LogRecord[], options: RecordBatchOptions): Buffer =>
  encoder.encode(records, options);
