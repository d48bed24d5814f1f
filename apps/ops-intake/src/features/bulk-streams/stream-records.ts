import type { LogRecord, SharedHeaders } from '@workspace/schemas';
import { toRecord, type ToRecord } from '../../application/submission-record.ts';

/** A record with the headers of others. A copy of it with other headers (`{ ...record, headers }`) is a record by itself. */
class RecordOfMany implements LogRecord {
  readonly key: string;
  readonly value: Buffer;
  readonly timestamp: number;
  readonly #shared: SharedHeaders;
  readonly #own: readonly string[];

  constructor(key: string, value: Buffer, timestamp: number, shared: SharedHeaders, own: readonly string[]) {
    this.key = key;
    this.value = value;
    this.timestamp = timestamp;
    this.#shared = shared;
    this.#own = own;
  }

  get shared(): SharedHeaders {
    return this.#shared;
  }

  get own(): readonly string[] {
    return this.#own;
  }

  get headers(): LogRecord['headers'] {
    const names = this.#shared.own;
    const own = Object.fromEntries(names.map((name, at) => [name, this.#own[at]!]));
    return { ...this.#shared.headers, ...own };
  }
}

const OWN = ['ce_id'];
const OWN_OF_KEYED = ['ce_id', 'ce_partitionkey'];

/**
 * Makes the records of one stream, which have its trace and its client: those of the same millisecond share their headers, which
 * are encoded once.
 */
export const streamRecords = (): ToRecord => {
  let latest: (SharedHeaders & { readonly ms: number }) | undefined;
  return (submissionId, submission, context) => {
    const { now, partitionKey, sequence, recordHeaders } = context;
    if (sequence !== undefined || recordHeaders !== undefined || submission.schema !== undefined)
      return toRecord(submissionId, submission, context);
    const ms = now.getTime();
    const own = partitionKey === undefined ? OWN : OWN_OF_KEYED;
    if (latest?.ms !== ms || latest.own !== own)
      latest = { ms, own, headers: toRecord(submissionId, submission, context).headers };
    const values = partitionKey === undefined ? [submissionId] : [submissionId, partitionKey];
    return new RecordOfMany(partitionKey ?? submissionId, submission.bytes, ms, latest, values);
  };
};
