import type { FoundRecord, SearchResult } from '@workspace/schemas';

/** A submission to search the log for. */
export interface RecordQuery {
  readonly submissionId: string;
  /** records written before this are not read */
  readonly from: Date;
}

/** The log could not be read now, or may not be read by this service. */
export class LogUnreadable extends Error {
  override readonly name = 'LogUnreadable';
}

/** The last submissions in the log, whoever wrote them. */
export interface NewestRecords {
  /** Some of those that are wanted, from each part of the log. @throws LogUnreadable */
  newest(since: Date, isWanted: (record: FoundRecord) => boolean): Promise<FoundRecord[]>;
}

/** Searches the log for records of submissions. */
export interface RecordSearch {
  /** Reads the log, within limits of time and size. @throws LogUnreadable */
  find(query: RecordQuery): Promise<SearchResult>;
  /** Milliseconds since 1970 that it is at least by the clock that all instances share; undefined while that is not known. */
  time(): number | undefined;
}
