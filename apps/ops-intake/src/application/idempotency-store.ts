import type { Outcome } from '@workspace/schemas';
import type { SequenceStore } from './sequence-store.ts';
import type { AcceptedSubmission } from './submission-record.ts';

/** What a store knows of a submission with a key. */
export type StoredOutcome =
  | { state: 'accepted'; answer: AcceptedSubmission }
  /** a request with this key is being processed */
  | { state: 'in-flight' }
  /**
   * An attempt may have published it. `claimedAt`: when the first such attempt began. `isLeased`: the lease of the last one has
   * not ended, so what it sent may still arrive.
   */
  | { state: 'unknown'; claimedAt: Date; isLeased: boolean };

/** How a store answers a claim on a key. Only `claimed` takes the key: see `KeyClaim.isAbsent`. */
export type Claim =
  /**
   * The key is the owner's until it is settled or the lease ends. `outcomeUnknown`: an earlier attempt may have
   * published the submission, so whatever becomes of this one, the submission cannot be called absent.
   */
  | { state: 'claimed'; outcomeUnknown: boolean }
  /** the key was used with another payload */
  | { state: 'reused' }
  | StoredOutcome;

/**
 * What became of the attempt that claimed a key. `accepted`: replay the answer. `not-published`: forget the key, unless an
 * earlier attempt's outcome is unknown. `unknown`: a retry with the same payload publishes again, under the same submission
 * id, once it is certain that the log does not have it.
 */
export type KeyOutcome = Outcome<{ readonly answer: AcceptedSubmission }, object>;

/** A claim that its owner has made. */
export interface KeyClaim {
  /** submission id made from the key and its principal */
  readonly id: string;
  /** fingerprint of the payload */
  readonly fingerprint: string;
  /** token of the request that claims, unique: outcomes of different requests never replace each other */
  readonly owner: string;
  /** who submits; undefined without authentication */
  readonly principal?: string | undefined;
  /** The log does not have the submission: the key may be taken although an earlier outcome is unknown, once its lease is over. */
  readonly isAbsent?: boolean;
}

/** A claim on a key of a store in this process. */
export interface SyncKeyClaim extends KeyClaim {
  /** where the store has the key, once it is claimed: the store's own */
  slot: number;
}

/** The store cannot be asked, so whether an earlier attempt with the key published the submission cannot be known. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** That the store lost keys. */
export interface StoreLoss {
  /** keys from before may be missing */
  readonly at: Date;
  /** when all of them would be forgotten */
  readonly over: Date;
}

/** How a store is doing, for health and metrics. Answered from memory. */
export interface StoreStatus {
  /** why keys cannot be claimed; undefined when they can */
  readonly error?: string;
  /** what an operator has to act on although keys can be claimed */
  readonly warning?: string;
  /** undefined when the store lost nothing that would still be remembered */
  readonly loss?: StoreLoss;
  /** outcomes that the store has not confirmed yet */
  readonly unsettled: number;
  /** answers forgotten before their time; for Redis, all keys that the server evicted */
  readonly evictions: number;
  /** what is stored; undefined when the store does not report it */
  readonly use?: {
    readonly unit: 'answers' | 'bytes';
    readonly used: number;
    /** undefined: no limit */
    readonly capacity?: number;
  };
}

/** Remembers what was answered to which Idempotency-Key. */
export interface IdempotencyStore {
  /** Claims a key before anything is published. @throws StoreUnavailable */
  claim(claim: KeyClaim): Promise<Claim>;
  /**
   * Reports how a claim ended. Resolves when the store has confirmed it, or when that will be retried in the background
   * until it does. That a submission was accepted is a fact: it counts even when the lease is over and another request holds
   * the key.
   */
  settle(claim: KeyClaim, outcome: KeyOutcome): Promise<void>;
  /**
   * What is known of a principal's submission; undefined when nothing is.
   * @throws StoreUnavailable
   */
  find(id: string, principal: string | undefined): Promise<StoredOutcome | undefined>;
  /** `claim` and `settle` of a store that is in this process, without a promise */
  readonly sync?: {
    claim(claim: SyncKeyClaim): Claim;
    settle(claim: SyncKeyClaim, outcome: KeyOutcome): void;
  };
  /** numbers of submissions, kept beside the keys */
  readonly sequences: SequenceStore;
  /**
   * Since when the store has kept every key: a key that it does not know may have been claimed before.
   * A store that lost data starts again. After a claim or a search this is what was true of their answer, or later; undefined
   * until the store was asked for the first time, and while it may drop keys at any time.
   */
  since(): Date | undefined;
  status(): StoreStatus;
  /** Tries once more to settle what is unsettled, then disconnects. */
  close(): Promise<void>;
}

/** What happens to calls to the store, for counters. */
export interface StoreObserver {
  /** A call failed: the first word of the store's error (`READONLY`, `OOM`), `TIMEOUT` or `DISCONNECTED`. */
  storeFailed(type: string): void;
  /** Keys were lost. */
  storeLost(): void;
}
