import { createHash } from 'node:crypto';
import type { Accepted } from './intake.ts';

/** What a store says to a claim on a key. */
export type Claim =
  /** the key is ours until it is completed or released, or the lease ends */
  | { state: 'reserved' }
  /** another request with this key and payload is being worked on */
  | { state: 'in-flight' }
  /** the key was used with another payload */
  | { state: 'reused' }
  /** the key was answered */
  | { state: 'answered'; answer: Accepted };

/** The store cannot be asked. Its promise cannot be kept, so a request with a key is refused. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/**
 * Remembers what was answered to which Idempotency-Key. `id` is the submission id made from the key and its principal,
 * `fingerprint` that of the payload, `owner` whoever claimed (a request, unique). Only the owner may change its claim.
 */
export interface IdempotencyStore {
  /** @throws StoreUnavailable */
  claim(id: string, fingerprint: string, owner: string): Promise<Claim>;
  /** The submission is in the log: remember its answer. @throws StoreUnavailable */
  complete(id: string, fingerprint: string, owner: string, answer: Accepted): Promise<void>;
  /** The submission is not in the log and never will be: forget the key. @throws StoreUnavailable */
  release(id: string, owner: string): Promise<void>;
  /**
   * Nobody knows whether the submission is in the log: a retry may publish again, under the same submission id and
   * with the same payload only. @throws StoreUnavailable
   */
  doubt(id: string, fingerprint: string, owner: string): Promise<void>;
  /** why it cannot be asked now; undefined when it can */
  fault(): string | undefined;
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
