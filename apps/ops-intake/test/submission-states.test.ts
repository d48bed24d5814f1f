import { randomFillSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Timer } from '@workspace/service-process';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import {
  type Claim,
  type IdempotencyStore,
  type KeyOutcome,
  StoreUnavailable,
} from '../src/application/idempotency-store.ts';
import { createSubmitOperations } from '../src/application/submit-operations.ts';
import { type AcceptedSubmission, toRecord } from '../src/application/submission-record.ts';
import {
  type State,
  type SubmissionEvent,
  type Transition,
  transition,
  TRANSITIONS,
} from '../src/application/submission-states.ts';
import { SubmissionsInFlight } from '../src/application/submissions-in-flight.ts';
import type { Submit } from '../src/application/submit.ts';
import type { SubmitResult } from '../src/application/submit-result.ts';
import { submissionIdOf } from '../src/domain/submission-id.ts';
import { createInMemoryLog, notPublished, UNKNOWN } from './in-memory-log.ts';
import { searchInMemory } from './search-in-memory.ts';
import { statesText } from './states-text.ts';
import { answersLater } from './submitter.ts';

interface Step extends Transition {
  readonly from: State;
  readonly event: SubmissionEvent;
}

type Begin = 'claiming' | 'numbering' | 'sending';
const BEGINS: readonly Begin[] = ['claiming', 'numbering', 'sending'];

/** Every way from a state to the end. */
const ways = (from: State, isAfterUnknown: boolean, before: readonly Step[] = []): (readonly Step[])[] => {
  if (from === 'ended') return [before];
  // A second time in a state would be for ever.
  expect(before.map((step) => step.from)).not.toContain(from);
  return Object.keys(TRANSITIONS[from]).flatMap((name) => {
    const event = name as SubmissionEvent;
    // Only a second claim is after an unknown attempt; a store may say so of a first one, too.
    const isUnsure = isAfterUnknown && before.some(isClaim);
    const next = transition(from, event, isUnsure || (isAfterUnknown && isClaim({ event })));
    return ways(next.to, isAfterUnknown, [...before, { ...next, from, event }]);
  });
};
const isClaim = ({ event }: Pick<Step, 'event'>): boolean =>
  event === 'claimed' || event === 'perhaps-forgotten';

const ALL = BEGINS.flatMap((begin) =>
  [false, ...(begin === 'claiming' ? [true] : [])].flatMap((isAfterUnknown) =>
    ways(begin, isAfterUnknown).map((way) => ({
      begin,
      isAfterUnknown: isAfterUnknown && way.some(isClaim),
      way,
      name: way.map(({ event }) => event).join(', '),
    })),
  ),
);

describe('the table of states', () => {
  it('is in the guarantees, as `npx nx states ops-intake --write` puts it there', () => {
    expect(readFileSync(join(__dirname, '../docs/guarantees.md'), 'utf8')).toContain(statesText());
  });

  it('has every state and every event on some way', () => {
    const used = new Set(ALL.flatMap(({ way }) => way.map(({ from, event }) => `${from} ${event}`)));
    const all = Object.entries(TRANSITIONS).flatMap(([state, events]) =>
      Object.keys(events).map((event) => `${state} ${event}`),
    );
    expect([...used].toSorted()).toEqual(all.toSorted());
  });

  it('answers every event of other states with an error', () => {
    const events = new Set(Object.values(TRANSITIONS).flatMap((one) => Object.keys(one)));
    for (const [state, own] of Object.entries(TRANSITIONS))
      for (const event of events) {
        if (event in own) continue;
        const impossible = () => transition(state as State, event as SubmissionEvent, false);
        expect(impossible).toThrow(`${event} in the state ${state}`);
      }
  });

  it.each(ALL)(
    'keeps every promise: $begin, $name, after an unknown attempt: $isAfterUnknown',
    ({ begin, isAfterUnknown, way }) => {
      const at = (event: SubmissionEvent, from?: State): number =>
        way.findIndex((step) => step.event === event && (from === undefined || step.from === from));
      const has = (event: SubmissionEvent, from?: State): boolean => at(event, from) >= 0;
      const states = way.map(({ from }) => from);
      const settled = way.flatMap(({ settle }) => (settle ? [settle] : []));
      const answers = way.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
      const isClaimed = way.some(isClaim);
      const isFound = has('found');
      const isSent = states.includes('sending');

      // Nothing is published before its key is claimed, and its number taken, and what comes before it is queued; and no second
      // time while an earlier attempt, or one that the store forgot, may be in the log.
      if (isSent && begin === 'claiming') expect(isClaimed).toBe(true);
      if (isSent && begin !== 'sending') expect([has('taken'), has('queued')]).toEqual([true, true]);
      if (isSent && has('unknown', 'claiming')) expect(states).toContain('searching');
      if (isSent && (states.includes('searching') || states.includes('verifying')))
        expect(has('absent')).toBe(true);
      if (isSent && has('perhaps-forgotten', 'claiming')) expect(states).toContain('verifying');

      // One answer; what is claimed, sent or found is settled once, and the answer follows.
      expect(answers).toHaveLength(1);
      expect(settled).toHaveLength(isClaimed || isSent || isFound || states.includes('numbering') ? 1 : 0);
      if (settled.length > 0) expect(states.at(-1)).toBe('settling');
      const [settlement] = settled;
      const [answer] = answers;

      // Accepted is what the log has.
      const isInLog = isFound || has('accepted', 'sending');
      expect(settlement?.key === 'accepted').toBe(isInLog);
      expect(settlement?.number === 'accepted').toBe(isInLog);
      expect(answer === 'accepted').toBe(has('accepted', 'sending'));
      expect(answer === 'replayed').toBe(
        isFound || has('accepted', 'claiming') || has('accepted', 'reclaiming'),
      );

      // Not published is only what certainly is not in the log; then key and number are free.
      const isPerhapsInLog = isInLog || has('unknown', 'sending');
      if (settlement?.key === 'not-published') expect(isPerhapsInLog).toBe(false);
      if (settlement && !isPerhapsInLog) expect(settlement.key).toBe('not-published');
      expect(settlement?.number === 'not-published').toBe(
        settlement !== undefined && has('taken') && !isAfterUnknown && !isPerhapsInLog
          ? true
          : begin === 'sending' && has('not-published'),
      );
      if (answer === 'not-published') expect([isPerhapsInLog, isAfterUnknown]).toEqual([false, false]);
      const isNumberDenied = has('out-of-sequence');
      expect(answer === (isAfterUnknown ? 'perhaps-out-of-sequence' : 'out-of-sequence')).toBe(
        isNumberDenied,
      );

      // A key of another payload is neither published nor accepted.
      expect(answer === 'key-reused').toBe(has('found-other') || has('reused'));
      expect(answer === 'in-flight').toBe(has('in-flight'));
      expect(answer === 'store-unavailable').toBe(has('store-unavailable'));
    },
  );

  it.each(Object.keys(TRANSITIONS) as State[])('decides nothing at the deadline: %s', (state) => {
    const atDeadline = (isAfterUnknown: boolean) => transition(state, 'deadline', isAfterUnknown);
    if (state === 'ended') expect(() => atDeadline(false)).toThrow();
    else {
      expect(atDeadline(false)).toEqual({ to: state, answer: 'no-answer' });
      expect(atDeadline(true)).toEqual(atDeadline(false));
    }
  });
});

const DEADLINE_MS = 5_000;
const NOW = new Date('2026-11-21T12:00:00Z');
const ID = submissionIdOf('k', undefined);

interface Variant {
  /** the store is in the process */
  readonly isSync: boolean;
  readonly isNumbered: boolean;
  /** the deadline passes before this event */
  readonly deadlineAt: number;
}

/** What a client got, in the words of the table. */
const answerOf = (result: SubmitResult): string => {
  if (result.outcome === 'accepted') return result.replayed ? 'replayed' : 'accepted';
  if (result.outcome === 'unknown') return result.reason;
  return result.outcome === 'out-of-sequence' && result.perhapsAs
    ? `perhaps-${result.outcome}`
    : result.outcome;
};

/** Makes the events of a way happen to a submission. */
const run = async (
  { begin, way, isAfterUnknown }: (typeof ALL)[number],
  { isSync, isNumbered, deadlineAt }: Variant,
): Promise<{ seen: string[]; isLate: boolean }> => {
  const seen: string[] = [];
  const events = way.map(({ event }) => event);
  let clock = 0;
  let expire: (() => void) | undefined;
  let isLate = false;
  let at = -1;
  const passDeadline = (): void => {
    if (at !== deadlineAt || isLate) return;
    isLate = true;
    clock = DEADLINE_MS;
    expire!();
  };
  const next = (): SubmissionEvent => {
    at += 1;
    if (events[at] === 'taken' && !isNumbered) at += 1;
    if (events[at] === 'late') clock = DEADLINE_MS;
    passDeadline();
    return events[at]!;
  };
  const later = async <Result>(answer: () => Result): Promise<Result> => {
    await new Promise(setImmediate);
    return answer();
  };
  const claim = (): Claim => {
    const event = next();
    if (event === 'store-unavailable') throw new StoreUnavailable('away');
    if (isClaim({ event })) return { state: 'claimed', outcomeUnknown: isAfterUnknown };
    if (event === 'accepted') return { state: event, answer: { submissionId: ID } as AcceptedSubmission };
    if (event !== 'unknown') return { state: event as 'reused' | 'in-flight' };
    return { state: event, claimedAt: NOW, isLeased: events[at + 1] === 'may-arrive' };
  };
  const settleKey = (_claim: unknown, { outcome }: KeyOutcome): void => void seen.push(`key ${outcome}`);
  const confirm = <Result>(settle: () => Result): Promise<Result> =>
    later(() => {
      at = events.indexOf('settled');
      passDeadline();
      return settle();
    });
  const memory = createMemoryStore({ ttlMs: 1, leaseMs: 1, entries: 1, now: () => NOW });
  const store: IdempotencyStore = {
    ...answersLater(memory),
    ...(isSync && { sync: { claim, settle: settleKey } }),
    claim: () => later(claim),
    settle: (_claim, outcome) => confirm(() => settleKey(_claim, outcome)),
    sequences: {
      take: () =>
        later(() => {
          const event = next();
          if (event === 'store-unavailable') throw new StoreUnavailable('away');
          return event === 'taken' ? { state: event } : { state: 'out-of-sequence', expected: 2 };
        }),
      settle: (_claim, outcome) => confirm(() => void seen.push(`number ${outcome}`)),
    },
    since: () => (events[at] === 'perhaps-forgotten' ? NOW : new Date(0)),
    status: () => ({
      ...memory.status(),
      ...(events[at] === 'may-arrive' && { loss: { at: NOW, over: NOW } }),
    }),
  };
  const find = async () => {
    const event = await later(next);
    if (event === 'unsearchable') return { gap: 'too-long' as const };
    const log = createInMemoryLog();
    const bytes = Buffer.from(event === 'found' ? '[1]' : '[2]');
    const context = { now: NOW, trace: { traceparent: '' }, ...(isNumbered && NUMBER) };
    if (event === 'found' || event === 'found-other')
      log.append(toRecord(ID, { bytes, operations: 1 }, context), { settled: () => undefined }, 1);
    return searchInMemory(log).find({ submissionId: ID, from: NOW });
  };
  const timers = {
    now: () => clock,
    setTimeout: <Argument>(
      callback: (argument: Argument) => void,
      milliseconds: number,
      argument: Argument,
    ) => {
      if (milliseconds === DEADLINE_MS) expire = () => callback(argument);
      return { unref: () => undefined } as Timer;
    },
    clearTimeout: () => undefined,
  };
  const submitOperations = createSubmitOperations({
    log: {
      ...createInMemoryLog(),
      append: (_record, listener) => {
        seen.push('sent');
        void later(() => {
          const outcome = next();
          if (outcome === 'accepted')
            listener.settled({ outcome, topic: 'operations', partition: 0, offset: 0 });
          else listener.settled(outcome === 'unknown' ? UNKNOWN : notPublished('log-unavailable'));
        });
        return { withdraw: () => false };
      },
    },
    store,
    deadlineMs: DEADLINE_MS,
    inFlight: new SubmissionsInFlight(DEADLINE_MS, timers),
    timers,
    fillRandomly: randomFillSync,
    search: { find, time: () => undefined },
    isStoreShared: true,
    lookupWindowMs: 3_600_000,
    longestSendMs: 36_000,
  });
  const submit: Submit = {
    submission: { bytes: Buffer.from('[1]'), operations: 1 },
    now: NOW,
    trace: { traceparent: '' },
    ...(begin === 'claiming' && { idempotencyKey: 'k' }),
    ...(isNumbered && NUMBER),
    ...(begin !== 'sending' && {
      order: {
        get before() {
          return later(() => (next() === 'refused' ? 'refused' : 'queued'));
        },
        over: () => undefined,
      },
    }),
  };
  submitOperations(submit, {
    resolved: (result) => void seen.push(answerOf(result)),
    failed: (error) => void seen.push(String(error)),
  });
  for (let turn = 0; turn < 3 * way.length; turn += 1) await new Promise(setImmediate);
  return { seen, isLate };
};
const NUMBER = { partitionKey: 'p', sequence: 1 };

describe('a submission', () => {
  it.each(ALL)(
    'goes the way of the table: $begin, $name, after an unknown attempt: $isAfterUnknown',
    async (one) => {
      const { begin, way } = one;
      const isKeyed = begin === 'claiming';
      const end = way.findLast(({ answer }) => answer !== undefined)!;
      for (const isSync of isKeyed ? [false, true] : [false])
        for (const isNumbered of isKeyed ? [false, true] : [begin === 'numbering'])
          for (let deadlineAt = -1; deadlineAt < way.length; deadlineAt += 1) {
            const isOf = (state: State, event: SubmissionEvent): boolean =>
              way.some((step) => step.from === state && step.event === event);
            if (isSync && (isOf('claiming', 'store-unavailable') || isOf('reclaiming', 'store-unavailable')))
              continue;
            const isDenied = isOf('numbering', 'out-of-sequence') || isOf('numbering', 'store-unavailable');
            if (isDenied && !isNumbered) continue;
            // Once its time is over, it is late.
            const queuedAt = way.findIndex(({ event }) => event === 'queued');
            if (deadlineAt >= 0 && deadlineAt <= queuedAt) continue;
            const { seen, isLate } = await run(one, { isSync, isNumbered, deadlineAt });
            const { key, number } = end.settle ?? {};
            const settled = [
              ...(key && isKeyed ? [`key ${key}`] : []),
              ...(number && isNumbered ? [`number ${number}`] : []),
            ];
            const answer = isLate ? 'no-answer' : end.answer!;
            const sent = way.some(({ from }) => from === 'sending') ? ['sent'] : [];
            expect(seen.filter((what) => what !== answer)).toEqual([...sent, ...settled]);
            expect(seen.filter((what) => what === answer)).toHaveLength(1);
            if (!isLate) expect(seen.at(-1)).toBe(answer);
          }
    },
  );
});
