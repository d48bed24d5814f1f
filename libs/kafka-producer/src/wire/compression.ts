import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { decompressLz4 } from './lz4.ts';

/** Undoes one kind of compression of record batches, as kafkajs calls it. */
export interface Codec {
  decompress(compressed: Buffer): Promise<Buffer>;
}

/** The numbers by which record batches name what they are compressed with. */
export const CODEC = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;

/** Far more than a broker takes in one batch (`max.message.bytes`, 1 MiB by default). */
const MAX_BATCH_BYTES = 268_435_456;

const LIMIT = { maxOutputLength: MAX_BATCH_BYTES };
const ungzip = promisify(gunzip);
const unzstd = promisify(zstdDecompress);

/** How snappy-java, and so every broker that compresses, begins a stream of blocks; then two version numbers follow. */
const XERIAL_HEADER = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_START = XERIAL_HEADER.length + 8;

const unsnappy = async (compressed: Buffer): Promise<Buffer> => {
  // Loaded when it is needed: most topics keep what the producer sends, which is not compressed.
  // @ts-expect-error no types
  const { default: snappy } = (await import('snappyjs')) as {
    default: { uncompress(block: Buffer, maxLength: number): Buffer };
  };
  if (!compressed.subarray(0, XERIAL_HEADER.length).equals(XERIAL_HEADER)) {
    return snappy.uncompress(compressed, MAX_BATCH_BYTES);
  }
  const blocks: Buffer[] = [];
  for (let at = XERIAL_START; at < compressed.length;) {
    const end = at + 4 + compressed.readUInt32BE(at);
    blocks.push(snappy.uncompress(compressed.subarray(at + 4, end), MAX_BATCH_BYTES));
    at = end;
  }
  return Buffer.concat(blocks);
};

/** By number. kafkajs has only gzip, and no limit for it. */
export const codecs: Readonly<Record<number, Codec>> = {
  [CODEC.gzip]: { decompress: (compressed) => ungzip(compressed, LIMIT) },
  [CODEC.snappy]: { decompress: unsnappy },
  // No well-kept package without native code reads it.
  [CODEC.lz4]: { decompress: async (compressed) => decompressLz4(compressed, MAX_BATCH_BYTES) },
  [CODEC.zstd]: { decompress: (compressed) => unzstd(compressed, LIMIT) },
};
