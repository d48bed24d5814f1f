import type { FastifyRequest } from 'fastify';
import type { ProblemError } from '@workspace/service-kit/problems';
import type { Identity } from '../../application/identity.ts';
import { idempotencyKey, sequenceNumber } from './submission-headers.ts';

/** What is known of a submission that was answered with a problem. */
export interface RejectedRequest {
  /** number of its line in a stream */
  readonly line?: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly partitionKey: string | undefined;
  /** number in the series of the Partition-Key */
  readonly sequence?: number | undefined;
  /** the submission, uncompressed; undefined when it was not received to its end */
  readonly bytes: Buffer | undefined;
}

/** The submission of a request for it alone, as far as it has arrived. */
export const rejectedRequest = (
  { headers, body }: FastifyRequest,
  withSequences: boolean,
): RejectedRequest => ({
  idempotencyKey: idempotencyKey(String(headers['idempotency-key'] ?? '')),
  partitionKey: idempotencyKey(String(headers['partition-key'] ?? '')),
  sequence: withSequences ? sequenceNumber(String(headers['sequence'] ?? '')) : undefined,
  bytes: Buffer.isBuffer(body) ? body : undefined,
});

/** Is called with every problem that a submission was answered with. */
export type OnRejected = (
  problem: ProblemError,
  request: FastifyRequest,
  submission: RejectedRequest,
) => void;

/** Who sent a request, and the headers that options would add to its record. */
export interface RequestFacts {
  identityOf(request: FastifyRequest): Identity | undefined;
  recordHeadersOf(request: FastifyRequest): Readonly<Record<string, string>> | undefined;
}
