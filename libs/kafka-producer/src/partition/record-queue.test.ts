import fc from 'fast-check';
import type { LogRecord, RecordOutcome } from '@workspace/schemas';
import { BATCH_OVERHEAD } from '../wire/record-batch.ts';
import { createQueueDepth } from './queue-depth.ts';
import { RecordQueue } from './record-queue.ts';

const BYTES = 100;
/** the smallest record that others overtake */
const LARGE = 16_385;

const setUp = (limits: { batchRecords?: number; batchBytes?: number } = {}) => {
  const depth = createQueueDepth({ queueRecords: 100, queueBytes: 1e6 });
  const queue = new RecordQueue(depth, { batchRecords: 10, batchBytes: 1e6, ...limits });
  const outcomes: string[] = [];
  const append = (...keys: string[]) => appendUntil(Infinity, ...keys);
  const appendUntil = (sendBefore: number, ...keys: string[]) =>
    keys.map((key) => appendOf(BYTES, key, sendBefore));
  const appendOf = (bytes: number, key: string, sendBefore = Infinity) => {
    depth.enter(bytes);
    const settled = (outcome: RecordOutcome) =>
      outcomes.push(`${key} ${'reason' in outcome ? outcome.reason : outcome.outcome}`);
    return queue.append({ key, value: Buffer.alloc(0), headers: {} }, bytes, { settled }, sendBefore);
  };
  /** As for requests: small records in every other one while large ones wait. */
  let isAfterSmall = false;
  const takeRecords = (now = 0) => {
    const small = isAfterSmall ? [] : queue.take(now, Infinity, true);
    isAfterSmall = small.length > 0 && !queue.isEmpty;
    return small.length > 0 ? small : queue.take(now);
  };
  const take = (now?: number) => takeRecords(now).map(({ record }) => record.key);
  return { depth, queue, outcomes, append, appendOf, appendUntil, take, takeRecords };
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
    const { queue, outcomes, append, take, depth } = setUp();
    const [a] = append('a', 'b');
    const taken = queue.take(0);
    expect(a!.withdraw()).toBe(false);
    expect(outcomes).toEqual([]);
    queue.putBack(taken, false);
    expect([outcomes, take(), depth.records]).toEqual([['a withdrawn'], ['b'], 1]);
  });

  it('withdraws what may not be sent any more, before and after it was put back', () => {
    const { queue, outcomes, append, appendUntil, take, depth } = setUp();
    appendUntil(10, 'a');
    append('b');
    appendUntil(11, 'c');
    const taken = queue.take(10);
    expect([taken.map(({ record }) => record.key), outcomes]).toEqual([['b', 'c'], ['a withdrawn']]);
    queue.putBack(taken, false);
    expect([take(11), outcomes, depth.records]).toEqual([['b'], ['a withdrawn', 'c withdrawn'], 1]);
  });

  it('settles each record once, and gives its room back', () => {
    const { queue, outcomes, append, depth } = setUp();
    const [a, b] = append('a', 'b');
    expect([a!.withdraw(), a!.withdraw()]).toEqual([true, false]);
    queue.settleWaiting({ outcome: 'not-published', reason: 'closed' });
    queue.settleWaiting({ outcome: 'not-published', reason: 'closed' });
    expect(b!.withdraw()).toBe(false);
    expect(outcomes).toEqual(['a withdrawn', 'b closed']);
    expect([queue.isEmpty, depth.records, depth.bytes]).toEqual([true, 0, 0]);
  });
});

describe('large records in the queue of a partition', () => {
  const BATCH = BATCH_OVERHEAD + LARGE;

  it('are overtaken by all small ones in every other batch', () => {
    const { append, appendOf, take } = setUp({ batchBytes: BATCH });
    for (const key of ['A', 'B', 'C']) appendOf(LARGE, key);
    append('a', 'b');
    expect(take()).toEqual(['a', 'b']);
    append('c');
    expect([take(), take(), take(), take(), take()]).toEqual([['A'], ['c'], ['B'], ['C'], []]);
  });

  it('are overtaken at once when none was for a while, and in order with what is not larger', () => {
    const { append, appendOf, take } = setUp({ batchBytes: BATCH });
    appendOf(LARGE, 'A');
    expect(take()).toEqual(['A']);
    appendOf(LARGE - 1, 'b');
    append('c');
    expect([take(), take()]).toEqual([['b'], ['c']]);
    appendOf(LARGE, 'D');
    append('e');
    expect([take(), take()]).toEqual([['e'], ['D']]);
  });

  it('are not overtaken by a record of the same key, nor that one by the next of its key', () => {
    const { append, appendOf, take } = setUp();
    appendOf(LARGE, 'a');
    append('a', 'b', 'a');
    expect([take(), take()]).toEqual([['b'], ['a', 'a', 'a']]);
  });

  it('are overtaken when they were put back, too, but not by what goes alone', () => {
    const { queue, append, appendOf, take, takeRecords } = setUp();
    appendOf(LARGE, 'A');
    append('a', 'A');
    const small = takeRecords();
    const large = takeRecords();
    append('b');
    queue.putBack(large, false);
    queue.putBack(small, false);
    expect([take(), take()]).toEqual([
      ['a', 'b'],
      ['A', 'A'],
    ]);
    appendOf(LARGE, 'C');
    append('d', 'e');
    queue.putBack(takeRecords(), true);
    expect([take(), take(), take()]).toEqual([['d'], ['e'], ['C']]);
  });

  it('do not count any more when they were withdrawn or their time is over', () => {
    const { append, appendOf, take, outcomes } = setUp({ batchBytes: BATCH });
    appendOf(LARGE, 'A').withdraw();
    appendOf(LARGE, 'B', 1);
    append('c');
    expect([take(1), take(1), outcomes]).toEqual([['c'], [], ['A withdrawn', 'B withdrawn']]);
  });

  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        key: fc.constantFrom('a', 'b', 'c', 'd'),
        bytes: fc.constantFrom(BYTES, LARGE),
      }),
    },
    fc.constantFrom('take' as const, 'take, and put back' as const),
  );

  it('keep the order of each key and the limits of a batch, and the oldest record waits for one batch at most', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const limits = { batchRecords: 3, batchBytes: BATCH + BYTES };
        const { queue, depth, takeRecords } = setUp(limits);
        const sent: LogRecord[] = [];
        const taken: LogRecord[] = [];
        let waiting: LogRecord[] = [];
        /** the oldest record when the last batch was taken without it */
        let passedOver: LogRecord | undefined;
        const take = (isPutBack: boolean): void => {
          const batch = takeRecords();
          const bytes = batch.reduce((sum, one) => sum + one.bytes, BATCH_OVERHEAD);
          expect(
            batch.length === 1 || (batch.length <= limits.batchRecords && bytes <= limits.batchBytes),
          ).toBe(batch.length > 0);
          const records = batch.map(({ record }) => record);
          if (passedOver) expect(records).toContain(passedOver);
          passedOver = records.includes(waiting[0]!) ? undefined : waiting[0];
          waiting = waiting.filter((record) => !records.includes(record));
          if (!isPutBack) {
            taken.push(...records);
            return;
          }
          queue.putBack(batch, false);
          waiting = [...records, ...waiting];
          passedOver = undefined;
        };
        for (const one of steps) {
          if (typeof one === 'object') {
            const record = { key: one.key, value: Buffer.from([sent.length]), headers: {} };
            sent.push(record);
            waiting.push(record);
            depth.enter(one.bytes);
            queue.append(record, one.bytes, { settled: () => undefined }, Infinity);
          } else if (waiting.length > 0) take(one !== 'take');
        }
        while (waiting.length > 0) take(false);
        expect(queue.isEmpty).toBe(true);
        const ofKey = (records: readonly LogRecord[], of: string) => records.filter(({ key }) => key === of);
        for (const key of ['a', 'b', 'c', 'd']) expect(ofKey(taken, key)).toEqual(ofKey(sent, key));
        expect(taken).toHaveLength(sent.length);
      }),
      { numRuns: 500 },
    );
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
