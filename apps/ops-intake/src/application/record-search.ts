import type { Receipt } from '@workspace/schemas';

/** A submission to search the log for. */
export interface RecordQuery {
  readonly submissionId: string;
  /** records written before this are not read */
  readonly from: Date;
}

/** The record of a submission, as it is in the log. */
export interface FoundRecord extends Receipt {
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Why the absence of a record says nothing. */
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

/** The log could not be read now, or may not be read by this service. */
export class LogUnreadable extends Error {
  override readonly name = 'LogUnreadable';
}

/** The last submissions in the log, whoever wrote them. */
export interface NewestRecords {
  /** Some of each part of the log. @throws LogUnreadable */
  newest(): Promise<FoundRecord[]>;
}

/** Searches the log for records of submissions. */
export interface RecordSearch {
  /** Reads the log, within limits of time and size. @throws LogUnreadable */
  find(query: RecordQuery): Promise<SearchResult>;
  /** Milliseconds since 1970 that it is at least by the clock that all instances share; undefined while that is not known. */
  time(): number | undefined;
}
