export const FAILURE_CAUSES = [
  /** Kafka did not take the record, or did not say so in time */
  'kafka',
  /** Kafka rejects records of the time that this machine's clock shows: this clock or that of a broker is wrong */
  'clock',
  /** the topic could not be searched for the Idempotency-Key */
  'search',
  /** the key store does not answer, or may have lost the Idempotency-Key */
  'key-store',
] as const;

/** Why a submission failed by no fault of its client. */
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/** What a check of that cause found. `unknown`: nothing that would say whether the next submission fails, too. */
export type CheckResult = 'works' | 'fails' | 'unknown';

/** Submissions have failed for so many milliseconds, and none was accepted. */
export interface Outage {
  readonly cause: FailureCause;
  readonly forMs: number;
}

/** Milliseconds without an acceptance after which failures are an outage. */
const OUTAGE_AFTER_MS = 5_000;

/**
 * Milliseconds after the last failure until one whose cause no check can see no longer counts. Behind a load balancer that
 * asks /health, no submission would arrive that could succeed.
 */
const FORGOTTEN_AFTER_MS = 30_000;

/**
 * Whether submissions are accepted, as their clients see it. An outage begins when for some seconds none was accepted, and either
 * they failed all the time or a check finds that the cause lasts. It ends with an acceptance, or without submissions:
 * as soon as a cause that was seen to last is seen to be gone, or after a while in which no check found it.
 *
 * All times are milliseconds by the monotonic clock.
 */
export class Acceptance {
  #failures: { readonly since: number; last: number; cause: FailureCause } | undefined;
  #found: CheckResult = 'unknown';
  #wasFound = false;

  /** the cause of the last failure; undefined when a submission was accepted since */
  get cause(): FailureCause | undefined {
    return this.#failures?.cause;
  }

  accepted(): void {
    if (this.#failures) this.#forget();
  }

  failed(cause: FailureCause, now: number): void {
    this.#failures ??= { since: now, last: now, cause };
    this.#failures.last = now;
    this.#failures.cause = cause;
  }

  /** @param began when the check began that found this: it says nothing of later failures */
  checked(found: CheckResult, began: number): void {
    if (!this.#failures) return;
    this.#found = found;
    this.#wasFound ||= found === 'fails';
    const quietMs = began - this.#failures.last;
    if (found === 'fails' || quietMs < 0) return;
    if ((found === 'works' && this.#wasFound) || quietMs >= FORGOTTEN_AFTER_MS) this.#forget();
  }

  outage(now: number): Outage | undefined {
    if (!this.#failures) return undefined;
    const { since, last, cause } = this.#failures;
    const isLasting = this.#found === 'fails' || last - since >= OUTAGE_AFTER_MS;
    return isLasting && now - since >= OUTAGE_AFTER_MS ? { cause, forMs: now - since } : undefined;
  }

  #forget(): void {
    this.#failures = undefined;
    this.#found = 'unknown';
    this.#wasFound = false;
  }
}
