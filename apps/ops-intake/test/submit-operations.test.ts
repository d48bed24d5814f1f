import { randomFillSync } from 'node:crypto';
import { systemTimers } from '@workspace/service-kit';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import { createSubmitOperations } from '../src/application/submit-operations.ts';
import type { KeyOutcome } from '../src/application/idempotency-store.ts';
import { createInMemoryLog } from './in-memory-log.ts';
import { searchInMemory } from './search-in-memory.ts';

const LOOKUPS = {
  search: searchInMemory(createInMemoryLog()),
  isStoreShared: false,
  lookupWindowMs: 3_600_000,
  longestSendMs: 36_000,
};

describe('submitting operations', () => {
  it('calls the key store in the context of the request, wherever the log answers from: its span is the request’s', async () => {
    const context = new AsyncLocalStorage<string>();
    const log = createInMemoryLog();
    log.mode = 'stall';
    const store = createMemoryStore({ ttlMs: 1_000, leaseMs: 1_000, entries: 1, now: () => new Date() });
    let seen: string | undefined;
    const submit = createSubmitOperations({
      log,
      store: { ...store, settle: async () => void (seen = context.getStore()) },
      deadlineMs: 60_000,
      inFlight: new Map(),
      timers: systemTimers,
      fillRandomly: randomFillSync,
      ...LOOKUPS,
    });
    const answer = context.run('request', () =>
      submit({
        submission: { bytes: Buffer.from('[]'), operations: 0 },
        now: new Date(),
        idempotencyKey: 'k',
        trace: { traceparent: '' },
      }),
    );
    while (log.stalled === 0) await new Promise(setImmediate);
    context.run('the connection to the broker', () => log.release());
    await answer;
    expect(seen).toBe('request');
  });

  it('looks many keys up at the same time, when the store may have forgotten them, and publishes them all', async () => {
    const log = createInMemoryLog();
    const submit = createSubmitOperations({
      log,
      store: createMemoryStore({ ttlMs: 1_000, leaseMs: 1_000, entries: 64, now: () => new Date() }),
      deadlineMs: 60_000,
      inFlight: new Map(),
      timers: systemTimers,
      fillRandomly: randomFillSync,
      ...LOOKUPS,
      search: { find: () => new Promise((resolve) => setImmediate(resolve, {})) },
      isStoreShared: true,
    });
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        submit({
          submission: { bytes: Buffer.from('[]'), operations: 0 },
          now: new Date(),
          idempotencyKey: `key ${index}`,
          trace: { traceparent: '' },
        }),
      ),
    );
    expect(results.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(64);
    expect(log.records).toHaveLength(64);
  });

  describe('when the process did not run for a while', () => {
    /** The store answers a claim after so long; the service has no other work meanwhile. */
    const submitAfter = async (pausedMs: number, outcomeUnknown = false) => {
      let clock = 0;
      const log = createInMemoryLog();
      const waits: number[] = [];
      const settled: KeyOutcome[] = [];
      const store = createMemoryStore({ ttlMs: 1_000, leaseMs: 1_000, entries: 1, now: () => new Date() });
      const submit = createSubmitOperations({
        log: {
          ...log,
          append: (record, listener, maxWaitMs) => {
            waits.push(maxWaitMs);
            return log.append(record, listener, maxWaitMs);
          },
        },
        store: {
          ...store,
          claim: async () => {
            clock += pausedMs;
            return { state: 'claimed', outcomeUnknown };
          },
          settle: async (_claim, outcome) => void settled.push(outcome),
        },
        deadlineMs: 5_000,
        inFlight: new Map(),
        timers: { ...systemTimers, now: () => clock },
        fillRandomly: randomFillSync,
        ...LOOKUPS,
      });
      const result = await submit({
        submission: { bytes: Buffer.from('[]'), operations: 0 },
        now: new Date(),
        idempotencyKey: 'k',
        trace: { traceparent: '' },
      });
      return { result, settled, waits, records: log.records };
    };

    it('publishes nothing under a claim that came too late, and gives the key back', async () => {
      const { result, settled, records } = await submitAfter(5_000);
      expect(result).toEqual({ outcome: 'not-published', reason: 'withdrawn' });
      expect([settled, records]).toEqual([[result], []]);
      const again = await submitAfter(5_000, true);
      expect(again.result).toMatchObject({ outcome: 'unknown', reason: 'no-answer' });
      expect(again.records).toEqual([]);
    });

    it('lets the record wait for the rest of the time only', async () => {
      const { result, waits } = await submitAfter(4_999);
      expect([result.outcome, waits]).toEqual(['accepted', [1]]);
    });
  });
});
