import { systemTimers } from '@workspace/service-process';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SearchGap } from '@workspace/schemas';
import {
  type Claim,
  type KeyClaim,
  type KeyOutcome,
  StoreUnavailable,
} from '../src/application/idempotency-store.ts';
import { CLOCK_SKEW_MS, type LookupGap } from '../src/application/log-lookup.ts';
import type { FailureCause } from '../src/domain/acceptance.ts';
import { toRecord } from '../src/application/submission-record.ts';
import { submissionIdOf } from '../src/domain/submission-id.ts';
import { createInMemoryLog } from './in-memory-log.ts';
import { manualTimers } from './manual-timers.ts';
import { searchInMemory } from './search-in-memory.ts';
import { answersLater, createSubmitter, fewKeys } from './submitter.ts';

describe('submitting operations', () => {
  it('calls the key store in the context of the request, wherever the log answers from: its span is the request’s', async () => {
    const context = new AsyncLocalStorage<string>();
    const log = createInMemoryLog();
    log.mode = 'stall';
    const store = fewKeys();
    let seen: string | undefined;
    const submit = createSubmitter({
      log,
      store: { ...answersLater(store), settle: async () => void (seen = context.getStore()) },
    });
    const answer = context.run('request', () => submit());
    while (log.stalled === 0) await new Promise(setImmediate);
    context.run('the connection to the broker', () => log.release());
    await answer;
    expect(seen).toBe('request');
  });

  describe('counts a client who waited until the deadline as a failure', () => {
    const never = () => new Promise<never>(() => undefined);
    const found: Claim = { state: 'unknown', claimedAt: new Date(), isLeased: false };
    it.each<
      [FailureCause, string, { claim?: () => Promise<Claim>; settle?: typeof never; isStalled?: true }]
    >([
      ['key-store', 'that does not answer a claim', { claim: never }],
      ['key-store', 'that does not confirm an outcome', { settle: never }],
      ['search', 'that does not end', { claim: async () => found }],
      ['kafka', 'that does not answer', { isStalled: true }],
    ])('of %s %s', async (cause, _what, { isStalled, ...calls }) => {
      const log = createInMemoryLog();
      if (isStalled) log.mode = 'stall';
      const time = manualTimers();
      const failures: string[] = [];
      const store = fewKeys();
      const submit = createSubmitter({
        log,
        store: { ...answersLater(store), ...calls },
        deadlineMs: 20,
        outcomes: { accepted: () => failures.push('none'), failed: (one) => failures.push(one) },
        timers: time.timers,
        search: { find: never, time: () => undefined },
      });
      const answer = submit();
      // All that happens before is done when its promises are.
      await new Promise(setImmediate);
      time.pass(20);
      expect(await answer).toMatchObject({ outcome: 'unknown', reason: 'no-answer' });
      expect(failures).toEqual([cause]);
    });

    it('once, also if what it waited for fails afterwards', async () => {
      const time = manualTimers();
      const failures: string[] = [];
      let fail: (error: Error) => void = () => undefined;
      const claim = () => new Promise<Claim>((_resolve, reject) => (fail = reject));
      const store = fewKeys();
      const submit = createSubmitter({
        store: { ...answersLater(store), claim },
        deadlineMs: 20,
        outcomes: { accepted: () => failures.push('none'), failed: (one) => failures.push(one) },
        timers: time.timers,
      });
      const answer = submit();
      await new Promise(setImmediate);
      time.pass(20);
      await answer;
      fail(new StoreUnavailable('away'));
      await new Promise(setImmediate);
      expect(failures).toEqual(['key-store']);
    });
  });

  it('looks many keys up at the same time, when the store may have forgotten them, and publishes them all', async () => {
    const log = createInMemoryLog();
    const submit = createSubmitter({
      log,
      search: { find: () => new Promise((resolve) => setImmediate(resolve, {})), time: () => undefined },
      isStoreShared: true,
    });
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) => submit({ idempotencyKey: `key ${index}` })),
    );
    expect(results.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(64);
    expect(log.records).toHaveLength(64);
  });

  describe('with a key', () => {
    const NOW = new Date('2026-11-21T12:00:00Z');
    const ID = submissionIdOf('k', undefined);
    const hour = (hours: number): Date => new Date(NOW.getTime() - hours * 3_600_000);
    interface World {
      /** what the store says to one claim after the other, or throws */
      readonly claims: (Claim | Error)[];
      readonly settle?: () => Promise<void>;
      readonly since?: Date;
      readonly written?: string;
    }
    /** Submits with the key `k` in a world that is described. */
    const submitIn = ({ claims, settle = async () => undefined, since = new Date(0), written }: World) => {
      const log = createInMemoryLog();
      const search = searchInMemory(log);
      if (written !== undefined) {
        const submission = { bytes: Buffer.from(written), operations: 1 };
        log.append(
          toRecord(ID, submission, { now: NOW, trace: { traceparent: '' } }),
          { settled: () => undefined },
          1_000,
        );
      }
      const open = new Set<object>();
      const timers = {
        ...systemTimers,
        setTimeout: <T>(callback: (argument: T) => void, ms: number, argument: T) => {
          const timer = systemTimers.setTimeout(callback, ms, argument);
          open.add(timer);
          return timer;
        },
        clearTimeout: (timer: Parameters<typeof systemTimers.clearTimeout>[0]) => {
          open.delete(timer as object);
          systemTimers.clearTimeout(timer);
        },
      };
      const asked: KeyClaim[] = [];
      const store = fewKeys(() => NOW);
      const submit = createSubmitter({
        log,
        store: {
          ...answersLater(store),
          claim: async (claim) => {
            asked.push(claim);
            const reply = claims.shift()!;
            if (reply instanceof Error) throw reply;
            return reply;
          },
          settle,
          since: () => since,
        },
        timers,
        search,
        isStoreShared: true,
      });
      const result = submit({ now: NOW });
      return { result, asked, log, search, open };
    };
    const CLAIMED: Claim = { state: 'claimed', outcomeUnknown: false };

    it('passes on what the store fails with otherwise', async () => {
      await expect(submitIn({ claims: [new TypeError('a bug')] }).result).rejects.toThrow('a bug');
    });

    it('answers once the store has confirmed, and leaves no timer behind but that of all deadlines', async () => {
      let confirm: () => void = () => undefined;
      const { result, open } = submitIn({
        claims: [CLAIMED],
        settle: () => new Promise((resolve) => (confirm = resolve)),
      });
      let isAnswered = false;
      void result.then(() => (isAnswered = true));
      await new Promise(setImmediate);
      expect([isAnswered, open.size]).toEqual([false, 1]);
      confirm();
      expect((await result).outcome).toBe('accepted');
      expect(open.size).toBe(1);
    });

    it('fails with the store when that cannot even keep an outcome for later', async () => {
      const { result, open } = submitIn({
        claims: [CLAIMED],
        settle: () => Promise.reject(new TypeError('a bug')),
      });
      await expect(result).rejects.toThrow('a bug');
      expect(open.size).toBe(1);
    });

    it('searches from the first attempt that is known, if that is older than what may be forgotten', async () => {
      const claims: Claim[] = [{ state: 'unknown', claimedAt: hour(2), isLeased: false }, CLAIMED];
      const { result, search, asked } = submitIn({ claims, since: NOW });
      expect((await result).outcome).toBe('accepted');
      expect(search.queries).toEqual([
        {
          submissionId: ID,
          from: new Date(hour(2).getTime() - CLOCK_SKEW_MS),
        },
      ]);
      expect(asked.map(({ isAbsent }) => isAbsent)).toEqual([undefined, true]);
    });
  });

  it.each<[LookupGap | 'loss', known: boolean, cause: FailureCause | undefined]>([
    ['no-majority', false, 'search'],
    ['deleted', false, 'search'],
    ['too-long', false, 'search'],
    ['loss', false, 'key-store'],
    // Clients bring the history of a key, and could repeat it for ever.
    ['no-majority', true, 'search'],
    ['not-replicated', true, 'search'],
    ['deleted', true, undefined],
    ['too-long', true, undefined],
    ['unreadable-compression', true, undefined],
  ])(
    'tells whether a search that ends with "%s" fails for every key, the store knowing it: %s',
    async (gap, known, cause) => {
      const observed: string[] = [];
      const now = new Date();
      const store = fewKeys(() => now);
      const submit = createSubmitter({
        store: {
          ...answersLater(store),
          claim: async () =>
            known
              ? { state: 'unknown', claimedAt: now, isLeased: false }
              : { state: 'claimed', outcomeUnknown: false },
          status: () => ({ ...store.status(), ...(gap === 'loss' && { loss: { at: now, over: now } }) }),
        },
        deadlineMs: 5_000,
        outcomes: { accepted: () => observed.push('accepted'), failed: (one) => observed.push(one) },
        search: {
          find: async () => (gap === 'loss' ? {} : { gap: gap as SearchGap }),
          time: () => undefined,
        },
        isStoreShared: true,
      });
      const result = await submit({ now });
      expect([result.outcome, observed]).toEqual(['unknown', cause === undefined ? [] : [cause]]);
    },
  );

  it('lets look-ups wait for their turn for half of the deadline', async () => {
    const waits: number[] = [];
    const timers = {
      ...systemTimers,
      setTimeout: <T>(callback: (argument: T) => void, ms: number, argument: T) => {
        waits.push(ms);
        return systemTimers.setTimeout(callback, 0, argument);
      },
    };
    const submit = createSubmitter({
      timers,
      search: { find: () => new Promise(() => undefined), time: () => undefined },
      isStoreShared: true,
    });
    for (let index = 0; index < 64; index += 1) void submit({ idempotencyKey: `key ${index}` });
    const isOfQueue = (milliseconds: number): boolean => milliseconds < 50_000;
    while (!waits.some(isOfQueue)) await new Promise(setImmediate);
    expect(new Set(waits.filter(isOfQueue))).toEqual(new Set([30_000]));
  });

  describe('when the process did not run for a while', () => {
    /** The store answers a claim after so long; the service has no other work meanwhile. */
    const submitAfter = async (pausedMs: number, outcomeUnknown = false) => {
      let clock = 0;
      const log = createInMemoryLog();
      const waits: number[] = [];
      const settled: KeyOutcome[] = [];
      const store = fewKeys();
      const submit = createSubmitter({
        log: {
          ...log,
          append: (record, listener, maxWaitMs) => {
            waits.push(maxWaitMs);
            return log.append(record, listener, maxWaitMs);
          },
        },
        store: {
          ...answersLater(store),
          claim: async () => {
            clock += pausedMs;
            return { state: 'claimed', outcomeUnknown };
          },
          settle: async (_claim, outcome) => void settled.push(outcome),
        },
        deadlineMs: 5_000,
        timers: { ...systemTimers, now: () => clock },
      });
      const result = await submit();
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
