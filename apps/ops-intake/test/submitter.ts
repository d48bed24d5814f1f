import { randomFillSync } from 'node:crypto';
import { systemTimers } from '@workspace/service-process';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import {
  createSubmitOperations,
  type SubmitOperationsOptions,
} from '../src/application/submit-operations.ts';
import type { IdempotencyStore } from '../src/application/idempotency-store.ts';
import { SubmissionsInFlight } from '../src/application/submissions-in-flight.ts';
import type { Submit } from '../src/application/submit.ts';
import type { SubmitResult } from '../src/application/submit-result.ts';
import { createInMemoryLog } from './in-memory-log.ts';
import { searchInMemory } from './search-in-memory.ts';

/** A store in memory of a few keys. */
export const fewKeys = (now = () => new Date()): IdempotencyStore =>
  createMemoryStore({ ttlMs: 1_000, leaseMs: 1_000, entries: 64, now });

/** Submits, and resolves with what the client gets; on a log and a store in memory, unless it is given others. */
export const createSubmitter = (
  options: Partial<SubmitOperationsOptions> = {},
): ((submit?: Partial<Submit>) => Promise<SubmitResult>) => {
  const { log = createInMemoryLog(), deadlineMs = 60_000, timers = systemTimers } = options;
  const submitOperations = createSubmitOperations({
    log,
    store: fewKeys(),
    deadlineMs,
    inFlight: new SubmissionsInFlight(deadlineMs, timers),
    timers,
    fillRandomly: randomFillSync,
    search: searchInMemory(createInMemoryLog()),
    isStoreShared: false,
    lookupWindowMs: 3_600_000,
    longestSendMs: 36_000,
    ...options,
  });
  const submission = { bytes: Buffer.from('[]'), operations: 0 };
  return (submit) =>
    new Promise((resolved, failed) => {
      const one = { submission, now: new Date(), idempotencyKey: 'k', trace: { traceparent: '' }, ...submit };
      submitOperations(one, { resolved, failed });
    });
};

/** The same store, which answers later, as one outside of the process. */
export const answersLater = ({ sync: _sync, ...store }: IdempotencyStore): IdempotencyStore => store;
