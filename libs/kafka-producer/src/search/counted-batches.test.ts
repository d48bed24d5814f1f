import { encodeRecordBatch } from '../wire/record-batch.ts';
import { countedBatches } from './counted-batches.ts';

const TRANSACTIONAL = 0x10;
const MARK = TRANSACTIONAL | 0x20;

/** One batch after the other, of two records each. */
const logOf = (...batches: readonly (readonly [producer: bigint, attributes: number])[]): Buffer =>
  Buffer.concat(
    batches.map(([id, attributes], at) => {
      const records = ['a', 'b'].map((key) => ({ key, value: Buffer.from('[]'), headers: {} }));
      const bytes = encodeRecordBatch(records, { identity: { id, epoch: 0 }, baseSequence: 0, timestamp: 1 });
      bytes.writeBigInt64BE(BigInt(2 * at), 0);
      bytes.writeInt16BE(attributes, 21);
      return bytes;
    }),
  );
/** Which batches count. */
const counted = (log: Buffer, aborted: Parameters<typeof countedBatches>[1] = []): boolean[] =>
  [...countedBatches(log, aborted)].map(({ isControl }) => !isControl);

describe('the batches that count', () => {
  it('are not those of an aborted transaction, which begins at its first offset and ends with its mark', () => {
    const log = logOf(
      [7n, TRANSACTIONAL],
      [7n, TRANSACTIONAL],
      [7n, TRANSACTIONAL],
      [7n, MARK],
      [7n, TRANSACTIONAL],
    );
    expect(counted(log, [{ producerId: 7n, firstOffset: 2 }])).toEqual([true, false, false, false, true]);
    // It may begin within a batch that was given whole.
    expect(counted(log, [{ producerId: 7n, firstOffset: 1 }])).toEqual([false, false, false, false, true]);
  });

  it('are those of other producers, and what a producer writes outside of transactions', () => {
    const log = logOf([7n, TRANSACTIONAL], [8n, TRANSACTIONAL], [7n, 0], [8n, MARK], [7n, MARK]);
    expect(counted(log, [{ producerId: 7n, firstOffset: 0 }])).toEqual([false, true, true, false, false]);
  });

  it('are those between two aborted transactions of a producer', () => {
    const log = logOf(
      [7n, TRANSACTIONAL],
      [7n, MARK],
      [7n, TRANSACTIONAL],
      [7n, MARK],
      [7n, TRANSACTIONAL],
      [7n, MARK],
    );
    const aborted = [
      { producerId: 7n, firstOffset: 0 },
      { producerId: 7n, firstOffset: 8 },
    ];
    expect(counted(log, aborted)).toEqual([false, false, true, false, false, false]);
    expect(aborted).toHaveLength(2);
  });
});
