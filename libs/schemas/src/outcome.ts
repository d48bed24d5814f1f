/** Where a record was written, known only after every in-sync replica has it. */
export interface Receipt {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Why something is not in the log and never will be. */
export type NotPublishedReason =
  /** too much is waiting already */
  | 'queue-full'
  /** the log cannot be reached or does not take the record now */
  | 'log-unavailable'
  /** the log does not take a record of this size */
  | 'record-too-large'
  /** withdrawn by the caller before it was sent */
  | 'withdrawn'
  /** the process is stopping */
  | 'closed';

/**
 * What became of something that was to be written to a log. It is one type from the broker's answer to the client's:
 * `accepted`: every in-sync replica has it. `not-published`: it is not in the log and never will be. `unknown`: it may be
 * in the log; only the log itself can show it.
 */
export type Outcome<Accepted, Unknown> =
  | ({ readonly outcome: 'accepted' } & Accepted)
  | { readonly outcome: 'not-published'; readonly reason: NotPublishedReason }
  | ({ readonly outcome: 'unknown' } & Unknown);

/** What became of a record. */
export type RecordOutcome = Outcome<Receipt, { readonly reason: 'no-answer' }>;
