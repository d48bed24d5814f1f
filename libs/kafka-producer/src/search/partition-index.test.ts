import { type BatchHead, batchHeads } from '../wire/fetch-response.ts';
import { encodeRecordBatch } from '../wire/record-batch.ts';
import { PartitionIndex } from './partition-index.ts';

const CHUNK_RECORDS = 4_096;

/** A batch of records with these values of the header `id`, as a broker gives it. */
const batchOf = (baseOffset: number, values: readonly string[], time = 10): BatchHead => {
  const records = values.map((id) => ({ key: id, value: Buffer.from('[]'), headers: { id } }));
  const bytes = encodeRecordBatch(records, {
    identity: { id: 1n, epoch: 0 },
    baseSequence: 0,
    timestamp: time,
  });
  bytes.writeBigInt64BE(BigInt(baseOffset), 0);
  return [...batchHeads(bytes)][0]!;
};
const values = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const newIndex = (start = 0, from = 0, cutUntil = -Infinity, aheadMs = 0) =>
  new PartitionIndex('id', start, from, cutUntil, aheadMs);

describe('the index of a partition', () => {
  it('names the chunk of each value, whether its chunk is open or sorted, and none of another value', async () => {
    const index = newIndex();
    await index.add(batchOf(0, values('a', CHUNK_RECORDS)));
    await index.add(batchOf(CHUNK_RECORDS, values('b', 5)));
    await index.add(batchOf(CHUNK_RECORDS + 5, values('c', 2)));
    expect([index.start, index.end]).toEqual([0, CHUNK_RECORDS + 7]);
    expect(index.chunks.map(({ start, end }) => [start, end])).toEqual([
      [0, CHUNK_RECORDS],
      [CHUNK_RECORDS, CHUNK_RECORDS + 7],
    ]);
    const startsOf = (value: string) => index.candidates(value).map(({ start }) => start);
    const wrong = values('a', CHUNK_RECORDS).filter((value) => startsOf(value)[0] !== 0);
    expect(wrong).toEqual([]);
    expect(['b0', 'b4', 'c1'].map(startsOf)).toEqual(Array(3).fill([CHUNK_RECORDS]));
    const absent = values('none', 1_000).filter((value) => startsOf(value).length > 0);
    expect(absent).toEqual([]);
  });

  it('begins a chunk only when the one before is full', async () => {
    const index = newIndex();
    await index.add(batchOf(0, values('a', CHUNK_RECORDS - 1)));
    await index.add(batchOf(CHUNK_RECORDS - 1, ['last']));
    expect(index.chunks).toHaveLength(1);
    await index.add(batchOf(CHUNK_RECORDS, ['next']));
    expect(index.chunks).toHaveLength(2);
  });

  it('knows whether another batch is where the last one was, and not one that compaction has left', async () => {
    const index = newIndex();
    const batch = batchOf(4, ['a', 'b']);
    expect(index.isReplacedBy(batch)).toBe(false);
    await index.add(batch);
    expect(index.isReplacedBy({ ...batch, records: 1 })).toBe(false);
    expect(index.isReplacedBy(batchOf(6, ['c']))).toBe(false);
    expect(index.isReplacedBy({ ...batch, leaderEpoch: batch.leaderEpoch + 1 })).toBe(true);
    expect(index.isReplacedBy({ ...batchOf(3, ['c', 'd']), producerId: 2n })).toBe(true);
  });

  it('knows the batch that it has read last, also when the answer that it came in is gone', async () => {
    const index = newIndex();
    const batch = batchOf(0, ['a'], 10);
    expect(index.endsWith(batch)).toBe(false);
    await index.add(batch);
    expect(index.endsWith(batchOf(0, ['a'], 10))).toBe(true);
    expect(index.endsWith(batchOf(0, ['b'], 10))).toBe(false);
    expect(index.last).toMatchObject({ baseOffset: 0, nextOffset: 1 });
    batch.bytes.fill(0);
    expect(index.endsWith(batchOf(0, ['a'], 10))).toBe(true);
  });

  it.each<[string, BatchHead[], string | undefined]>([
    ['nothing where every offset has its record', [batchOf(0, ['a', 'b']), batchOf(2, ['c'])], undefined],
    ['that compaction took a record out of a batch', [{ ...batchOf(0, ['a']), nextOffset: 2 }], 'deleted'],
    ['that compaction took a whole batch', [batchOf(0, ['a']), batchOf(2, ['c'])], 'deleted'],
    ['nothing of marks of the broker', [{ ...batchOf(0, ['a']), isControl: true, nextOffset: 2 }], undefined],
    [
      'the first reason of two',
      [{ ...batchOf(0, ['a']), isReadable: false }, batchOf(2, ['c'])],
      'unreadable-compression',
    ],
  ])('says of what may be missing %s', async (_what, batches, gap) => {
    const index = newIndex();
    for (const batch of batches) await index.add(batch);
    expect(index.chunks[0]!.gap).toBe(gap);
  });

  it('misses nothing in a first batch that begins before the offset that was asked for', async () => {
    const index = newIndex(1);
    await index.add(batchOf(0, ['a', 'b']));
    expect([index.chunks[0]!.gap, index.start, index.end]).toEqual([undefined, 1, 2]);
  });

  it('has all that was written from the time of its first batch on, however late it began', async () => {
    const index = newIndex(5, 0, 1_000);
    await index.add(batchOf(5, ['a'], 700));
    await index.add(batchOf(6, ['b'], 600));
    expect(index.cutUntil).toBe(700);
    const whole = newIndex(0, 0, -Infinity);
    await whole.add(batchOf(0, ['a'], 700));
    expect(whole.cutUntil).toBe(-Infinity);
    const ofFastClocks = newIndex(5, 0, 1_000, 100);
    await ofFastClocks.add(batchOf(5, ['a'], 700));
    expect(ofFastClocks.cutUntil).toBe(800);
  });

  describe('forgets', () => {
    /** Three chunks, of the times 20, 30 and 25. */
    const threeChunks = async () => {
      const index = newIndex();
      for (const [at, time] of [20, 30, 25].entries())
        await index.add(batchOf(at * CHUNK_RECORDS, values(`${at}-`, CHUNK_RECORDS), time));
      return index;
    };
    const startOf = (index: PartitionIndex) => [index.start / CHUNK_RECORDS, index.from];

    it('chunks whose latest record is older than a time, and says from when on it has all', async () => {
      const index = await threeChunks();
      index.forget(20, 9);
      expect(startOf(index)).toEqual([0, 0]);
      index.forget(21, 9);
      expect(startOf(index)).toEqual([1, 21]);
      expect(index.candidates('0-1')).toEqual([]);
      index.forget(30, 9);
      expect(startOf(index)).toEqual([1, 21]);
    });

    it('the oldest ones when there are too many, and never the last', async () => {
      const index = await threeChunks();
      index.forget(0, 3);
      expect(startOf(index)).toEqual([0, 0]);
      index.forget(0, 2);
      expect(startOf(index)).toEqual([1, 21]);
      index.forget(1_000, 0);
      expect([...startOf(index), index.chunks.length]).toEqual([2, 31, 1]);
    });

    it('by the latest record of a chunk, whatever the order of times', async () => {
      const index = newIndex();
      await index.add(batchOf(0, ['late'], 50));
      await index.add(batchOf(1, values('a', CHUNK_RECORDS), 10));
      await index.add(batchOf(1 + CHUNK_RECORDS, ['b'], 60));
      index.forget(50, 9);
      expect(index.start).toBe(0);
    });
  });
});
