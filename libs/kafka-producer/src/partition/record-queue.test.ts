import type { RecordOutcome } from '@workspace/schemas';
import { BATCH_OVERHEAD } from '../wire/record-batch.ts';
import { createQueueDepth } from './queue-depth.ts';
import { RecordQueue } from './record-queue.ts';

const BYTES = 100;

const setUp = (limits: { batchRecords?: number; batchBytes?: number } = {}) => {
  const depth = createQueueDepth({ queueRecords: 100, queueBytes: 1e6 });
  const queue = new RecordQueue(depth, { batchRecords: 10, batchBytes: 1e6, ...limits });
  const told: string[] = [];
  const append = (...keys: string[]) => appendUntil(Infinity, ...keys);
  const appendUntil = (sendBefore: number, ...keys: string[]) =>
    keys.map((key) => {
      depth.enter(BYTES);
      const settled = (outcome: RecordOutcome) =>
        told.push(`${key} ${'reason' in outcome ? outcome.reason : outcome.outcome}`);
      return queue.append({ key, value: Buffer.alloc(0), headers: {} }, BYTES, { settled }, sendBefore);
    });
  const take = (now = 0) => queue.take(now).map(({ record }) => record.key);
  return { depth, queue, told, append, appendUntil, take };
};

describe('the queue of a partition', () => {
  it('gives records in order, as many as a batch may have', () => {
    const { queue, append, take } = setUp({ batchRecords: 2 });
    expect(queue.isEmpty).toBe(true);
    append('a', 'b', 'c');
    expect(queue.isEmpty).toBe(false);
    expect([take(), take(), take(), queue.isEmpty]).toEqual([['a', 'b'], ['c'], [], true]);
  });

  it('gives as many bytes as a batch may have, and a larger record alone', () => {
    const exact = setUp({ batchBytes: BATCH_OVERHEAD + 2 * BYTES });
    exact.append('a', 'b', 'c');
    expect([exact.take(), exact.take()]).toEqual([['a', 'b'], ['c']]);
    const less = setUp({ batchBytes: BATCH_OVERHEAD + 2 * BYTES - 1 });
    less.append('a', 'b');
    expect([less.take(), less.take()]).toEqual([['a'], ['b']]);
    const quota = setUp();
    quota.append('a', 'b', 'c');
    expect(quota.queue.take(0, BATCH_OVERHEAD + 2 * BYTES)).toHaveLength(2);
    expect(quota.queue.take(0, 0)).toHaveLength(1);
    const least = setUp({ batchBytes: 1 });
    least.append('a', 'b');
    expect([least.take(), least.take()]).toEqual([['a'], ['b']]);
  });

  it('puts records back before all others, together or each alone', () => {
    const { queue, append, take } = setUp();
    append('a', 'b');
    const together = queue.take(0);
    append('c');
    queue.putBack(together, false);
    expect(take()).toEqual(['a', 'b', 'c']);
    append('d', 'e');
    const alone = queue.take(0);
    append('f', 'g');
    queue.putBack(alone, true);
    expect([take(), take(), take()]).toEqual([['d'], ['e'], ['f', 'g']]);
  });

  it('does not put back what was withdrawn meanwhile', () => {
    const { queue, told, append, take, depth } = setUp();
    const [a] = append('a', 'b');
    const taken = queue.take(0);
    expect(a!.withdraw()).toBe(false);
    expect(told).toEqual([]);
    queue.putBack(taken, false);
    expect([told, take(), depth.records]).toEqual([['a withdrawn'], ['b'], 1]);
  });

  it('withdraws what may not be sent any more, before and after it was put back', () => {
    const { queue, told, append, appendUntil, take, depth } = setUp();
    appendUntil(10, 'a');
    append('b');
    appendUntil(11, 'c');
    const taken = queue.take(10);
    expect([taken.map(({ record }) => record.key), told]).toEqual([['b', 'c'], ['a withdrawn']]);
    queue.putBack(taken, false);
    expect([take(11), told, depth.records]).toEqual([['b'], ['a withdrawn', 'c withdrawn'], 1]);
  });

  it('settles each record once, and gives its room back', () => {
    const { queue, told, append, depth } = setUp();
    const [a, b] = append('a', 'b');
    expect([a!.withdraw(), a!.withdraw()]).toEqual([true, false]);
    queue.settleWaiting({ outcome: 'not-published', reason: 'closed' });
    queue.settleWaiting({ outcome: 'not-published', reason: 'closed' });
    expect(b!.withdraw()).toBe(false);
    expect(told).toEqual(['a withdrawn', 'b closed']);
    expect([queue.isEmpty, depth.records, depth.bytes]).toEqual([true, 0, 0]);
  });
});

describe('the depth of the queue', () => {
  it('is full at its number of records or bytes, and takes what fits exactly', () => {
    const byRecords = createQueueDepth({ queueRecords: 2, queueBytes: 1_000 });
    expect([byRecords.enter(1), byRecords.isFull, byRecords.enter(1), byRecords.isFull]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(byRecords.enter(1)).toBe(false);
    const byBytes = createQueueDepth({ queueRecords: 9, queueBytes: 10 });
    expect([byBytes.enter(4), byBytes.enter(7), byBytes.isFull, byBytes.enter(6), byBytes.isFull]).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
    expect([byBytes.records, byBytes.bytes]).toEqual([2, 10]);
  });

  it('says when nothing is left', async () => {
    const depth = createQueueDepth({ queueRecords: 9, queueBytes: 10 });
    await depth.emptied();
    depth.enter(1);
    depth.enter(1);
    let isEmpty = false;
    const emptied = depth.emptied().then(() => (isEmpty = true));
    depth.leave(1);
    await new Promise(setImmediate);
    expect(isEmpty).toBe(false);
    depth.leave(1);
    await emptied;
  });
});
