import { defineProblems, commonProblems } from '@workspace/service-kit';

/** Every problem of this service. Codes are contract, sentences are not. */
export const problems = defineProblems({
  'bad-idempotency-key': { status: 400, title: 'The Idempotency-Key cannot be used' },
  'idempotency-key-missing': { status: 400, title: 'An Idempotency-Key is needed' },
  unauthorized: { status: 401, title: 'A valid bearer token is needed' },
  'idempotency-key-in-flight': {
    status: 409,
    title: 'A request with this Idempotency-Key is being worked on',
  },
  'too-many-operations': { status: 413, title: 'There are too many operations in one submission' },
  'message-too-large': { status: 413, title: 'The submission does not fit into one Kafka message' },
  'unsupported-content-encoding': { status: 415, title: 'The body is compressed in a way that is not taken' },
  'invalid-submission': { status: 422, title: 'The submission breaks the rules' },
  'idempotency-key-reused': { status: 422, title: 'The Idempotency-Key was used with another payload' },
  'rate-limited': { status: 429, title: 'Too many requests from this client' },
  'queue-full': { status: 503, title: 'Too many submissions are waiting' },
  'log-unavailable': { status: 503, title: 'Kafka does not take the submission now' },
  'outcome-unknown': { status: 503, title: 'Whether Kafka has the submission is not known' },
  'idempotency-store-unavailable': { status: 503, title: 'The store of Idempotency-Keys does not answer' },
});

/** The kit's problems that this service's answers can carry. */
export const inheritedProblems = [
  commonProblems['bad-request'],
  commonProblems['malformed-json'],
  commonProblems['not-found'],
  commonProblems['method-not-allowed'],
  commonProblems['request-timeout'],
  commonProblems['body-too-large'],
  commonProblems['unsupported-media-type'],
  commonProblems['headers-too-large'],
  commonProblems['internal-error'],
  commonProblems.draining,
];
