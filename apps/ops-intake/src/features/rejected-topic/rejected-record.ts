import type { LogRecord } from '@workspace/schemas';
import type { Identity } from '../../application/identity.ts';
import { SOURCE, SPEC_VERSION, type TraceContext } from '../../application/submission-record.ts';
import { digestOf } from '../../domain/digest.ts';
import { sequenceText } from '../../domain/sequence.ts';
import type { RejectedRequest } from '../../http/submit/answered-problem.ts';

/** A submission that was answered with a problem, and would be again. */
export interface Rejection extends Omit<RejectedRequest, 'line'> {
  /** of its record; it was given none as a submission */
  readonly id: string;
  readonly now: Date;
  /** who submitted it */
  readonly identity: Identity;
  readonly requestId: string;
  readonly trace: TraceContext;
  /** what accepted records say of their requests, too */
  readonly recordHeaders: Readonly<Record<string, string>> | undefined;
  /** the problem that it was answered with, as JSON */
  readonly problem: string;
}

/** `ce_type` of the records of rejected submissions. */
export const REJECTED_TYPE = 'operations.rejected.v1';
const TYPE = Buffer.from(REJECTED_TYPE);
/** The bytes may be anything. */
const CONTENT_TYPE = Buffer.from('application/octet-stream');
const NO_BYTES = Buffer.alloc(0);

/**
 * The record of a rejected submission: an event like that of an accepted one. The value is the submission, byte for byte, and what
 * was wrong with it is in a header.
 * @param withBody whether the value is there
 */
export const toRejectedRecord = (rejection: Rejection, withBody: boolean): LogRecord => {
  const { id, now, identity, trace, idempotencyKey, partitionKey, sequence, bytes } = rejection;
  const headers: Record<string, string | Buffer> = {
    ce_specversion: SPEC_VERSION,
    ce_id: id,
    ce_source: SOURCE,
    ce_type: TYPE,
    ce_time: now.toISOString(),
    traceparent: trace.traceparent,
    ce_authtype: identity.type,
    ce_authid: identity.principal,
    ce_problem: rejection.problem,
  };
  if (trace.tracestate !== undefined) headers['tracestate'] = trace.tracestate;
  if (partitionKey !== undefined) headers['ce_partitionkey'] = partitionKey;
  if (sequence !== undefined) headers['ce_sequence'] = sequenceText(sequence);
  if (idempotencyKey !== undefined) headers['ce_idempotencykey'] = idempotencyKey;
  Object.assign(headers, rejection.recordHeaders);
  if (bytes) headers['ce_sha256'] = digestOf(bytes);
  headers['ce_requestid'] = rejection.requestId;
  const key = partitionKey ?? id;
  if (!withBody || bytes === undefined) return { key, value: NO_BYTES, headers };
  headers['content-type'] = CONTENT_TYPE;
  // A copy: the buffer of a small body may be a part of a much larger one.
  return { key, value: Buffer.from(bytes), headers };
};
