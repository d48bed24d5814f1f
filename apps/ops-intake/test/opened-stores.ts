import { randomUUID } from 'node:crypto';
import { systemClock, systemTimers } from '@workspace/service-process';
import { captureLogger, eventually } from '@workspace/testing';
import { openSharedStore, type SharedStore } from '../src/features/shared-keys/shared-store.ts';
import type {
  SharedStoreOptions,
  StoreServer,
  StoreServerOptions,
} from '../src/features/shared-keys/store-server.ts';
import type { KeyClaim } from '../src/application/idempotency-store.ts';

type StoreOptions = SharedStoreOptions & Omit<StoreServerOptions, 'events'>;

/** What the tests of a file close after each of them, the last opened first. */
export const closings: (() => unknown)[] = [];

/**
 * Opens stores that are closed after the test.
 * @returns `open`, whose result also has what the store logged (`lines`), the types of its failures, and how many losses of
 *   data it reported
 */
export const storeOpener = (openServer: (options: StoreServerOptions) => StoreServer) => {
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
  });
  return (url: string, others: Partial<StoreOptions> = {}) => {
    const { logger, lines } = captureLogger();
    const types: string[] = [];
    let losses = 0;
    const options = {
      url,
      durability: 'none' as const,
      ttlMs: 60_000,
      leaseMs: 60_000,
      timeoutMs: 5_000,
      clock: systemClock,
      timers: systemTimers,
      logger,
      observer: { storeFailed: (type: string) => types.push(type), storeLost: () => (losses += 1) },
      ...others,
    };
    const store = openSharedStore((events) => openServer({ ...options, events }), options);
    closings.push(() => store.close());
    return { store, lines, types, losses: () => losses };
  };
};

/** A claim of a key that no other test uses. */
export const claimOf = (id = randomUUID()): KeyClaim => ({ id, fingerprint: 'f', owner: randomUUID() });

/** Claims a key that no other test uses; another one when the store did not answer in time, as on a busy machine. */
export const claimIn = (store: SharedStore): Promise<KeyClaim> =>
  eventually('claim', async () => {
    const claim = claimOf();
    return (await store.claim(claim)).state === 'claimed' && claim;
  });
