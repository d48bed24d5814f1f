import type { Timers } from '@workspace/service-process';
import { Deadlines } from './deadlines.ts';
import { KeyedDelivery, KeylessDelivery, type OnSettled, SingleDelivery } from './delivery.ts';
import { newSubmissionId, submissionIdOf } from '../domain/submission-id.ts';
import { type Claim, type KeyClaim, type KeyOutcome, StoreUnavailable } from './idempotency-store.ts';
import type { SubmissionOutcomes } from './acceptance-watch.ts';
import type { SharedLog } from './queue-shares.ts';
import type { FillRandomly } from '../domain/randomness.ts';
import { createKeyLookup, type KeyLookupOptions } from './key-lookup.ts';
import { createLogLookup } from './log-lookup.ts';
import type { RecordSearch } from './record-search.ts';
import type { SequenceClaim } from './sequence-store.ts';
import { toRecord } from './submission-record.ts';
import type { SubmissionsInFlight } from './submissions-in-flight.ts';
import { fingerprintOfSubmit, type Submit } from './submit.ts';
import {
  type SubmissionOutcome,
  type SubmitListener,
  type SubmitResult,
  unknownOutcome,
} from './submit-result.ts';
import { createTakeNumber, numberOf, type NumberDenied, settleNumber } from './take-number.ts';

export interface SubmitOperationsOptions extends Pick<
  KeyLookupOptions,
  'store' | 'isStoreShared' | 'lookupWindowMs' | 'longestSendMs'
> {
  log: SharedLog;
  /** milliseconds after which the caller is answered with what is known by then */
  deadlineMs: number;
  /** submissions without a key that are on their way, for who asks what became of them */
  inFlight: SubmissionsInFlight;
  /** called with what clients get */
  outcomes?: SubmissionOutcomes;
  timers: Timers;
  fillRandomly: FillRandomly;
  search: RecordSearch;
}

/** Submissions that may search the log at the same time; more wait in a queue. */
const MOST_LOOKUPS = 16;

/** Takes submissions to the log, each at most once per Idempotency-Key. */
export interface SubmitOperations {
  (submit: Submit): Promise<SubmitResult>;
  /**
   * The same without a promise, where it takes no waiting but for the log: there is neither a number nor an order to wait for,
   * and no key, or one that is new, or whose answer is known, in a store of this process.
   * @param listener may be called before this returns
   * @returns whether the listener will be called. Else nothing was done, and the submission goes the other way
   */
  sync(submit: Submit, listener: SubmitListener): boolean;
}

const UNWATCHED: SubmissionOutcomes = { accepted: () => undefined, failed: () => undefined };

/** What is not queued because the queue refused the submission before it. */
const BEHIND_REFUSED: SubmissionOutcome = { outcome: 'not-published', reason: 'queue-full' };

/** What the queue says of a record whose time was over before it was sent. */
const TOO_LATE: SubmissionOutcome = { outcome: 'not-published', reason: 'withdrawn' };

const resultOfClaim = (
  claimed: Exclude<Claim, { state: 'claimed' }> | undefined,
  id: string,
): SubmitResult => {
  switch (claimed?.state) {
    case undefined:
      return unknownOutcome('store-unavailable', id);
    case 'accepted':
      return { outcome: 'accepted', answer: claimed.answer, replayed: true };
    case 'reused':
      return { outcome: 'key-reused', submissionId: id };
    case 'in-flight':
      return unknownOutcome('in-flight', id);
    case 'unknown':
      return unknownOutcome('no-answer', id);
  }
};

export const createSubmitOperations = (options: SubmitOperationsOptions): SubmitOperations => {
  const {
    log,
    store,
    deadlineMs,
    inFlight,
    outcomes = UNWATCHED,
    timers,
    fillRandomly,
    search,
    isStoreShared,
  } = options;
  // Half of the deadline is for the search itself.
  const queue = { waitMs: deadlineMs / 2, timers };
  const lookUp = createLogLookup(search, { concurrent: MOST_LOOKUPS, queue });
  const takeNumber = createTakeNumber(store, lookUp);
  const { windowBegan, isPerhapsForgotten, isLossRecent, lookUpKey } = createKeyLookup({
    ...options,
    lookUp,
    outcomes,
  });
  const deadlines = new Deadlines(deadlineMs, timers);

  const deliver = (
    submit: Submit,
    id: string,
    onSettled: OnSettled,
    maxWaitMs: number,
  ): Promise<SubmissionOutcome> =>
    new Promise((resolve, reject) => {
      const { submission } = submit;
      const listener = { resolved: resolve, failed: reject };
      const delivery = new SingleDelivery(id, submission.operations, onSettled, listener, outcomes);
      delivery.start(log, toRecord(id, submission, submit), maxWaitMs, submit.clients);
      delivery.expireAfter(maxWaitMs, timers);
    });

  const start = (delivery: KeylessDelivery | KeyedDelivery, submit: Submit): void => {
    delivery.start(log, toRecord(delivery.id, submit.submission, submit), deadlineMs, submit.clients);
    delivery.expireWith(deadlines);
  };

  const submitOnce = (submit: Submit, id: string, listener: SubmitListener): void =>
    start(new KeylessDelivery(id, submit, inFlight, listener, outcomes), submit);

  /** The store's answer; undefined when it cannot be asked. */
  const claimKey = (claim: KeyClaim): Promise<Claim | undefined> =>
    store.claim(claim).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
      outcomes.failed('key-store');
      return undefined;
    });

  /** Why the submission is not published now; undefined when it has its number. */
  const denialOf = async (
    claim: SequenceClaim,
    principal: string | undefined,
  ): Promise<SubmissionOutcome | NumberDenied | undefined> => {
    try {
      return await takeNumber(claim, principal);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      outcomes.failed('key-store');
      return unknownOutcome('store-unavailable', claim.holder);
    }
  };

  /** Without a key, a retry has another id: its number is free once the log certainly does not have the first one. */
  const submitNumbered = async (submit: Submit, number: SequenceClaim): Promise<SubmitResult> => {
    const { holder: id } = number;
    const startedAt = timers.now();
    const numbered = { id, principal: submit.principal };
    inFlight.add(numbered);
    const denied = await denialOf(number, submit.principal).catch((error: unknown) => {
      inFlight.remove(numbered);
      throw error;
    });
    const leftMs = deadlineMs - (timers.now() - startedAt);
    if (denied || leftMs <= 0) {
      inFlight.remove(numbered);
      if (denied) return denied;
      await settleNumber(store, number, TOO_LATE);
      return TOO_LATE;
    }
    const onSettled = (outcome: KeyOutcome): Promise<void> =>
      settleNumber(store, number, outcome).finally(() => inFlight.remove(numbered));
    return deliver(submit, id, onSettled, leftMs);
  };

  /** @param id made from the key, so it stands for it in the store */
  const claimOf = (submit: Submit, id: string, owner: string): KeyClaim => {
    const { principal } = submit;
    return { id, fingerprint: fingerprintOfSubmit(submit), owner, principal };
  };
  /** owners of claims in a store that no other process uses */
  let syncOwners = 0;

  /** @param id made from the key, so it stands for it in the store */
  const submitWithKey = async (submit: Submit, id: string): Promise<SubmitResult> => {
    const { principal, now } = submit;
    const claim = claimOf(submit, id, newSubmissionId(now, fillRandomly));
    const number = numberOf(submit, id, claim.owner);
    const startedAt = timers.now();
    let claimed = await claimKey(claim);
    if (claimed?.state === 'unknown') {
      // The first attempt that the store knows need not be the first.
      const mayBeEarlier = claimed.claimedAt > windowBegan(now) && isPerhapsForgotten(now);
      const from = mayBeEarlier ? windowBegan(now) : claimed.claimedAt;
      const lookup = await lookUpKey(claim, number, from, false);
      if (lookup !== 'absent') return lookup;
      // What was sent may still arrive.
      if (claimed.isLeased) return unknownOutcome('no-answer', id);
      claimed = await claimKey({ ...claim, isAbsent: true });
    } else if (claimed?.state === 'claimed' && isPerhapsForgotten(now)) {
      const lookup = await lookUpKey(claim, number, windowBegan(now), true);
      // The record has settled the claim, and a claim is settled once.
      if (lookup !== 'absent' && lookup.outcome === 'accepted') return lookup;
      if (lookup !== 'absent' || isLossRecent(now)) {
        // The next retry searches again.
        await store.settle(claim, TOO_LATE);
        if (lookup !== 'absent') return lookup;
        outcomes.failed('key-store');
        return unknownOutcome('no-answer', id);
      }
    }
    if (claimed?.state !== 'claimed') return resultOfClaim(claimed, id);
    const { outcomeUnknown } = claimed;

    /** This attempt may have published nothing; the submission may be in the log all the same. */
    const resultOf = (outcome: SubmissionOutcome): SubmissionOutcome =>
      outcome.outcome === 'not-published' && outcomeUnknown ? unknownOutcome('no-answer', id) : outcome;
    const denied = number && (await denialOf(number, principal));
    if (denied) {
      await store.settle(claim, TOO_LATE);
      if (denied.outcome !== 'out-of-sequence') return denied;
      return outcomeUnknown ? { ...denied, perhapsAs: id } : denied;
    }
    const settleClaim = (outcome: KeyOutcome): Promise<unknown> => {
      const ofKey = store.settle(claim, outcome);
      const isFinal = outcome.outcome === 'accepted' || !outcomeUnknown;
      return number && isFinal ? Promise.all([ofKey, settleNumber(store, number, outcome)]) : ofKey;
    };
    const { order } = submit;
    if (order?.before && (await order.before) === 'refused') {
      await settleClaim(BEHIND_REFUSED);
      return resultOf(BEHIND_REFUSED);
    }
    // In a process that did not run for a while, the lease of the claim may be over: another request may have the key now.
    const leftMs = deadlineMs - (timers.now() - startedAt);
    if (leftMs <= 0) {
      await settleClaim(TOO_LATE);
      return resultOf(TOO_LATE);
    }
    let settle: (outcome: KeyOutcome) => void = () => undefined;
    // The store learns the final outcome, however late, and not what the caller was answered at the deadline. `then` is called
    // here, so that the store's span is part of the request's trace: the log calls back from its connection.
    const settled = new Promise<KeyOutcome>((resolve) => (settle = resolve)).then(settleClaim);
    const onSettled = (outcome: KeyOutcome): Promise<unknown> => {
      // It does nothing for a record that was queued.
      if (outcome.outcome === 'not-published') order?.over('refused');
      settle(outcome);
      return settled;
    };
    const delivered = deliver(submit, id, onSettled, leftMs);
    order?.over('queued');
    return resultOf(await delivered);
  };

  const submitSync = (submit: Submit, listener: SubmitListener): boolean => {
    const { idempotencyKey: key, principal, sequence, now } = submit;
    if (sequence !== undefined) return false;
    if (key === undefined) {
      submitOnce(submit, newSubmissionId(now, fillRandomly), listener);
      return true;
    }
    const { sync } = store;
    if (!sync || isStoreShared) return false;
    const id = submissionIdOf(key, principal);
    const delivery = new KeyedDelivery(id, submit, String((syncOwners += 1)), sync, listener, outcomes);
    const claimed = sync.claim(delivery);
    if (claimed.state === 'unknown') return false;
    if (claimed.state === 'claimed') start(delivery, submit);
    else listener.resolved(resultOfClaim(claimed, id));
    return true;
  };

  const submitOperations = (submit: Submit): Promise<SubmitResult> => {
    const { idempotencyKey: key, principal, now } = submit;
    if (key !== undefined) return submitWithKey(submit, submissionIdOf(key, principal));
    const id = newSubmissionId(now, fillRandomly);
    const number = numberOf(submit, id, id);
    if (number) return submitNumbered(submit, number);
    return new Promise((resolved, failed) => submitOnce(submit, id, { resolved, failed }));
  };
  return Object.assign(submitOperations, { sync: submitSync });
};
