import type { Receipt } from '@workspace/schemas';

/** A record to search for. */
export interface RecordQuery {
  /** a header that only this record has */
  readonly header: { readonly name: string; readonly value: string };
  /** the key that it probably has: that key's partition is read first */
  readonly likelyKey: string;
  /** records written before this are not read */
  readonly from: Date;
  /** Whether a record with the header is the wanted one: others may have written it. Any is when left out. */
  readonly isWanted?: (record: Pick<FoundRecord, 'value' | 'headers'>) => boolean;
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
