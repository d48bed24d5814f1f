import { isSubmissionId, timeOfSubmissionId } from '../domain/submission-id.ts';
import { type IdempotencyStore, type StoredOutcome, StoreUnavailable } from './idempotency-store.ts';
import { type FoundRecord, LogUnreadable, type RecordSearch } from './record-search.ts';
import { type AcceptedSubmission, acceptedSubmission, principalOfRecord } from './submission-record.ts';
import type { SubmissionsInFlight } from './submit-operations.ts';

/** Why it cannot be said what became of a submission. */
export type UndecidedReason =
  /** it is not in the log yet, and may be on its way at another instance or inside a broker */
  | 'perhaps-on-its-way'
  /** the key store cannot be asked, and the log does not have it */
  | 'store-unavailable'
  | 'log-unreadable'
  /** there was more to read than is read for one question */
  | 'log-too-long'
  /** too many ask at the same time */
  | 'busy';

/** What became of a submission. */
export type SubmissionOutcome =
  | { outcome: 'accepted'; answer: AcceptedSubmission }
  | { outcome: 'in-flight' }
  | { outcome: 'unknown'; reason: UndecidedReason }
  /** `searchedFrom`: no record with this id was written since then; undefined for what is no id */
  | { outcome: 'not-found'; searchedFrom?: Date };

export interface FindSubmissionOptions {
  store: IdempotencyStore;
  search: RecordSearch;
  inFlight: SubmissionsInFlight;
  /** milliseconds that a submission can be on its way, from its arrival to the last attempt */
  longestSendMs: number;
  /** milliseconds of the log that are read, back from now, when the time of a submission is not known */
  windowMs: number;
}

/**
 * Tells what became of a submission: from what this instance and the key store know, and otherwise from the log.
 * Submissions of other principals are not found.
 */
export type FindSubmission = (
  id: string,
  asked: { principal: string | undefined; now: Date },
) => Promise<SubmissionOutcome>;

/** Clocks of instances and brokers may differ by this much. */
const CLOCK_SKEW_MS = 60_000;
/** Questions that may read the log at the same time. */
const MOST_SEARCHES = 4;

export const createFindSubmission = (options: FindSubmissionOptions): FindSubmission => {
  const { store, search, inFlight, longestSendMs, windowMs } = options;
  let searches = 0;

  /** What the store says; `unavailable` when it cannot be asked. */
  const stored = (
    id: string,
    principal: string | undefined,
  ): Promise<StoredOutcome | 'unavailable' | undefined> =>
    store.find(id, principal).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) return 'unavailable';
      throw error;
    });

  const read = async (id: string, from: Date, until: Date) => {
    if (searches >= MOST_SEARCHES) return 'busy';
    searches += 1;
    try {
      return await search.find({ submissionId: id, from, until });
    } catch (error) {
      if (error instanceof LogUnreadable) return 'log-unreadable';
      throw error;
    } finally {
      searches -= 1;
    }
  };

  return async (id, { principal, now }) => {
    if (!isSubmissionId(id)) return { outcome: 'not-found' };
    if (inFlight.has(id)) {
      return inFlight.get(id) === principal ? { outcome: 'in-flight' } : { outcome: 'not-found' };
    }
    const submittedAt = timeOfSubmissionId(id);
    // An id that tells its time was not made from a key, so the store has never heard of it.
    const known = submittedAt ? undefined : await stored(id, principal);
    if (known !== undefined && known !== 'unavailable') {
      if (known.state === 'answered') return { outcome: 'accepted', answer: known.answer };
      if (known.state === 'in-flight') return { outcome: 'in-flight' };
    }

    const recent = new Date(now.getTime() - windowMs);
    const began = submittedAt ?? (typeof known === 'object' ? known.claimedAt : undefined);
    const from = new Date((began ?? recent).getTime() - CLOCK_SKEW_MS);
    // Nothing is sent any more after this; a submission with a key may have been sent again until now.
    const landed = began && new Date(began.getTime() + longestSendMs);
    const until = submittedAt ? (landed as Date) : now;
    const result = await read(id, from, new Date(until.getTime() + CLOCK_SKEW_MS));
    if (typeof result === 'string') return { outcome: 'unknown', reason: result };
    if (result.found) return ofRecord(id, result.found, principal);
    if (!result.isComplete) return { outcome: 'unknown', reason: 'log-too-long' };
    if (known === 'unavailable') return { outcome: 'unknown', reason: 'store-unavailable' };
    if (landed && landed > now) return { outcome: 'unknown', reason: 'perhaps-on-its-way' };
    return { outcome: 'not-found', searchedFrom: from };
  };
};

const ofRecord = (id: string, record: FoundRecord, principal: string | undefined): SubmissionOutcome => {
  if (principalOfRecord(record) !== principal && principal !== undefined) return { outcome: 'not-found' };
  const operations = (JSON.parse(record.value.toString()) as unknown[]).length;
  return { outcome: 'accepted', answer: acceptedSubmission(id, operations, record) };
};
