import type { SubmissionOutcomes } from './acceptance-watch.ts';
import type { IdempotencyStore, KeyClaim } from './idempotency-store.ts';
import {
  answerOfRecord,
  CLOCK_SKEW_MS,
  earlierNow,
  type LogLookup,
  type LookupGap,
  mayHaveForgotten,
} from './log-lookup.ts';
import type { RecordSearch } from './record-search.ts';
import type { SequenceClaim } from './sequence-store.ts';
import { fingerprintOfRecord } from './submission-record.ts';
import { type SubmitResult, unknownOutcome } from './submit-result.ts';
import { settleNumber } from './take-number.ts';

export interface KeyLookupOptions {
  readonly store: IdempotencyStore;
  /** Whether other instances use the store: then it should know every key, and one that it does not know may be lost. */
  readonly isStoreShared: boolean;
  readonly search: Pick<RecordSearch, 'time'>;
  readonly lookUp: LogLookup;
  readonly outcomes: SubmissionOutcomes;
  /** milliseconds, back from now, in which the log is searched for a key that the store may have lost */
  readonly lookupWindowMs: number;
  /** milliseconds that a submission can be on its way, from its arrival to the last attempt */
  readonly longestSendMs: number;
}

/** Whether a search fails for this whatever the key is: what was deleted, say, depends on when it was used first. */
const isOfEveryKey = (gap: LookupGap | undefined): boolean =>
  gap === 'log-unreadable' || gap === 'no-majority' || gap === 'not-replicated';

/** Asks the log about keys of which the store does not say what became of them. */
export const createKeyLookup = ({
  store,
  isStoreShared,
  search,
  lookUp,
  outcomes,
  lookupWindowMs,
  longestSendMs,
}: KeyLookupOptions) => {
  /** When the oldest submission was made that is searched for. */
  const windowBegan = (now: Date): Date => new Date(now.getTime() - lookupWindowMs);

  /** Whether the store may have known the key before it lost its data. */
  const isPerhapsForgotten = (now: Date): boolean =>
    isStoreShared && mayHaveForgotten(store.since(), windowBegan(now));

  /** Whether something may be on its way of which the store does not know any more. */
  const isLossRecent = (now: Date): boolean => {
    const at = store.status().loss?.at;
    return at !== undefined && at.getTime() + longestSendMs > earlierNow(now, search).getTime();
  };

  /**
   * What the log shows of a key: settled by the record that it has, absent, or unknown.
   * @param from when the first attempt began
   * @param isNew whether the store knows nothing of the key: then any other key's search would end like this
   */
  const lookUpKey = async (
    claim: KeyClaim,
    number: SequenceClaim | undefined,
    from: Date,
    isNew: boolean,
  ): Promise<SubmitResult | 'absent'> => {
    const { id, fingerprint } = claim;
    const { found, gap } = await lookUp({
      submissionId: id,
      from: new Date(Math.max(0, from.getTime() - CLOCK_SKEW_MS)),
    });
    if (!found && !gap) return 'absent';
    if (!found) {
      if (isNew || isOfEveryKey(gap)) outcomes.failed('search');
      return unknownOutcome('no-answer', id);
    }
    if (fingerprintOfRecord(found) !== fingerprint) return { outcome: 'key-reused', submissionId: id };
    const answer = answerOfRecord(id, found);
    if (number) await settleNumber(store, number, { outcome: 'accepted', answer });
    await store.settle(claim, { outcome: 'accepted', answer });
    return { outcome: 'accepted', answer, replayed: true };
  };

  return { windowBegan, isPerhapsForgotten, isLossRecent, lookUpKey };
};
