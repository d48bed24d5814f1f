import { systemTimers } from '@workspace/service-process';
import type { LogStatus, SearchResult } from '@workspace/schemas';
import { type AcceptanceWatchOptions, watchAcceptance } from './acceptance-watch.ts';
import type { StoreStatus } from './idempotency-store.ts';
import { LogUnreadable } from './record-search.ts';

interface Scene {
  log: Partial<LogStatus>;
  store: Partial<StoreStatus>;
  search: SearchResult | 'throws';
  isStoreOld?: boolean;
}
const FINE: Scene = { log: {}, store: {}, search: {} };
const REJECTING: Scene['log'] = { connected: false, error: 'TOPIC_AUTHORIZATION_FAILED', isRejecting: true };
const STOPPED = { partitions: 1, reason: '', isStopped: true };
const BEHIND: Scene['log'] = { clock: { aheadMs: -600_000 } };

describe('watching what clients get', () => {
  let scene: Scene;
  let searches: number;
  const open = (more: Partial<AcceptanceWatchOptions> = {}) =>
    watchAcceptance({
      log: { status: () => ({ connected: true, queued: { records: 0, bytes: 0 }, ...scene.log }) },
      store: { status: () => ({ unsettled: 0, evictions: 0, ...scene.store }) },
      search: {
        find: async () => {
          searches += 1;
          if (scene.search === 'throws') throw new LogUnreadable('no');
          return scene.search;
        },
      },
      isSearchNeeded: () => scene.isStoreOld !== true,
      intervalMs: 1_000,
      recordAgeMs: 35_000,
      timers: systemTimers,
      ...more,
    });
  beforeEach(() => {
    jest.useFakeTimers();
    scene = FINE;
    searches = 0;
  });
  afterEach(() => jest.useRealTimers());
  const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1_000);

  // One failure: what is seen of its cause decides.
  it.each<[what: string, cause: 'kafka' | 'search' | 'key-store', Partial<Scene>, shown: string | undefined]>(
    [
      ['most brokers are gone', 'search', { search: { gap: 'no-majority' } }, 'search'],
      ['most brokers are gone', 'kafka', { search: { gap: 'no-majority' } }, 'kafka'],
      ['the topic may not be read', 'search', { search: 'throws' }, 'search'],
      ['it may not, and need not', 'search', { search: 'throws', isStoreOld: true }, undefined],
      ['the topic may not be read', 'kafka', { search: 'throws' }, undefined],
      ['followers are behind', 'search', { search: { gap: 'not-replicated' } }, 'search'],
      ['followers are behind', 'kafka', { search: { gap: 'not-replicated' } }, undefined],
      ['Kafka is not connected', 'kafka', { log: { connected: false } }, 'kafka'],
      ['a leader moves', 'kafka', { log: { error: 'no leader' } }, undefined],
      ['a leader rejected records a moment ago', 'kafka', { log: REJECTING }, undefined],
      ['too few replicas are in sync', 'kafka', { log: { underReplication: STOPPED } }, 'kafka'],
      ['the clock is ten minutes behind', 'kafka', { log: { ...REJECTING, ...BEHIND } }, 'clock'],
      ['the clock is two hours ahead', 'kafka', { log: { clock: { aheadMs: 7_200_000 } } }, 'clock'],
      ['the clock is ten minutes ahead', 'kafka', { log: { clock: { aheadMs: 600_000 } } }, undefined],
      ['the clock is ten minutes behind', 'key-store', { log: BEHIND }, undefined],
      ['the key store does not answer', 'key-store', { store: { error: 'TIMEOUT' } }, 'key-store'],
      ['the key store does not answer', 'kafka', { store: { error: 'TIMEOUT' } }, undefined],
    ],
  )('%s, after a failure of %s', async (_, cause, seen, shown) => {
    scene = { ...FINE, ...seen };
    const watch = open();
    watch.failed(cause);
    await pass(4);
    expect(watch.outage()).toBeUndefined();
    await pass(60);
    expect(watch.outage()?.cause).toBe(shown);
    // No submissions arrive: a load balancer took the instance out.
    scene = FINE;
    await pass(2);
    expect(watch.outage()).toBeUndefined();
    watch.close();
  });

  it('has rejections that no check can see last until half a minute after the last one', async () => {
    const watch = open();
    scene = { ...FINE, log: REJECTING };
    for (let second = 0; second <= 6; second += 1) {
      watch.failed('kafka');
      await pass(1);
    }
    scene = FINE;
    await pass(27);
    expect(watch.outage()?.cause).toBe('kafka');
    await pass(4);
    expect(watch.outage()).toBeUndefined();
    watch.close();
  });

  it('checks only while submissions fail, and tells each failure', async () => {
    const told: string[] = [];
    const watch = open({ onFailed: (cause) => told.push(cause) });
    await pass(10);
    expect(searches).toBe(0);
    watch.failed('search');
    await pass(3);
    watch.accepted();
    await pass(2);
    const before = searches;
    await pass(60);
    expect([before > 2, searches, told]).toEqual([true, before, ['search']]);
    scene = { ...FINE, log: { ...REJECTING, error: 'INVALID_TIMESTAMP' } };
    watch.failed('kafka');
    expect(told).toEqual(['search', 'clock']);
    await pass(1);
    expect(searches).toBeGreaterThan(before);
    watch.close();
    const after = searches;
    await pass(10);
    expect(searches).toBe(after);
  });
});
