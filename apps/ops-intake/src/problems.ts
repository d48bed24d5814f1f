import { defineProblems, commonProblems } from '@workspace/service-kit/problems';

/** Every problem of this service. Codes are contract, sentences are not. */
export const problems = defineProblems({
  'bad-idempotency-key': { status: 400, title: 'Invalid Idempotency-Key' },
  'bad-partition-key': { status: 400, title: 'Invalid Partition-Key' },
  'bad-sequence': { status: 400, title: 'Invalid Sequence' },
  'idempotency-key-missing': { status: 400, title: 'Missing Idempotency-Key' },
  unauthorized: { status: 401, title: 'Missing or invalid credentials' },
  'cross-origin-request': { status: 403, title: 'Request from a page of another site' },
  'submission-not-found': { status: 404, title: 'Submission not found' },
  'idempotency-key-in-flight': {
    status: 409,
    title: 'Another request with this Idempotency-Key is in progress',
  },
  'out-of-sequence': { status: 409, title: 'Not the expected Sequence' },
  'sequence-pending': { status: 409, title: 'The submission with the expected Sequence is not settled' },
  'too-many-operations': { status: 413, title: 'Too many operations in one submission' },
  'message-too-large': { status: 413, title: 'Submission too large for one Kafka message' },
  'unsupported-content-encoding': { status: 415, title: 'Unsupported content encoding' },
  'misdirected-request': { status: 421, title: 'Request for another host' },
  'invalid-submission': { status: 422, title: 'Invalid submission' },
  'idempotency-key-reused': { status: 422, title: 'Idempotency-Key was used with a different request' },
  'queue-full': { status: 503, title: 'Too many submissions are waiting' },
  'log-unavailable': { status: 503, title: 'Kafka unavailable' },
  'outcome-unknown': { status: 503, title: 'Submission not confirmed by Kafka' },
  'idempotency-store-unavailable': { status: 503, title: 'Idempotency store unavailable' },
});

/** What every request may meet where only this machine may submit. */
export const loopbackProblems = [problems['cross-origin-request'], problems['misdirected-request']];

/** The kit's problems that this service's answers can carry. */
export const inheritedProblems = [
  commonProblems['bad-request'],
  commonProblems['malformed-json'],
  commonProblems['not-found'],
  commonProblems['method-not-allowed'],
  commonProblems['request-timeout'],
  commonProblems['body-too-large'],
  commonProblems['unsupported-media-type'],
  commonProblems['expectation-failed'],
  commonProblems['headers-too-large'],
  commonProblems['internal-error'],
  commonProblems['transfer-coding-not-implemented'],
  commonProblems.draining,
  commonProblems['http-version-not-supported'],
];
