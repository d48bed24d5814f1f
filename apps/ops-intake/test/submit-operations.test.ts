import { randomFillSync } from 'node:crypto';
import { systemTimers } from '@workspace/service-kit';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import { createSubmitOperations } from '../src/application/submit-operations.ts';
import { createInMemoryLog } from './in-memory-log.ts';

describe('submitting operations', () => {
  it('tells the key store in the context of the request, wherever the log answers from: its span is the request’s', async () => {
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
});
