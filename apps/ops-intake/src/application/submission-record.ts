import type { Identity } from './identity.ts';
import type { FoundRecord, LogRecord, Receipt } from '@workspace/schemas';
import { fingerprintOf } from '../domain/submission-id.ts';
import { sequenceText } from '../domain/sequence.ts';
import type { Submission } from '../domain/submission.ts';

/** What goes along with a submission. */
export interface SubmissionContext {
  now: Date;
  trace: TraceContext;
  /** who submits; undefined without authentication */
  principal?: string | undefined;
  /** how the principal was authenticated */
  authType?: Identity['type'] | undefined;
  /** keeps submissions together, in one partition and in order */
  partitionKey?: string | undefined;
  /** number in the series of the Partition-Key, which it needs */
  sequence?: number | undefined;
  /** headers besides, which go before those that all records have */
  recordHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Makes the record of a submission. */
export type ToRecord = (
  submissionId: string,
  submission: Submission,
  context: SubmissionContext,
) => LogRecord;

/** W3C trace context, as the record carries it. */
export interface TraceContext {
  traceparent: string;
  tracestate?: string;
}

export const SPEC_VERSION = Buffer.from('1.0');
export const SOURCE = Buffer.from('/operations-service');
/** `ce_type` of the records of the built-in schema. */
export const BUILT_IN_TYPE = 'operations.submitted.v1';
const TYPE = Buffer.from(BUILT_IN_TYPE);
const JSON_TYPE = Buffer.from('application/json');

/**
 * The record of a submission: the CloudEvents id is the submission id, and so is the key, unless the client gave a
 * Partition-Key. The value is the array as the client wrote it, the attributes travel as headers (CloudEvents 1.0, Kafka
 * binary mode, with the extensions partitioning, sequence and auth context).
 */
export const toRecord: ToRecord = (submissionId, { bytes, schema }, context) => {
  const { now, trace, principal, authType = 'unknown', partitionKey, sequence, recordHeaders } = context;
  const headers: Record<string, string | Buffer> = {
    ce_specversion: SPEC_VERSION,
    ce_id: submissionId,
    ce_source: SOURCE,
    ce_type: schema?.type ?? TYPE,
    ce_time: now.toISOString(),
    'content-type': JSON_TYPE,
    traceparent: trace.traceparent,
  };
  if (schema !== undefined) headers['ce_dataschema'] = schema.dataSchema;
  if (trace.tracestate !== undefined) headers['tracestate'] = trace.tracestate;
  if (partitionKey !== undefined) headers['ce_partitionkey'] = partitionKey;
  if (sequence !== undefined) headers['ce_sequence'] = sequenceText(sequence);
  if (principal !== undefined) {
    headers['ce_authtype'] = authType;
    headers['ce_authid'] = principal;
  }
  if (recordHeaders !== undefined) Object.assign(headers, recordHeaders);
  // The time from before its key was claimed: a broker that takes no records older than a lease then rejects what the network
  // still holds when the lease is over.
  return { key: partitionKey ?? submissionId, value: bytes, headers, timestamp: now.getTime() };
};

/** The answer to a submission that every in-sync replica has. */
export interface AcceptedSubmission {
  message: string;
  submissionId: string;
  operations: number;
  topic: string;
  partition: number;
  offset: number;
}

/** The answer to a submission of so many operations, now that it is in the log. */
export const acceptedSubmission = (
  submissionId: string,
  operations: number,
  receipt: Receipt,
): AcceptedSubmission => ({
  message: `${operations} ${operations === 1 ? 'operation' : 'operations'} accepted`,
  submissionId,
  operations,
  topic: receipt.topic,
  partition: receipt.partition,
  offset: receipt.offset,
});

/** Whether a record of the log is a submission: others may write to the topic, too, and an id is unique only within its source. */
export const isOfSubmission = (value: Buffer, headers: FoundRecord['headers']): boolean => {
  if (headers['ce_source'] !== String(SOURCE)) return false;
  try {
    return Array.isArray(JSON.parse(value.toString()));
  } catch {
    return false;
  }
};

/** The fingerprint of the submission whose record was read from the log. */
export const fingerprintOfRecord = ({ value, headers }: FoundRecord): string => {
  const { ce_type: type, ce_partitionkey: partitionKey, ce_sequence: sequence } = headers;
  const own = type === BUILT_IN_TYPE ? undefined : type;
  return fingerprintOf(value, partitionKey, sequence === undefined ? undefined : Number(sequence), own);
};

/** Who submitted a record that was read from the log; undefined when it came without authentication. */
export const principalOfRecord = ({ headers }: FoundRecord): string | undefined => headers['ce_authid'];
