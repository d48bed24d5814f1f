import { randomFillSync } from 'node:crypto';
import { systemTimers } from '@workspace/service-process';
import { createMemoryStore } from '../../adapters/memory/memory-store.ts';
import { createSubmitOperations } from '../../application/submit-operations.ts';
import { SubmissionsInFlight } from '../../application/submissions-in-flight.ts';
import { createInMemoryLog, notPublished } from '../../../test/in-memory-log.ts';
import { searchInMemory } from '../../../test/search-in-memory.ts';
import { answersLater } from '../../../test/submitter.ts';
import { SubmissionStream } from './submission-stream.ts';

it.each(['record-too-large', 'queue-full'] as const)(
  'has lines with a Partition-Key wait behind a refused one only while that is tried again: %s',
  async (reason) => {
    const log = createInMemoryLog();
    const now = () => new Date('2026-11-21T12:00:00Z');
    const waits: number[] = [];
    const timers: typeof systemTimers = {
      ...systemTimers,
      setTimeout: (callback, milliseconds, argument) => {
        waits.push(milliseconds);
        return systemTimers.setTimeout(callback, milliseconds, argument);
      },
    };
    let rejections = 1;
    const deadlineMs = 5_000;
    const submitOperations = createSubmitOperations({
      log: {
        ...log,
        append: (record, listener, maxWaitMs) => {
          log.mode = rejections-- > 0 ? notPublished(reason) : 'take';
          return log.append(record, listener, maxWaitMs);
        },
      },
      store: answersLater(createMemoryStore({ ttlMs: 60_000, leaseMs: 60_000, entries: 10, now })),
      deadlineMs,
      inFlight: new SubmissionsInFlight(deadlineMs, systemTimers),
      timers: systemTimers,
      fillRandomly: randomFillSync,
      search: searchInMemory(log),
      isStoreShared: false,
      lookupWindowMs: 3_600_000,
      longestSendMs: 36_000,
    });
    const stream = new SubmissionStream<string, never>({
      submitOperations,
      deadlineMs,
      submissions: 10,
      bytes: 1_000,
      clock: now,
      timers,
      onChange: () => undefined,
    });
    for (const key of ['first', 'second'])
      stream.add(key, 1, {
        submission: { bytes: Buffer.from(`["${key}"]`), operations: 1 },
        now: now(),
        idempotencyKey: key,
        partitionKey: 'p',
        trace: { traceparent: '' },
      });
    const answers: string[] = [];
    while (answers.length < 2) {
      await new Promise(setImmediate);
      for (let next = stream.take(); next; next = stream.take()) answers.push(next.answer.outcome);
    }
    const isTriedAgain = reason === 'queue-full';
    expect(waits).toEqual(isTriedAgain ? [100] : []);
    expect(answers).toEqual([isTriedAgain ? 'accepted' : 'not-published', 'accepted']);
    const written = log.records.map(({ value }) => String(value));
    expect(written).toEqual(isTriedAgain ? ['["first"]', '["second"]'] : ['["second"]']);
  },
);
