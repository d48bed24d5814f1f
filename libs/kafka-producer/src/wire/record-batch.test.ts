import fc from 'fast-check';
// @ts-expect-error no types
import Record from 'kafkajs/src/protocol/recordBatch/record/v0/index.js';
// @ts-expect-error no types
import Batch from 'kafkajs/src/protocol/recordBatch/v0/index.js';
import type { LogRecord } from '@workspace/schemas';
import { BATCH_OVERHEAD, encodeRecordBatch, recordBytes, type RecordBatchOptions } from './record-batch.ts';

interface Encoder {
  buffer: Buffer;
}
const recordOf = Record as (options: object) => Encoder;
const batchOf = (Batch as { RecordBatch(options: object): Promise<Encoder> }).RecordBatch;

/** The same batch by kafkajs's own encoder. */
const byKafkajs = async (
  records: readonly LogRecord[],
  { identity, baseSequence, timestamp }: RecordBatchOptions,
): Promise<Buffer> => {
  const { buffer } = await batchOf({
    records: records.map((record, offsetDelta) => recordOf({ ...record, offsetDelta })),
    firstTimestamp: timestamp,
    maxTimestamp: timestamp,
    producerId: identity.id.toString(),
    producerEpoch: identity.epoch,
    firstSequence: baseSequence,
    lastOffsetDelta: records.length - 1,
  });
  return buffer;
};

const text = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary', maxLength: 80 }));
// A member named __proto__ or like an integer is no header: names are ours.
const name = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'abcdefgh_-é') });
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const record: fc.Arbitrary<LogRecord> = fc.record({
  key: text,
  value: fc.oneof(
    bytes,
    fc.integer({ min: 0, max: 40_000 }).map((size) => Buffer.alloc(size, 'x')),
  ),
  headers: fc.dictionary(name, fc.oneof(text, bytes), { maxKeys: 9, noNullPrototype: true }),
});
const options: fc.Arbitrary<RecordBatchOptions> = fc.record({
  identity: fc.record({
    id: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    epoch: fc.integer({ min: 0, max: 32_767 }),
  }),
  baseSequence: fc.nat(2 ** 31 - 1),
  timestamp: fc.integer({ min: 0, max: 8_640_000_000_000 }),
});

describe('encodeRecordBatch', () => {
  it('writes shared headers as it writes those of one record', () => {
    const names = ['a', 'b', 'c', 'd'];
    const values = fc.record(Object.fromEntries(names.map((header) => [header, fc.oneof(text, bytes)])));
    const ownValues = fc.array(fc.array(text, { minLength: 4, maxLength: 4 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(record, values, fc.subarray(names), ownValues, options, (one, headers, own, all, given) => {
        const shared = { headers, own };
        const ofMany = all.map((texts) => ({ ...one, headers: {}, shared, own: texts.slice(0, own.length) }));
        const alone = all.map((texts) => {
          const ownHeaders = own.map((header, at) => [header, texts[at]!]);
          return { ...one, headers: { ...headers, ...Object.fromEntries(ownHeaders) } };
        });
        const encoded = encodeRecordBatch(ofMany, given);
        expect(encoded.equals(encodeRecordBatch(alone, given))).toBe(true);
        const sizes = ofMany.map(recordBytes);
        expect(encoded.length).toBeLessThanOrEqual(sizes.reduce((sum, size) => sum + size, BATCH_OVERHEAD));
      }),
    );
  });

  describe('loses nothing where its buffer ends', () => {
    const wanted = { identity: { id: 1n, epoch: 0 }, baseSequence: 0, timestamp: 1 };
    const empty = { key: '', value: Buffer.alloc(0), headers: {} };
    const everyKind = {
      key: 'k'.repeat(9),
      value: Buffer.alloc(9, 'v'),
      headers: { a: 's', b: 'é'.repeat(64), c: Buffer.alloc(64, 'c'), d: '€', e: Buffer.alloc(0) },
    };
    it.each<[string, LogRecord, number]>([
      ['in any part of a record', everyKind, recordBytes(everyKind) + 10],
      ['behind a record without headers', { ...empty, key: 'k' }, 20],
      ['behind a record whose length takes three bytes', { ...empty, value: Buffer.alloc(9_000, 'v') }, 40],
    ])('%s', async (_where, record, places) => {
      const alone = await byKafkajs([empty, record], wanted);
      // A buffer of more than 2 MiB, three bytes for each character, is given up: the next batch begins with one of 64 KiB.
      const long = { ...empty, key: 'k'.repeat(700_000) };
      // Behind the head and the eight bytes of a record without anything.
      const tail = alone.subarray(BATCH_OVERHEAD + 8);
      for (let left = tail.length + 10 - places; left < tail.length + 10; left += 1) {
        encodeRecordBatch([long], wanted);
        const first = { ...empty, value: Buffer.alloc(64 * 1024 - BATCH_OVERHEAD - 12 - left, 'f') };
        const batch = encodeRecordBatch([first, record], wanted);
        if (!batch.subarray(-tail.length).equals(tail)) throw new Error(`not with ${left} bytes left`);
        expect(batch.readInt32BE(8)).toBe(batch.length - 12);
      }
    });
  });

  it('writes the bytes that kafkajs writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 20 }),
        options,
        async (records, wanted) => {
          expect(encodeRecordBatch(records, wanted).equals(await byKafkajs(records, wanted))).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('takes no more room than is counted before', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), options, (records, wanted) => {
        const counted = records.reduce((sum, one) => sum + recordBytes(one), BATCH_OVERHEAD);
        expect(encodeRecordBatch(records, wanted).length).toBeLessThanOrEqual(counted);
      }),
    );
  });

  it.each([64, 8_192, 1_048_576])(
    'writes a record of about %d bytes, whose length takes another number of bytes',
    async (size) => {
      const wanted = { identity: { id: 1n, epoch: 0 }, baseSequence: 0, timestamp: 0 };
      for (let value = size - 14; value < size; value += 1) {
        const records = [{ key: 'k', value: Buffer.alloc(value, 'v'), headers: {} }];
        expect(encodeRecordBatch(records, wanted).equals(await byKafkajs(records, wanted))).toBe(true);
      }
    },
  );

  it('does not share bytes between batches', () => {
    const wanted = { identity: { id: 1n, epoch: 0 }, baseSequence: 0, timestamp: 0 };
    const first = encodeRecordBatch([{ key: 'a', value: Buffer.from('1'), headers: {} }], wanted);
    const copy = Buffer.from(first);
    encodeRecordBatch([{ key: 'b', value: Buffer.from('2'), headers: {} }], wanted);
    expect(first.equals(copy)).toBe(true);
  });
});
