import type { FillRandomly } from '../domain/randomness.ts';
import { isSubmissionId, newSubmissionId, timeOfSubmissionId } from '../domain/submission-id.ts';
import type { FoundRecord, Outcome } from '@workspace/schemas';
import { type IdempotencyStore, type StoredOutcome, StoreUnavailable } from './idempotency-store.ts';
import {
  answerOfRecord,
  CLOCK_SKEW_MS,
  createLogLookup,
  earlierNow,
  type LookupGap,
  mayHaveForgotten,
} from './log-lookup.ts';
import type { RecordSearch } from './record-search.ts';
import { type AcceptedSubmission, fingerprintOfRecord, principalOfRecord } from './submission-record.ts';
import type { SubmissionsInFlight } from './submissions-in-flight.ts';

/** Why it is not known what became of a submission. */
export type UndecidedReason =
  /** it is not in the log yet, and may be on its way at another instance or inside a broker */
  | 'perhaps-on-its-way'
  /** the key store cannot be asked, and the log does not have it */
  | 'store-unavailable'
  | LookupGap;

/** What is known of a submission now. */
export type FoundSubmission =
  | Exclude<
      Outcome<{ readonly answer: AcceptedSubmission }, { readonly reason: UndecidedReason }>,
      { outcome: 'not-published' }
    >
  | { outcome: 'in-flight' }
  /** `searchedFrom`: no record with this id was written since then; undefined for what is no id */
  | { outcome: 'not-found'; searchedFrom?: Date };

export interface FindSubmissionOptions {
  store: IdempotencyStore;
  search: RecordSearch;
  inFlight: Pick<SubmissionsInFlight, 'find'>;
  /** milliseconds that a submission can be on its way, from its arrival to the last attempt */
  longestSendMs: number;
  /** milliseconds of the log that are read, back from now, when the time of a submission is not known */
  windowMs: number;
  /** when the store began to know of every key; undefined when it always has: all instances share it */
  storeBegan?: Date | undefined;
  fillRandomly: FillRandomly;
}

export interface Question {
  principal: string | undefined;
  /** who asks: no client may keep others from searching */
  client: string;
  now: Date;
}

/**
 * Finds out what became of a submission: from what this instance and the key store know, and otherwise from the log.
 * One of another principal is answered for like one that was never made: keys can be guessed, and an id follows from a key.
 *
 * A client sends again what is `not-found`, so a wrong one would double a submission. It is answered only when nothing can be
 * on its way any more and all of the log was read that can hold the record.
 *
 * A record that is found settles its key in the store: the next retry gets its answer. Absence is never written there. The
 * mark of an unknown outcome does no harm, since a retry searches the log and publishes; without it, the failure of a later
 * retry would be called `not-published`, and that has to be true even of bytes that the network still holds.
 */
export type FindSubmission = (id: string, question: Question) => Promise<FoundSubmission>;

/** Questions that may read the log at the same time, of all clients and of one. */
const MOST_SEARCHES = 4;
const MOST_SEARCHES_OF_CLIENT = 2;

export const createFindSubmission = (options: FindSubmissionOptions): FindSubmission => {
  const { store, search, inFlight, longestSendMs, windowMs, storeBegan } = options;
  const lookUp = createLogLookup(search, { concurrent: MOST_SEARCHES, ofClient: MOST_SEARCHES_OF_CLIENT });

  /** What the store says; `unavailable` when it cannot be asked. */
  const stored = (
    id: string,
    principal: string | undefined,
  ): Promise<StoredOutcome | 'unavailable' | undefined> =>
    store.find(id, principal).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) return 'unavailable';
      throw error;
    });

  /** Whether a record that is not in the log may still arrive there. */
  const isPerhapsOnItsWay = (
    submittedAt: Date | undefined,
    known: StoredOutcome | undefined,
    now: Date,
  ): boolean => {
    if (submittedAt) return submittedAt.getTime() + longestSendMs + CLOCK_SKEW_MS > now.getTime();
    if (known) return known.state === 'unknown' && known.isLeased;
    // A process before this one may have taken the key, or another one before the store lost it.
    const began = storeBegan ?? store.status().loss?.at;
    return began !== undefined && began.getTime() + longestSendMs > now.getTime();
  };

  /** A retry is then answered, and not published again. What the store knows of another payload stays. */
  const settle = (id: string, record: FoundRecord, answer: AcceptedSubmission, now: Date): Promise<void> => {
    const fingerprint = fingerprintOfRecord(record);
    const owner = newSubmissionId(now, options.fillRandomly);
    const claim = { id, fingerprint, owner, principal: principalOfRecord(record) };
    return store.settle(claim, { outcome: 'accepted', answer });
  };

  return async (id, { principal, client, now }) => {
    if (!isSubmissionId(id)) return { outcome: 'not-found' };
    const submittedAt = timeOfSubmissionId(id);
    const onItsWay = submittedAt && inFlight.find(id);
    if (onItsWay && onItsWay.principal === principal) return { outcome: 'in-flight' };
    // An id with its time was not made from a key, so the store has no entry for it.
    const known = submittedAt ? undefined : await stored(id, principal);
    if (known !== undefined && known !== 'unavailable') {
      if (known.state === 'accepted') return { outcome: 'accepted', answer: known.answer };
      if (known.state === 'in-flight') return { outcome: 'in-flight' };
    }

    const recent = new Date(now.getTime() - windowMs);
    let began = submittedAt ?? (typeof known === 'object' ? known.claimedAt : recent);
    // The first attempt that the store knows need not be the first.
    if (!submittedAt && began > recent && mayHaveForgotten(store.since(), recent)) began = recent;
    const result = await lookUp(id, began, client);
    if (result.found && belongsTo(principal, result.found)) {
      const answer = answerOfRecord(id, result.found);
      if (typeof known === 'object') await settle(id, result.found, answer, now);
      return { outcome: 'accepted', answer };
    }
    if (result.gap) return { outcome: 'unknown', reason: result.gap };
    if (known === 'unavailable') return { outcome: 'unknown', reason: 'store-unavailable' };
    if (isPerhapsOnItsWay(submittedAt, known, earlierNow(now, search)))
      return { outcome: 'unknown', reason: 'perhaps-on-its-way' };
    return { outcome: 'not-found', searchedFrom: result.from };
  };
};

/** Without authentication, everyone sees all records. */
const belongsTo = (principal: string | undefined, record: FoundRecord): boolean =>
  principal === undefined || principalOfRecord(record) === principal;
