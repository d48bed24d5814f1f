import type { Accepted } from '../../domain/intake.ts';
import { createMemoryStore } from './memory-store.ts';

const answer: Accepted = {
  message: '1 operation accepted',
  submissionId: 'id',
  operations: 1,
  topic: 't',
  partition: 0,
  offset: 7,
};

const underTest = (entries = 3) => {
  let time = 0;
  const store = createMemoryStore({ ttlMs: 1_000, entries, now: () => new Date(time) });
  const state = async (id: string, fingerprint = 'f') => (await store.claim(id, fingerprint, 'asker')).state;
  return {
    store,
    state,
    at: (milliseconds: number) => {
      time = milliseconds;
    },
    answerTo: async (id: string) => {
      await store.claim(id, 'f', 'owner');
      await store.complete(id, 'f', 'owner', answer);
    },
  };
};

describe('keys in memory', () => {
  it('remember an answer until its time is over', async () => {
    const { at, answerTo, store, state } = underTest();
    await answerTo('a');
    at(999);
    expect(await store.claim('a', 'f', 'x')).toEqual({ state: 'answered', answer });
    at(1_000);
    expect(await state('a', 'another payload')).toBe('reserved');
  });

  it('forget the least recently used first, and never what is being worked on', async () => {
    const { answerTo, store, state } = underTest(2);
    await store.claim('working', 'f', 'owner');
    await answerTo('a');
    await answerTo('b');
    expect(await state('b')).toBe('answered');
    expect(await state('working')).toBe('in-flight');
    expect(await state('a')).toBe('reserved');
  });

  it('obey their owner only', async () => {
    const { store, state } = underTest();
    await store.claim('a', 'f', 'owner');
    await store.release('a', 'stranger');
    await store.complete('a', 'f', 'stranger', answer);
    expect(await state('a')).toBe('in-flight');
    await store.release('a', 'owner');
    expect(await state('a')).toBe('reserved');
  });

  it('in doubt, are given again for the same payload only', async () => {
    const { store, state } = underTest();
    await store.claim('a', 'f', 'owner');
    await store.doubt('a', 'f', 'owner');
    expect(await state('a', 'other')).toBe('reused');
    expect(await state('a')).toBe('reserved');
  });
});
