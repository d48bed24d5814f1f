import type { RecordOutcome } from '@workspace/schemas';

/** Headers that are the same in many records, but for the values of some: a producer encodes them once. */
export interface SharedHeaders {
  /** all of them, in their order, those of one record among others */
  readonly headers: Readonly<Record<string, string | Buffer>>;
  /** names of those that are each record's own */
  readonly own: readonly string[];
}

/** A record to be written. */
export interface LogRecord {
  /** decides the partition */
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string | Buffer>>;
  /** where `headers` are shared with other records but for `own`: what they share, and its values of its own in that order */
  readonly shared?: SharedHeaders;
  readonly own?: readonly string[];
  /** milliseconds since 1970, when it came into being; the time of its batch when left out */
  readonly timestamp?: number;
}

/**
 * Is called once with what became of a record, however late. Must not throw. An object instead of a promise: promises
 * would leave a kilobyte more garbage for each record.
 */
export interface AppendListener {
  settled(outcome: RecordOutcome): void;
}

/** A record on its way. */
export interface PendingAppend {
  /** Takes the record back if nothing of it was sent; true when that worked: the listener was called with `withdrawn`. */
  withdraw(): boolean;
}
