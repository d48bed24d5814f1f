import { systemTimers } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { createMemoryStore } from '../../adapters/memory/memory-store.ts';
import { CallFailed } from './call-failed.ts';
import { openSharedStore } from './shared-store.ts';
import type { StoreServer } from './store-server.ts';

it('warns of numbers that the store has not confirmed, as of keys', async () => {
  const now = () => new Date(0);
  const memory = createMemoryStore({ ttlMs: 60_000, leaseMs: 60_000, entries: 10, now });
  const lost = () => Promise.reject(new CallFailed('DISCONNECTED', false, 'lost'));
  const server: StoreServer = {
    claim: async (claim) => ({ answer: await memory.claim(claim), since: now() }),
    settle: lost,
    find: async (id, principal) => ({ answer: await memory.find(id, principal), since: now() }),
    sequences: { take: (claim) => memory.sequences.take(claim), settle: lost },
    probe: async () => ({ since: now(), now: now() }),
    forgot: () => undefined,
    capacity: async () => undefined,
    close: async () => undefined,
  };
  const { logger, lines } = captureLogger();
  const options = { ttlMs: 60_000, timeoutMs: 100, clock: now, timers: systemTimers, logger };
  const store = openSharedStore(() => server, options);
  await store.sequences.settle({ series: 's', number: 1, holder: 'id', owner: 'o' }, 'accepted');
  expect(store.status()).toMatchObject({
    unsettled: 1,
    warning: '1 outcomes wait until the store confirms them',
  });
  await store.settle({ id: 'id', fingerprint: 'f', owner: 'o' }, { outcome: 'unknown' });
  expect(store.status()).toMatchObject({
    unsettled: 2,
    warning: '2 outcomes wait until the store confirms them',
  });
  await store.close();
  expect(lines).toContainEqual(expect.objectContaining({ unsettled: 2 }));
});
