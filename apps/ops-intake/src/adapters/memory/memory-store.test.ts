import type { KeyClaim } from '../../application/idempotency-store.ts';
import type { AcceptedSubmission } from '../../application/submission-record.ts';
import { testIdempotencyStore } from '../../../test/idempotency-store-suite.ts';
import { createMemoryStore } from './memory-store.ts';

const answer: AcceptedSubmission = {
  message: '1 operation accepted',
  submissionId: 'a',
  operations: 1,
  topic: 't',
  partition: 0,
  offset: 7,
};
const accepted = { outcome: 'accepted', answer } as const;
const unknown = { outcome: 'unknown' } as const;
const NOW = Date.UTC(2026, 10, 25);

const by = (owner: string, id: string, fingerprint = 'f'): KeyClaim => ({ id, fingerprint, owner });

const underTest = (entries = 3) => {
  let time = 0;
  const store = createMemoryStore({ ttlMs: 1_000, leaseMs: 100, entries, now: () => new Date(time) });
  return {
    store,
    state: async (id: string, fingerprint = 'f') => (await store.claim(by('asker', id, fingerprint))).state,
    at: (milliseconds: number) => {
      time = milliseconds;
    },
    answerTo: async (id: string) => {
      await store.claim(by('owner', id));
      await store.settle(by('owner', id), accepted);
    },
  };
};

describe('keys in memory', () => {
  let time = Date.UTC(2026, 0);
  testIdempotencyStore({
    open: async (times) => createMemoryStore({ ...times, entries: 1_000, now: () => new Date(time) }),
    pass: async (milliseconds) => {
      time += milliseconds;
    },
  });

  it('remember an answer until its time is over', async () => {
    const { at, answerTo, store, state } = underTest();
    await answerTo('a');
    at(999);
    expect(await store.claim(by('x', 'a'))).toEqual({ state: 'accepted', answer });
    at(1_000);
    expect(await state('a', 'another payload')).toBe('claimed');
  });

  it('forget the least recently used first, and never what is in flight', async () => {
    const { answerTo, store, state } = underTest(2);
    await store.claim(by('owner', 'in flight'));
    await answerTo('a');
    await answerTo('b');
    expect(await state('b')).toBe('accepted');
    expect(await state('in flight')).toBe('in-flight');
    expect(await state('a')).toBe('claimed');
  });

  it('keep the mark of an unknown outcome while its lease lasts, however full the store is', async () => {
    const { at, answerTo, store } = underTest(1);
    await store.claim(by('first', 'a'));
    await store.settle(by('first', 'a'), unknown);
    await answerTo('b');
    expect(await store.find('a', undefined)).toEqual({
      state: 'unknown',
      claimedAt: new Date(0),
      isLeased: true,
    });
    at(100);
    expect(await store.find('a', undefined)).toMatchObject({ isLeased: false });
    await answerTo('c');
    expect(await store.find('a', undefined)).toBeUndefined();
  });

  it('are leased for as long as ever when the wall clock is set', async () => {
    let [wall, elapsed] = [NOW, 0];
    const times = { ttlMs: 1_000, leaseMs: 100, entries: 3, monotonic: () => elapsed };
    const store = createMemoryStore({ ...times, now: () => new Date(wall) });
    await store.claim(by('first', 'a'));
    const number = { series: 's', number: 1, holder: 'a', owner: 'first' };
    await store.sequences.take(number);
    // What was claimed may still be on its way: sent again, it would be written twice.
    wall += 600_000;
    expect(await store.claim(by('second', 'a'))).toEqual({ state: 'in-flight' });
    expect(await store.sequences.take({ ...number, holder: 'b', owner: 'second' })).toMatchObject({
      isLeased: true,
    });
    // The next attempt writes an earlier time into its record than the first one, so the log is read from then on.
    wall = NOW - 600_000;
    elapsed = 100;
    expect(await store.claim({ ...by('third', 'a'), isAbsent: true })).toMatchObject({ state: 'claimed' });
    await store.settle(by('third', 'a'), unknown);
    expect(await store.find('a', undefined)).toMatchObject({ claimedAt: new Date(wall) });
    elapsed = 1_100;
    expect(await store.find('a', undefined)).toBeUndefined();
  });

  it('are settled by their id where another key has their slot', async () => {
    const { store, state } = underTest();
    const { claim, settle } = store.sync!;
    const first = { ...by('first', 'a'), slot: -1 };
    claim(first);
    settle(first, { outcome: 'not-published', reason: 'withdrawn' });
    const second = { ...by('second', 'b'), slot: -1 };
    claim(second);
    expect(second.slot).toBe(first.slot);
    settle(first, accepted);
    expect([await state('a'), await state('b')]).toEqual(['accepted', 'in-flight']);
    settle(second, accepted);
    expect(await state('b')).toBe('accepted');
  });

  it('report their number and capacity, and count and report answers forgotten before their time', async () => {
    const { at, answerTo, store } = underTest(2);
    await answerTo('a');
    await answerTo('b');
    expect(store.status()).toEqual({
      unsettled: 0,
      evictions: 0,
      use: { unit: 'answers', used: 2, capacity: 2 },
    });
    at(400);
    await answerTo('c');
    expect(store.status()).toMatchObject({ evictions: 1, use: { used: 2 } });
    expect(store.status().warning).toBe('full: 2 answers; the last one dropped was 0 s old instead of 1 s');
    at(999);
    expect(store.status().warning).toBeDefined();
    // The time of the dropped answer is over: what is remembered now is what should be.
    at(1_000);
    expect(store.status().warning).toBeUndefined();
    expect(store.status().evictions).toBe(1);
  });

  it('do not count what is dropped after its time', async () => {
    const { at, answerTo, store } = underTest(1);
    await answerTo('a');
    at(1_000);
    await answerTo('b');
    expect(store.status()).toMatchObject({ evictions: 0 });
    expect(store.status().warning).toBeUndefined();
  });
});
