import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { createMemorySequences } from '../src/adapters/memory/memory-sequences.ts';
import type { SequenceClaim, SequenceReply, SequenceStore } from '../src/application/sequence-store.ts';
import type { StoreTimes, StoreUnderTest } from './idempotency-store-suite.ts';

const HOUR_MS = 3_600_000;
const LASTING: StoreTimes = { ttlMs: HOUR_MS, leaseMs: HOUR_MS };
/** Leases are over as soon as they have begun. */
const LEASELESS: StoreTimes = { ttlMs: HOUR_MS, leaseMs: 1 };
/** Beyond 14 digits, Lua writes numbers in another way. */
const LARGE = 999_999_999_999_998;

const TAKEN: SequenceReply = { state: 'taken' };
const expecting = (expected: number): SequenceReply => ({ state: 'out-of-sequence', expected });

/** Many ask for a number, and some for the one after it, by all these stores. */
export const testRace = async (
  stores: readonly SequenceStore[],
  series: string = randomUUID(),
): Promise<void> => {
  const holder = randomUUID();
  await stores[0]!.settle({ series, number: 16, holder, owner: 'before' }, 'accepted');
  const racers = Array.from({ length: 50 }, (_, index) => ({
    series,
    number: index % 5 === 4 ? 18 : 17,
    holder: randomUUID(),
    owner: `racer ${index}`,
  }));
  const replies = await Promise.all(racers.map((racer, index) => stores[index % stores.length]!.take(racer)));
  const taken = replies.flatMap(({ state }, index) => (state === 'taken' ? [racers[index]!.number] : []));
  expect(taken).toEqual([17]);
  // The next number can come before the expected one is taken.
  const denied = replies.filter(
    ({ state }, index) =>
      state === 'pending' || (state === 'out-of-sequence' && racers[index]!.number === 18),
  );
  expect(denied).toHaveLength(49);
};

/** What every store does with numbers, whatever keeps them. */
export const testSequences = ({ open, pass }: StoreUnderTest): void => {
  let series: string;
  const holders = new Map<string, string>();
  /** @param name of the submission that asks */
  const by = (name: string, number: number, more: Partial<SequenceClaim> = {}): SequenceClaim => {
    if (!holders.has(name)) holders.set(name, randomUUID());
    return { series, number, holder: holders.get(name)!, owner: `of ${name}`, ...more };
  };
  const openSequences = async (times: StoreTimes): Promise<SequenceStore> => (await open(times)).sequences;
  beforeEach(() => {
    series = randomUUID();
  });

  it('begins a series with any number, and then takes the next ones only', async () => {
    const store = await openSequences(LASTING);
    for (const number of [LARGE - 1, LARGE]) {
      const claim = by(`number ${number}`, number);
      expect(await store.take(claim)).toEqual(TAKEN);
      await store.settle(claim, 'accepted');
    }
    for (const number of [0, LARGE - 1, LARGE, LARGE + 2])
      expect(await store.take(by('out of sequence', number))).toEqual(expecting(LARGE + 1));
    expect(await store.take(by('next', LARGE + 1))).toEqual(TAKEN);
  });

  it('keeps one series from another', async () => {
    const store = await openSequences(LASTING);
    await store.settle(by('one', 1), 'accepted');
    expect(await store.take(by('other', 7, { series: randomUUID() }))).toEqual(TAKEN);
    expect(await store.take(by('two', 2))).toEqual(TAKEN);
  });

  it('gives a number to one of many who ask for it at once, and the next one to nobody before', async () => {
    const store = await openSequences(LASTING);
    await testRace([store], series);
  });

  it('says who has the expected number, whatever others ask for', async () => {
    const store = await openSequences(LASTING);
    await store.take(by('holder', 17));
    for (const number of [16, 17, 18, 19]) {
      const reply = await store.take(by('other', number));
      expect(reply).toMatchObject({ state: 'pending', expected: 17, isLeased: true });
      expect(reply).toMatchObject({ holder: by('holder', 17).holder });
    }
  });

  it('gives the number to its holder again, whose first attempt is remembered', async () => {
    const store = await openSequences(LASTING);
    const claimedAt = async () =>
      ((await store.take(by('other', 17))) as SequenceReply & { state: 'pending' }).claimedAt;
    await store.take(by('holder', 17));
    const first = await claimedAt();
    await pass(2);
    expect(await store.take(by('holder', 17, { owner: 'retry' }))).toEqual(TAKEN);
    expect(await claimedAt()).toEqual(first);
  });

  it('frees a number that was not published, when the owner of the last attempt says so', async () => {
    const store = await openSequences(LASTING);
    await store.take(by('holder', 17));
    await store.take(by('holder', 17, { owner: 'retry' }));
    await store.settle(by('holder', 17), 'not-published');
    await store.settle(by('holder', 18, { owner: 'retry' }), 'not-published');
    expect(await store.take(by('other', 17))).toMatchObject({ state: 'pending' });
    await store.settle(by('holder', 17, { owner: 'retry' }), 'not-published');
    expect(await store.take(by('other', 18))).toEqual(expecting(17));
    expect(await store.take(by('other', 17))).toEqual(TAKEN);
  });

  it('takes an acceptance from everyone, and never goes back', async () => {
    const store = await openSequences(LASTING);
    await store.settle(by('unheard', 17), 'accepted');
    await store.take(by('holder', 18));
    await store.settle(by('former', 17), 'accepted');
    expect(await store.take(by('other', 18))).toMatchObject({ state: 'pending' });
    await store.settle(by('other instance', 18), 'accepted');
    await store.settle(by('holder', 18), 'not-published');
    expect(await store.take(by('other', 18))).toEqual(expecting(19));
    await store.settle(by('ahead', 30), 'accepted');
    expect(await store.take(by('other', 31))).toEqual(TAKEN);
  });

  it('gives the number of a holder that is not in the log to another, once the lease is over', async () => {
    const lasting = await openSequences(LASTING);
    const { holder: absent } = by('holder', 17);
    await lasting.take(by('holder', 17));
    expect(await lasting.take(by('other', 17, { absent }))).toMatchObject({ state: 'pending' });
    series = randomUUID();
    const leaseless = await openSequences(LEASELESS);
    await leaseless.take(by('holder', 17));
    await pass(2);
    expect(await leaseless.take(by('other', 17))).toMatchObject({ state: 'pending', isLeased: false });
    const third = by('third', 17).holder;
    expect(await leaseless.take(by('other', 17, { absent: third }))).toMatchObject({ state: 'pending' });
    expect(await leaseless.take(by('other', 18, { absent }))).toEqual(expecting(17));
    expect(await leaseless.take(by('other', 17, { absent }))).toEqual(TAKEN);
    await pass(2);
    expect(await leaseless.take(by('holder', 17))).toMatchObject({ state: 'pending' });
  });

  it('forgets a series after its time', async () => {
    const store = await openSequences({ ttlMs: 1, leaseMs: 1 });
    await store.settle(by('one', 17), 'accepted');
    await pass(3);
    expect(await store.take(by('other', 5))).toEqual(TAKEN);
    await pass(3);
    expect(await store.take(by('third', 9))).toEqual(TAKEN);
  });

  it('does what series in memory do, in any order', async () => {
    const pick = <T>(...values: T[]) => fc.constantFrom(...values);
    const names = ['a', 'b', 'c'];
    const key = { name: pick(...names), number: pick(1, 2, 3, 4), owner: pick('1', '2') };
    const steps = fc.array(
      fc.oneof(
        fc.record({ call: pick('take' as const), ...key, absent: pick(undefined, ...names) }),
        fc.record({ call: pick('settle' as const), ...key, outcome: pick('accepted', 'not-published') }),
      ),
      { minLength: 1, maxLength: 12 },
    );
    const timeless = (reply: SequenceReply | void): unknown => reply && { ...reply, claimedAt: undefined };
    for (const times of [LASTING, LEASELESS]) {
      const store = await openSequences(times);
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          let time = Date.UTC(2026, 0);
          const now = () => new Date(time);
          const model = createMemorySequences({ ...times, entries: 100, now });
          series = randomUUID();
          for (const step of history) {
            const claim = by(step.name, step.number, { owner: step.name + step.owner });
            const answerOf = (one: SequenceStore): Promise<SequenceReply | void> =>
              step.call === 'settle'
                ? one.settle(claim, step.outcome as 'accepted' | 'not-published')
                : one.take({ ...claim, absent: step.absent && by(step.absent, 0).holder });
            const [actual, expected] = [await answerOf(store), await answerOf(model)];
            expect(timeless(actual)).toEqual(timeless(expected));
            if (times === LEASELESS) {
              time += 2;
              await pass(2);
            }
          }
        }),
        { numRuns: times === LEASELESS ? 30 : 100 },
      );
    }
  });
};
