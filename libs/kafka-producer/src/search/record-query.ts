import type { FoundRecord } from '@workspace/schemas';

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
