/** An outage: no connection, or no answer. A rejection: the leader answers. */
type Cause = 'outage' | 'rejection';

/** How long a rejection counts when no acknowledgement follows: an unready service gets no requests. */
const REJECTION_COUNTS_MS = 5_000;

/** Why records are not taken, since when, and when it was last seen; all times by the monotonic clock. */
export class Trouble {
  readonly cause: Cause;
  readonly error: unknown;
  readonly #since: number;
  readonly #at: number;
  /** whether the records were rejected, and do not wait for another answer */
  readonly #isFinal: boolean;

  /** @param before what there was until now: the same cause goes on */
  constructor(cause: Cause, error: unknown, at: number, before?: Trouble, isFinal = false) {
    const goesOn = before?.cause === cause && (cause === 'outage' || at - before.#at < REJECTION_COUNTS_MS);
    this.cause = cause;
    this.error = error;
    this.#since = goesOn ? before.#since : at;
    this.#at = at;
    this.#isFinal = isFinal;
  }

  /** Whether it has lasted so many milliseconds. */
  hasLasted(milliseconds: number, now: number): boolean {
    return now - this.#since >= milliseconds;
  }

  /** Whether a rejection is final, or has lasted, and was seen a moment ago. */
  countsAsRejection(milliseconds: number, now: number): boolean {
    return now - this.#at < REJECTION_COUNTS_MS && (this.#isFinal || this.hasLasted(milliseconds, now));
  }
}
