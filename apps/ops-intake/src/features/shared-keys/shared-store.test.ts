import { systemTimers } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { createMemoryStore } from '../../adapters/memory/memory-store.ts';
import { StoreUnavailable } from '../../application/idempotency-store.ts';
import { CallFailed } from './call-failed.ts';
import { openSharedStore } from './shared-store.ts';
import type { ServerEvents, StoreServer } from './store-server.ts';

/** A store whose next calls for numbers fail: its server carries them out, or does not. */
const underTest = () => {
  const now = () => new Date(0);
  const memory = createMemoryStore({ ttlMs: 60_000, leaseMs: 60_000, entries: 10, now });
  const { sequences } = memory;
  const faults: ('lost' | 'unanswered')[] = [];
  const lost = () => Promise.reject(new CallFailed('DISCONNECTED', false, 'lost'));
  const call = async <Answer>(carryOut: () => Promise<Answer>): Promise<Answer> => {
    const fault = faults.shift();
    if (fault === 'lost') return lost();
    const answer = await carryOut();
    if (fault) throw new CallFailed('OOM', true, 'no answer');
    return answer;
  };
  const settled: string[] = [];
  const server: StoreServer = {
    claim: async (claim) => ({ answer: await memory.claim(claim), since: now() }),
    settle: lost,
    find: async (id, principal) => ({ answer: await memory.find(id, principal), since: now() }),
    sequences: {
      take: (claim) => call(() => sequences.take(claim)),
      settle: (claim, outcome) => {
        settled.push(outcome);
        return call(() => sequences.settle(claim, outcome));
      },
    },
    probe: async () => ({ since: now(), now: now() }),
    forgot: () => undefined,
    capacity: async () => undefined,
    close: async () => undefined,
  };
  const { logger, lines } = captureLogger();
  const options = { ttlMs: 60_000, timeoutMs: 100, clock: now, timers: systemTimers, logger };
  let events: ServerEvents | undefined;
  const store = openSharedStore((given) => {
    events = given;
    return server;
  }, options);
  const probe = async (): Promise<void> => {
    events!.connected();
    await new Promise(setImmediate);
  };
  return { store, lines, sequences, faults, settled, probe };
};

const by = (holder: string, number = 1) => ({ series: 's', number, holder, owner: `of ${holder}` });

describe('a store on a server', () => {
  it('warns of numbers that the server has not confirmed, as of keys', async () => {
    const { store, lines, faults } = underTest();
    faults.push('lost', 'lost');
    await store.sequences.settle(by('a'), 'accepted');
    expect(store.status()).toMatchObject({
      unsettled: 1,
      warning: '1 outcomes wait until the store confirms them',
    });
    await store.settle({ id: 'id', fingerprint: 'f', owner: 'o' }, { outcome: 'unknown' });
    expect(store.status()).toMatchObject({ unsettled: 2 });
    await store.close();
    expect(lines).toContainEqual(expect.objectContaining({ unsettled: 2 }));
  });

  it.each([
    ['lost', []],
    ['unanswered', ['not-published']],
  ] as const)('gives a number back whose claim was %s, if it may be taken', async (fault, expected) => {
    const { store, sequences, faults, settled } = underTest();
    faults.push(fault);
    await expect(store.sequences.take(by('a'))).rejects.toThrow(StoreUnavailable);
    await new Promise(setImmediate);
    expect(await sequences.take(by('b'))).toEqual({ state: 'taken' });
    expect(settled).toEqual(expected);
    await store.close();
  });

  it('settles a number again after each probe until that is confirmed', async () => {
    const { store, sequences, faults, probe } = underTest();
    await store.sequences.take(by('a'));
    faults.push('lost', 'lost');
    await store.sequences.settle(by('a'), 'accepted');
    await probe();
    expect([store.status().unsettled, (await sequences.take(by('b', 2))).state]).toEqual([1, 'pending']);
    await probe();
    expect(store.status().unsettled).toBe(0);
    expect(await sequences.take(by('b', 2))).toEqual({ state: 'taken' });
    await store.close();
  });
});
