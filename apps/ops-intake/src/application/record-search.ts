import type { Receipt } from './operation-log.ts';

/** A submission to look for in the log. */
export interface RecordQuery {
  readonly submissionId: string;
  /** records written before this are not read */
  readonly from: Date;
  /** records written after this are not read */
  readonly until: Date;
}

/** The record of a submission, as it is in the log. */
export interface FoundRecord extends Receipt {
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SearchResult {
  readonly found?: FoundRecord;
  /** whether all records of that time were read; without it, the absence of a record says nothing */
  readonly isComplete: boolean;
}

/** The log could not be read now, or may not be read by this service. */
export class LogUnreadable extends Error {
  override readonly name = 'LogUnreadable';
}

/** Looks for records of submissions in the log. */
export interface RecordSearch {
  /** Reads the log, within limits of time and size. @throws LogUnreadable */
  find(query: RecordQuery): Promise<SearchResult>;
  close(): void;
}
