/** A record to be written. */
export interface LogRecord {
  /** decides the partition */
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string | Buffer>>;
}

/** Where a record was written, known only after every in-sync replica has it. */
export interface Receipt {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * What is known of a record that was not acknowledged. `not-published`: it is not in the log and never will be.
 * `unknown`: it may be; only the log itself can tell.
 */
export type Outcome = 'not-published' | 'unknown';

/** Why a record was not acknowledged. */
export type AppendFailure =
  /** too much is waiting already */
  | 'queue-full'
  /** the log cannot be reached or does not take the record now */
  | 'log-unavailable'
  /** the log does not take a record of this size */
  | 'record-too-large'
  /** withdrawn by the caller before it was sent */
  | 'withdrawn'
  /** the producer is closing */
  | 'closed';

export class AppendError extends Error {
  override readonly name = 'AppendError';
  readonly failure: AppendFailure;
  readonly outcome: Outcome;
  constructor(failure: AppendFailure, outcome: Outcome, options?: ErrorOptions) {
    super(`${failure}, ${outcome}`, options);
    this.failure = failure;
    this.outcome = outcome;
  }
}

/**
 * Is told once what became of a record, however late. Must not throw. An object instead of a promise: promises
 * would leave a kilobyte more garbage for each submission.
 */
export interface AppendListener {
  acknowledged(receipt: Receipt): void;
  failed(error: AppendError): void;
}

/** A record on its way. */
export interface PendingAppend {
  /** Takes the record back if nothing of it was sent; true when that worked: the listener was told `withdrawn`. */
  withdraw(): boolean;
}
