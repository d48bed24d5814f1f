import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
// @ts-expect-error no types
import snappy from 'snappyjs';
import { CODEC } from './compression.ts';
import { decodeRecordBatch } from './kafkajs-protocol.ts';
import { BATCH_OVERHEAD, encodeRecordBatch } from './record-batch.ts';
import { visitHeaderValues } from './record-headers.ts';

const uint32 = (value: number, isBigEndian = false): Buffer => {
  const bytes = Buffer.alloc(4);
  if (isBigEndian) bytes.writeUInt32BE(value);
  else bytes.writeUInt32LE(value);
  return bytes;
};
const snappyBlock = (bytes: Buffer): Buffer =>
  (snappy as { compress(bytes: Buffer): Buffer }).compress(bytes);

/** What a client or broker makes of a batch's records, by the codec's number and how it is framed. */
const COMPRESSIONS: Record<string, [codec: number, compress: (records: Buffer) => Buffer]> = {
  none: [CODEC.none, (records) => records],
  gzip: [CODEC.gzip, gzipSync],
  snappy: [CODEC.snappy, snappyBlock],
  'snappy in blocks': [
    CODEC.snappy,
    (records) => {
      const half = records.length >> 1;
      const blocks = [records.subarray(0, half), records.subarray(half)].map(snappyBlock);
      return Buffer.concat([
        Buffer.from('\x82SNAPPY\0', 'latin1'),
        uint32(1, true),
        uint32(1, true),
        ...blocks.flatMap((block) => [uint32(block.length, true), block]),
      ]);
    },
  ],
  lz4: [
    CODEC.lz4,
    (records) =>
      Buffer.concat([
        uint32(0x184d2204),
        Buffer.from([0x60, 0x70, 0]),
        uint32(0x80000000 + records.length),
        records,
        uint32(0),
      ]),
  ],
  zstd: [CODEC.zstd, zstdCompressSync],
};

const compressed = (batch: Buffer, name: string): Buffer => {
  const [codec, compress] = COMPRESSIONS[name]!;
  const whole = Buffer.concat([batch.subarray(0, BATCH_OVERHEAD), compress(batch.subarray(BATCH_OVERHEAD))]);
  whole.writeInt32BE(whole.length - 12, 8);
  whole.writeInt16BE(codec, 21);
  return whole;
};

const valuesOf = async (batch: Buffer, header: string): Promise<string[]> => {
  const values: string[] = [];
  const head = { bytes: batch, codec: batch.readInt16BE(21), records: batch.readInt32BE(57) };
  await visitHeaderValues(head, header, (bytes, start, end) =>
    values.push(bytes.toString('utf8', start, end)),
  );
  return values;
};

const text = fc.string({ maxLength: 200 });
const records = fc.array(
  fc.record({
    key: text,
    value: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    headers: fc.dictionary(fc.constantFrom('id', 'ie', 'i', 'idx', 'x'.repeat(80)), text, {
      noNullPrototype: true,
    }),
  }),
  { minLength: 1, maxLength: 30 },
);
const OPTIONS = { identity: { id: 1n, epoch: 0 }, baseSequence: 0, timestamp: 1_000 };

/** One record by hand: bytes from attributes to the last header. */
const batchOf = (...record: number[]): Buffer => {
  const batch = Buffer.concat([Buffer.alloc(BATCH_OVERHEAD), Buffer.from([record.length * 2, ...record])]);
  batch.writeInt32BE(1, 57);
  return batch;
};
const [ID, NULL] = [[4, 0x69, 0x64], 1];

describe('values of a header in a record batch', () => {
  it.each(Object.keys(COMPRESSIONS))('are those that the whole decoder finds: %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(records, async (written) => {
        const batch = compressed(encodeRecordBatch(written, OPTIONS), name);
        const decoded = await decodeRecordBatch(batch);
        expect(decoded.map(({ value }) => value)).toEqual(written.map(({ value }) => value));
        for (const header of ['id', 'x'.repeat(80), 'unused']) {
          const expected = decoded.flatMap(({ headers }) => headers[header] ?? []);
          expect(await valuesOf(batch, header)).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('are read behind long times and offsets, a missing key and value, and before fields that are newer', async () => {
    const [time, offset] = [
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [0x80, 0x80, 1],
    ];
    const batch = batchOf(0, ...time, ...offset, NULL, NULL, 4, ...ID, 2, 0x61, ...ID, NULL, 0x99, 0x99);
    expect(await valuesOf(batch, 'id')).toEqual(['a', '']);
  });

  it('are an error in a batch that is cut off, or has a length that no record has', async () => {
    const whole = batchOf(0, 0, 0, NULL, NULL, 2, ...ID, 4, 0x61, 0x62);
    expect(await valuesOf(whole, 'id')).toEqual(['ab']);
    await expect(valuesOf(whole.subarray(0, -6), 'id')).rejects.toThrow('a record batch is cut off');
    const tooLong = batchOf(0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0, NULL, 0);
    await expect(valuesOf(tooLong, 'id')).rejects.toThrow(RangeError);
    const longest = batchOf(0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0, NULL, 0);
    expect(await valuesOf(longest, 'id')).toEqual([]);
  });
});

it.each([
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
])('does not decompress more than 256 MiB of one batch (%s)', async (name, compress) => {
  const [codec] = COMPRESSIONS[name]!;
  // Both formats allow several frames behind each other.
  const frame = compress(Buffer.alloc(1_048_576));
  const whole = Buffer.concat([Buffer.alloc(BATCH_OVERHEAD), ...Array<Buffer>(257).fill(frame)]);
  whole.writeInt16BE(codec, 21);
  await expect(valuesOf(whole, 'id')).rejects.toThrow('268435456 bytes');
});
