import { createHash } from 'node:crypto';
import type { Accepted } from './intake.ts';

/** What a store says to a claim on a key. */
export type Claim =
  /**
   * The key is the owner's until it is settled or the lease ends. `outcomeUnknown`: an earlier attempt may have
   * published the submission, so whatever becomes of this one, the submission cannot be called absent.
   */
  | { state: 'claimed'; outcomeUnknown: boolean }
  /** another request with this key and payload is being processed */
  | { state: 'in-flight' }
  /** the key was used with another payload */
  | { state: 'reused' }
  /** the key was answered */
  | { state: 'answered'; answer: Accepted };

/** How a claim ended. */
export type Settlement =
  /** the submission is in the log: replay this answer */
  | { outcome: 'acknowledged'; answer: Accepted }
  /** this attempt published nothing: forget the key, unless an earlier attempt's outcome is unknown */
  | { outcome: 'rejected' }
  /** it may be in the log: a retry with the same payload may publish again, under the same submission id */
  | { outcome: 'unknown' };

/** A claim that its owner has made. */
export interface KeyClaim {
  /** submission id made from the key and its principal */
  readonly id: string;
  /** fingerprint of the payload */
  readonly fingerprint: string;
  /** token of the request that claims, unique: settlements of different requests never replace each other */
  readonly owner: string;
}

/** The store cannot be asked, so whether an earlier attempt with the key published the submission cannot be known. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** How a store is doing, for health and metrics. Answered from memory. */
export interface StoreStatus {
  /** why keys cannot be claimed; undefined when they can */
  readonly error?: string;
  /** what an operator has to act on although keys can be claimed */
  readonly warning?: string;
  /** settlements that the store has not confirmed yet */
  readonly unsettled: number;
  /** answers forgotten before their time; for Redis, all keys that the server evicted */
  readonly evictions: number;
  /** what is stored; undefined when the store does not tell */
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
   * until it does. An acknowledgement is a fact: it counts even when the lease is over and another request holds the key.
   */
  settle(claim: KeyClaim, settlement: Settlement): Promise<void>;
  status(): StoreStatus;
  /** Tries once more to settle what is unsettled, then disconnects. */
  close(): Promise<void>;
}

const QUOTED = '"((?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255})"';
const BARE = '[\\x21\\x23-\\x2b\\x2d-\\x7e]{1,255}';
/** What an `Idempotency-Key` header may be. */
export const IDEMPOTENCY_KEY_PATTERN = `^(?:${QUOTED}|${BARE})$`;
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/**
 * The key inside an `Idempotency-Key` header: a structured-field string (draft-ietf-httpapi-idempotency-key-header-07),
 * or the same without quotes, as most clients send it. Undefined when it is neither, empty, or longer than 255.
 */
export const idempotencyKey = (header: string): string | undefined => {
  const match = KEY.exec(header);
  return match ? (match[1]?.replace(/\\(["\\])/g, '$1') ?? header) : undefined;
};

/** Namespace of the submission ids, a random UUID of this service. */
const NAMESPACE = Buffer.from('5f0c2f6e9c1d4f6b8a7e3d2c1b0a9f8e', 'hex');

/**
 * The submission id a key stands for: UUIDv5, so that every instance and every retry names the record alike.
 * Keys of different principals never meet.
 */
export const submissionIdOf = (key: string, principal?: string): string => {
  const name = principal === undefined ? key : JSON.stringify([principal, key]);
  const hash = createHash('sha1').update(NAMESPACE).update(name).digest();
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
};

/** Tells payloads apart, to the byte. */
export const fingerprintOf = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest('base64url');
