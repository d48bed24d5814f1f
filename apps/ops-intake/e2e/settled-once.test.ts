import type { Timer, Timers } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { Clock } from '../simulation/clock.ts';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import { CallFailed } from '../src/features/shared-keys/call-failed.ts';
import { openSharedStore } from '../src/features/shared-keys/shared-store.ts';
import type { StoreServer } from '../src/features/shared-keys/store-server.ts';
import type { SubmitResult } from '../src/application/submit-result.ts';
import { createInMemoryLog, type Failure, notPublished, UNKNOWN } from '../test/in-memory-log.ts';
import { searchInMemory } from '../test/search-in-memory.ts';
import { createSubmitter } from '../test/submitter.ts';

const LEASE_MS = 4_000;
const WINDOW_MS = 60_000;
/** beyond the window of a search and the difference of clocks, and within the time to live */
const MUCH_LATER_MS = 3 * WINDOW_MS;
const TTL_MS = 3_600_000;
/** before a claim that may come late is given back for the last time */
const ARRIVES_AFTER_MS = 3_000;

/**
 * What becomes of a call to the store: it is answered, does not arrive, is carried out without an answer, is carried out later
 * than what follows it (its connection is lost, or it hangs), or is carried out once more later.
 */
const CALL_OUTCOMES = ['answered', 'lost', 'unanswered', 'late', 'hangs', 'twice'] as const;
type CallOutcome = (typeof CALL_OUTCOMES)[number];
/** Calls whose outcomes are drawn; later ones are answered. */
const CALLS = 3;

/** How the store and the log are when the key is used, and what becomes of a record that is appended. */
const SCENES: readonly {
  name: string;
  /** the log has the record, and the store has forgotten its key */
  isForgotten?: boolean;
  isNumbered?: boolean;
  append?: 'written, unanswered' | Failure;
}[] = [
  { name: 'a new key' },
  { name: 'a new key with a number', isNumbered: true },
  { name: 'a forgotten key', isForgotten: true },
  { name: 'a forgotten key with a number', isForgotten: true, isNumbered: true },
  { name: 'a key whose record is written, and not acknowledged', append: 'written, unanswered' },
  { name: 'a key whose record is lost', append: UNKNOWN },
  { name: 'a key whose record is refused', append: notPublished('log-unavailable') },
];
type Scene = (typeof SCENES)[number];

const everySequence = (length: number): CallOutcome[][] =>
  length === 0
    ? [[]]
    : everySequence(length - 1).flatMap((callOutcomes) =>
        CALL_OUTCOMES.map((callOutcome) => [...callOutcomes, callOutcome]),
      );

/** Two instances that share a store and a log, in simulated time. */
const play = async (
  { isForgotten, isNumbered, append }: Scene,
  drawn: readonly CallOutcome[],
  retried: boolean,
): Promise<string[]> => {
  const clock = new Clock();
  const callOutcomes = [...drawn];
  let jumped = 0;
  const now = () => Date.UTC(2026, 0) + clock.now + jumped;
  const log = createInMemoryLog();
  const newServer = () =>
    createMemoryStore({ ttlMs: TTL_MS, leaseMs: LEASE_MS, entries: 100, now: () => new Date(now()) });
  const write = log.append;
  log.append = (record, listener, maxWaitMs) => {
    if (append !== 'written, unanswered') return write(record, listener, maxWaitMs);
    write(record, { settled: () => undefined }, maxWaitMs);
    listener.settled(UNKNOWN);
    return { withdraw: () => false };
  };
  let server = newServer();
  let since = new Date(0);
  const timers: Timers = {
    now: () => clock.now,
    setTimeout: (callback, milliseconds, argument) => {
      const cancel = clock.schedule(milliseconds, () => callback(argument));
      return { cancel, unref: () => undefined, ref: () => undefined } as unknown as Timer;
    },
    clearTimeout: (timer) => (timer as unknown as { cancel(): void } | undefined)?.cancel(),
  };

  const call = async <Answer>(carryOut: () => Promise<Answer>): Promise<Answer> => {
    const callOutcome = callOutcomes.shift() ?? 'answered';
    const later = () =>
      new Promise<Answer>((resolve) => clock.schedule(ARRIVES_AFTER_MS, () => resolve(carryOut())));
    if (callOutcome === 'hangs') return later();
    if (callOutcome === 'late' || callOutcome === 'twice') void later();
    if (callOutcome === 'lost' || callOutcome === 'late')
      throw new CallFailed('DISCONNECTED', true, callOutcome);
    const answer = await carryOut();
    if (callOutcome === 'unanswered') throw new CallFailed('DISCONNECTED', true, callOutcome);
    return answer;
  };
  const connection: StoreServer = {
    claim: (claim) => call(async () => ({ answer: await server.claim(claim), since })),
    settle: (claim, outcome) => call(() => server.settle(claim, outcome)),
    find: async (id, principal) => ({ answer: await server.find(id, principal), since }),
    sequences: {
      take: (claim) => call(() => server.sequences.take(claim)),
      settle: (claim, outcome) => call(() => server.sequences.settle(claim, outcome)),
    },
    probe: async () => ({ since, now: new Date(now()) }),
    forgot: () => undefined,
    capacity: async () => undefined,
    close: async () => undefined,
  };
  const instances = [0, 1].map(() => {
    const { logger } = captureLogger();
    const store = openSharedStore(() => connection, {
      ttlMs: TTL_MS,
      timeoutMs: 500,
      clock: () => new Date(now()),
      timers,
      logger,
    });
    const submit = createSubmitter({
      log,
      store,
      deadlineMs: 2_000,
      timers,
      search: searchInMemory(log),
      isStoreShared: true,
      lookupWindowMs: WINDOW_MS,
      longestSendMs: LEASE_MS,
    });
    return { submit, store };
  });
  const answers: SubmitResult[] = [];
  const violations: string[] = [];
  const submitTo = async (instance: 0 | 1): Promise<void> => {
    const submitted = instances[instance]!.submit({
      submission: { bytes: Buffer.from('[{}]'), operations: 1 },
      now: new Date(now()),
      idempotencyKey: 'k',
      ...(isNumbered && { partitionKey: 'p', sequence: 1 }),
      trace: { traceparent: '' },
    });
    void submitted.then((answer) => {
      answers.push(answer);
      if (answer.outcome === 'not-published' && log.records.length > 0)
        violations.push('not-published, but in the log');
    });
    await new Promise(setImmediate);
  };
  const pass = (milliseconds: number): Promise<void> => clock.runUntil(clock.now + milliseconds);

  await pass(1_001);
  if (isForgotten) {
    const [faultless] = [callOutcomes.splice(0)];
    await submitTo(0);
    await pass(10_000);
    callOutcomes.push(...faultless);
    server = newServer();
    since = new Date(now() - 2 * LEASE_MS);
    await pass(1_001);
    answers.length = 0;
  }
  if (append && append !== 'written, unanswered') log.mode = append;
  for (const instance of retried ? ([0, 1] as const) : ([0] as const)) {
    await submitTo(instance);
    await pass(2_500);
  }
  callOutcomes.length = 0;
  log.mode = 'take';
  append = undefined;
  await pass(15_000);
  // A forgotten key that was not answered since is older than the window by then: it counts as new.
  if (isForgotten && !answers.some(({ outcome }) => outcome === 'accepted')) return violations;
  for (const instance of [1, 0] as const) {
    jumped += MUCH_LATER_MS;
    await pass(1_001);
    await submitTo(instance);
    await pass(1_000);
    if (answers.at(-1)?.outcome !== 'accepted')
      violations.push(`in the end ${JSON.stringify(answers.at(-1))}`);
  }
  if (log.records.length !== 1) violations.push(`${log.records.length} records`);
  const offsets = new Set(
    answers.flatMap((answer) => (answer.outcome === 'accepted' ? [answer.answer.offset] : [])),
  );
  if (offsets.size > 1) violations.push(`202 for the offsets ${[...offsets].join()}`);
  for (const { store } of instances) {
    if (store.status().unsettled > 0) violations.push('unsettled for ever');
    await store.close();
  }
  return violations;
};

describe('a claim is settled once: no acceptance becomes a free key, whatever becomes of the calls to the store', () => {
  it.each(SCENES)('$name', async (scene) => {
    const broken: Record<string, string[]> = {};
    for (const callOutcomes of everySequence(CALLS)) {
      for (const retried of [false, true]) {
        const violations = await play(scene, callOutcomes, retried);
        if (violations.length > 0)
          broken[`${callOutcomes.join(', ')}${retried ? ', retried' : ''}`] = violations;
      }
    }
    expect(Object.entries(broken).slice(0, 5)).toEqual([]);
  });
});
