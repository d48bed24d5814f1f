import { setTimeout as sleep } from 'node:timers/promises';
import { testIdempotencyStore } from './idempotency-store-suite.ts';
import { startLateProxy, testLateClaims } from './late-claims-suite.ts';
import type { storeOpener } from './opened-stores.ts';
import { testRace } from './sequence-store-suite.ts';

type Open = ReturnType<typeof storeOpener>;

/** What a key store on a server does, whichever server. @param url of the server, once it runs */
export const testStoreServer = (open: Open, url: () => string): void => {
  const connect = async (...server: Parameters<Open>) => {
    const { store } = open(...server);
    await store.connected;
    return store;
  };

  testIdempotencyStore({
    open: (times) => connect(url(), times),
    pass: (milliseconds) => sleep(milliseconds),
  });

  it('gives a number to one of many who ask at two instances at once', async () => {
    const instances = [await connect(url()), await connect(url())];
    await testRace(instances.map(({ sequences }) => sequences));
  });

  testLateClaims(async () => {
    const through = new URL(url());
    const proxy = await startLateProxy(Number(through.port));
    through.port = String(proxy.port);
    const lasting = { leaseMs: 600_000, ttlMs: 600_000, timeoutMs: 1_000 };
    return { store: await connect(through.href, lasting), other: await connect(url(), lasting), proxy };
  });
};
