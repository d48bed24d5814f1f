import { APIS } from './api-versions.ts';
import { errorOfCode } from './kafkajs-protocol.ts';

/*
 * DescribeQuorum, version 1 (KIP-595, KIP-836), in the protocol's flexible encoding: the one answer of Kafka that says what time
 * it is there. The quorum's leader gives its own clock as the time when it was last up to date.
 */

const VERSION = 1;
const NOT_KNOWN = -1;
const METADATA_LOG = '__cluster_metadata';
/** The end of a structure; in between there could be optional fields. */
const NO_TAGS = Buffer.from([0]);

/** Arrays and strings have their length plus one before them; all here are short. */
const lengthOf = (length: number): Buffer => Buffer.from([length + 1]);

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** A whole request: length, header version 2, and the one partition of the log of metadata. */
export const encodeDescribeQuorum = (correlationId: number, clientId: string): Buffer => {
  const client = Buffer.from(clientId);
  const name = Buffer.from(METADATA_LOG);
  const partition = Buffer.concat([int32(0), NO_TAGS]);
  const topic = Buffer.concat([lengthOf(name.length), name, lengthOf(1), partition, NO_TAGS]);
  const request = Buffer.concat([
    int16(APIS.DescribeQuorum.key),
    int16(VERSION),
    int32(correlationId),
    int16(client.length),
    client,
    NO_TAGS,
    lengthOf(1),
    topic,
    NO_TAGS,
  ]);
  return Buffer.concat([int32(request.length), request]);
};

/** Reads fields one after the other. */
const readerOf = (bytes: Buffer) => {
  let at = 0;
  const skip = (count: number): number => {
    at += count;
    return at - count;
  };
  const varint = (): number => {
    const byte = bytes.readUInt8(skip(1));
    return byte < 0x80 ? byte : (byte & 0x7f) + varint() * 0x80;
  };
  return {
    skip,
    int16: () => bytes.readInt16BE(skip(2)),
    int32: () => bytes.readInt32BE(skip(4)),
    int64: () => Number(bytes.readBigInt64BE(skip(8))),
    /** the length of an array or a string; -1 for none */
    length: () => varint() - 1,
    tags: () => {
      for (let left = varint(); left > 0; left -= 1) {
        varint();
        skip(varint());
      }
    },
  };
};

/**
 * @param payload what follows the correlation id
 * @returns milliseconds since 1970 by the clock of the quorum's leader; undefined when it does not say
 * @throws the broker's error
 */
export const readQuorumTime = (payload: Buffer): number | undefined => {
  const reader = readerOf(payload);
  const check = (code: number): void => {
    if (code !== 0) throw errorOfCode(code);
  };
  reader.tags();
  check(reader.int16());
  if (reader.length() !== 1) return undefined;
  reader.skip(reader.length());
  if (reader.length() !== 1) return undefined;
  // Partition number.
  reader.int32();
  check(reader.int16());
  const leader = reader.int32();
  // Epoch and high watermark.
  reader.skip(12);
  for (let left = reader.length(); left > 0; left -= 1) {
    const voter = reader.int32();
    // End of its log, and when it fetched last.
    reader.skip(16);
    const upToDateAt = reader.int64();
    if (voter === leader) return upToDateAt === NOT_KNOWN ? undefined : upToDateAt;
    reader.tags();
  }
  return undefined;
};
