import type { Receipt, RecordOutcome } from './outcome.ts';

/** Headers that are the same in many records, but for the values of some: a producer encodes them once. */
export interface SharedHeaders {
  /** all of them, in their order, those of one record among others */
  readonly headers: Readonly<Record<string, string | Buffer>>;
  /** names of those that are each record's own */
  readonly own: readonly string[];
}

/** A record to be written to a log. */
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

/** A record as it is in the log. */
export interface FoundRecord extends Receipt {
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Why the absence of a record proves nothing. */
export type SearchGap =
  /** there was more to read than may be read */
  | 'too-long'
  /** the end of the log is not on every in-sync replica yet, or behind an open transaction, and so cannot be read */
  | 'not-replicated'
  /** the log no longer has its records of that time, or may have lost some of them to its retention */
  | 'deleted'
  /** records of that time are compressed in a way that cannot be read */
  | 'unreadable-compression'
  /** only a minority of the brokers answers: another one may lead, and have the record */
  | 'no-majority';

export interface SearchResult {
  readonly found?: FoundRecord;
  /** undefined: all records of that time were read */
  readonly gap?: SearchGap;
}
