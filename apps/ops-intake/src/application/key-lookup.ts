import type { FailureCause } from '../domain/acceptance.ts';
import type { Claim, IdempotencyStore, KeyClaim } from './idempotency-store.ts';
import {
  answerOfRecord,
  earlierNow,
  type LogLookup,
  type LookupGap,
  mayHaveForgotten,
} from './log-lookup.ts';
import type { RecordSearch } from './record-search.ts';
import { type AcceptedSubmission, fingerprintOfRecord } from './submission-record.ts';

export interface KeyLookupOptions {
  readonly store: IdempotencyStore;
  /** Whether other instances use the store: then it should know every key, and one that it does not know may be lost. */
  readonly isStoreShared: boolean;
  readonly search: Pick<RecordSearch, 'time'>;
  readonly lookUp: LogLookup;
  /** milliseconds, back from now, in which the log is searched for a key that the store may have lost */
  readonly lookupWindowMs: number;
  /** milliseconds that a submission can be on its way, from its arrival to the last attempt */
  readonly longestSendMs: number;
}

/** What a store knows of an attempt of unknown outcome. */
export type EarlierAttempt = Extract<Claim, { state: 'unknown' }>;

/** What the log has of a key. `found-other`: a record with another payload. `may-arrive`: none that has arrived */
export interface KeyInLog {
  readonly event: 'found' | 'found-other' | 'absent' | 'may-arrive' | 'unsearchable';
  /** of what is found */
  readonly answer?: AcceptedSubmission;
  /** why it is not known, if not by the history of this key alone */
  readonly cause?: Extract<FailureCause, 'search' | 'key-store'>;
}

/** Whether a search fails for this whatever the key is: what was deleted, say, depends on when it was used first. */
const isOfEveryKey = (gap: LookupGap): boolean =>
  gap === 'log-unreadable' || gap === 'no-majority' || gap === 'not-replicated';

/** Asks the log about keys of which the store does not say what became of them. */
export const createKeyLookup = (options: KeyLookupOptions) => {
  const { store, isStoreShared, search, lookUp, lookupWindowMs, longestSendMs } = options;

  /** When the oldest submission was made that is searched for. */
  const windowBegan = (now: Date): Date => new Date(now.getTime() - lookupWindowMs);

  /** Whether the store may have known a key before it lost its data. */
  const isPerhapsForgotten = (now: Date): boolean =>
    isStoreShared && mayHaveForgotten(store.since(), windowBegan(now));

  /** Whether something may be on its way of which the store does not know any more. */
  const isLossRecent = (now: Date): boolean => {
    const at = store.status().loss?.at;
    return at !== undefined && at.getTime() + longestSendMs > earlierNow(now, search).getTime();
  };

  /** @param earlier undefined: the store knows nothing of the key */
  const lookUpKey = async (
    { id, fingerprint }: KeyClaim,
    now: Date,
    earlier: EarlierAttempt | undefined,
  ): Promise<KeyInLog> => {
    const recent = windowBegan(now);
    let began = earlier?.claimedAt ?? recent;
    // The first attempt that the store knows need not be the first.
    if (began > recent && isPerhapsForgotten(now)) began = recent;
    const { found, gap } = await lookUp(id, began);
    if (found && fingerprintOfRecord(found) !== fingerprint) return { event: 'found-other' };
    if (found) return { event: 'found', answer: answerOfRecord(id, found) };
    if (gap)
      return { event: 'unsearchable', ...((!earlier || isOfEveryKey(gap)) && { cause: 'search' as const }) };
    if (!(earlier ? earlier.isLeased : isLossRecent(now))) return { event: 'absent' };
    return { event: 'may-arrive', ...(!earlier && { cause: 'key-store' as const }) };
  };
  return { isPerhapsForgotten, lookUpKey };
};

export type KeyLookup = ReturnType<typeof createKeyLookup>;
