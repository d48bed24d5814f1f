import { defineProblems, commonProblems } from '@workspace/service-kit/problems';

/** Every problem of this service. Codes are contract, sentences are not. */
export const problems = defineProblems({
  'bad-idempotency-key': {
    status: 400,
    title: 'Invalid Idempotency-Key',
    advice: 'Send 1 to 255 printable ASCII characters, quoted or bare',
  },
  'bad-partition-key': {
    status: 400,
    title: 'Invalid Partition-Key',
    advice: 'Send 1 to 255 printable ASCII characters, quoted or bare',
  },
  'bad-sequence': {
    status: 400,
    title: 'Invalid Sequence',
    advice: 'Send a whole number of up to 15 digits, with a Partition-Key',
  },
  'idempotency-key-missing': {
    status: 400,
    title: 'Missing Idempotency-Key',
    advice: 'Send one',
  },
  unauthorized: {
    status: 401,
    title: 'Missing or invalid credentials',
    advice: 'Send `Authorization: Bearer …`',
  },
  'cross-origin-request': {
    status: 403,
    title: 'Request from a page of another site',
    advice: 'Use a page of the service itself',
  },
  'submission-not-found': {
    status: 404,
    title: 'Submission not found',
    advice: 'Send it, with its Idempotency-Key',
  },
  'idempotency-key-in-flight': {
    status: 409,
    title: 'Another request with this Idempotency-Key is in progress',
    advice: '`unknown`: ask again after `Retry-After`, with the same key',
  },
  'out-of-sequence': {
    status: 409,
    title: 'Not the expected Sequence',
    advice: 'A gap is `not-published`: send `expectedSequence` first; a repeat was accepted before',
  },
  'sequence-pending': {
    status: 409,
    title: 'The submission with the expected Sequence is not settled',
    advice: '`not-published`: wait for it, or retry it with its key',
  },
  'too-many-operations': {
    status: 413,
    title: 'Too many operations in one submission',
    advice: 'Split the submission',
  },
  'message-too-large': {
    status: 413,
    title: 'Submission too large for one Kafka message',
    advice: 'Split the submission',
  },
  'unsupported-content-encoding': {
    status: 415,
    title: 'Unsupported content encoding',
    advice: 'Send gzip, br or plain',
  },
  'misdirected-request': {
    status: 421,
    title: 'Request for another host',
    advice: 'Use `localhost`, 127.0.0.1 or [::1]',
  },
  'invalid-submission': {
    status: 422,
    title: 'Invalid submission',
    advice: 'Correct what `errors[]` points at; nothing was published',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency-Key was used with a different request',
    advice: '`statusUrl` says what became of the first; another submission needs its own key',
  },
  'queue-full': {
    status: 503,
    title: 'Too many submissions are waiting',
    advice: '`not-published` or, with a key, `unknown`: retry after `Retry-After`',
  },
  'log-unavailable': {
    status: 503,
    title: 'Kafka unavailable',
    advice: '`not-published`: retry after `Retry-After`',
  },
  'outcome-unknown': {
    status: 503,
    title: 'Submission not confirmed by Kafka',
    advice: '`unknown`: retry with the same Idempotency-Key',
  },
  'idempotency-store-unavailable': {
    status: 503,
    title: 'Idempotency store unavailable',
    advice: '`unknown`: retry with the same Idempotency-Key',
  },
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
