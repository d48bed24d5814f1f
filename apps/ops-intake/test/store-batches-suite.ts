import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import type { StoreTimes, StoreUnderTest } from './idempotency-store-suite.ts';
import { type Step, stepsOn, take } from './store-steps.ts';

/** A call that a store has answered. `isLater`: the leases of the calls before it were over by then. */
interface Answered {
  readonly step: Step;
  readonly answer: string;
  readonly isLater: boolean;
}

const KEYS = ['a', 'b', 'c'] as const;
/** Of one key at once: each order of them is tried. */
const MOST_OF_A_KEY = 3;
/** Longer than the lease of a store whose leases end at once, milliseconds. */
const LATER_MS = 2;

// A key has one payload: an instance that is about to store an answer to another one rejects claims with this one meanwhile.
const batchOf = fc
  .array(stepsOn(KEYS, ['f']), { minLength: 2, maxLength: 9 })
  .map((steps) =>
    steps.filter(
      ({ key }, at) => steps.slice(0, at).filter((step) => step.key === key).length < MOST_OF_A_KEY,
    ),
  );

const ordersOf = (calls: readonly Answered[]): Answered[][] =>
  calls.length === 0
    ? [[]]
    : calls.flatMap((call, at) => ordersOf(calls.toSpliced(at, 1)).map((rest) => [call, ...rest]));

/** With every choice of when leases end; those of before are over. */
const timingsOf = ([first, ...others]: readonly Answered[]): Answered[][] =>
  others.reduce<Answered[][]>(
    (timings, call) =>
      timings.flatMap((timing) => [false, true].map((isLater) => [...timing, { ...call, isLater }])),
    [first ? [{ ...first, isLater: true }] : []],
  );

/** Whether the store in memory gives these answers to these calls, one after another. */
const isPossible = async (history: readonly Answered[], times: StoreTimes): Promise<boolean> => {
  let time = Date.UTC(2026, 0);
  const model = createMemoryStore({ ...times, entries: 100, now: () => new Date(time) });
  for (const { step, answer, isLater } of history) {
    if (isLater) time += LATER_MS;
    if ((await take(model, 'id', step)) !== answer) return false;
  }
  return true;
};

/**
 * Calls made at once share commands, connections and turns of the event loop: whichever way they take, their answers are those of calls made one
 * after another, in some order for each key.
 */
export const testBatches = (
  { open, pass }: StoreUnderTest,
  lasting: StoreTimes,
  leaseless: StoreTimes,
): void => {
  it.each([
    ['', lasting, ordersOf, 60],
    [
      ', also while leases end',
      leaseless,
      (calls: readonly Answered[]) => ordersOf(calls).flatMap(timingsOf),
      20,
    ],
  ] as const)(
    'answers calls made at once as if made one after another%s',
    async (_what, times, historiesOf, numRuns) => {
      const store = await open(times);
      await fc.assert(
        fc.asyncProperty(fc.array(batchOf, { minLength: 1, maxLength: 2 }), async (batches) => {
          const ids = new Map(KEYS.map((key) => [key as string, randomUUID()]));
          const possible = new Map(KEYS.map((key) => [key as string, [[]] as Answered[][]]));
          for (const batch of batches) {
            const answers = await Promise.all(batch.map((step) => take(store, ids.get(step.key)!, step)));
            await pass(LATER_MS);
            for (const [key, before] of possible) {
              const calls = batch
                .map((step, at) => ({ step, answer: answers[at]!, isLater: false }))
                .filter(({ step }) => step.key === key);
              const histories = before.flatMap((one) => historiesOf(calls).map((next) => [...one, ...next]));
              const results = await Promise.all(histories.map((history) => isPossible(history, times)));
              const left = histories.filter((_history, at) => results[at]);
              expect({ before, calls, isPossible: left.length > 0 }).toMatchObject({ isPossible: true });
              possible.set(key, left);
            }
          }
        }),
        { numRuns },
      );
    },
  );
};
