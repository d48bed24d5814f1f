import { commonProblems, ProblemError } from '@workspace/service-kit';
import { StoreUnavailable } from '../domain/idempotency.ts';
import { KeyConflict, OutcomeUnknown } from '../domain/intake.ts';
import { AppendError, type AppendFault } from '../domain/operation-log.ts';
import type { SubmissionError } from '../domain/submission.ts';
import { problems } from '../problems.ts';

/** Soon: the queue turns over many times a second, a broker comes back in a few. */
const RETRY_AFTER = { 'retry-after': '1' };

const kinds = {
  'queue-full': problems['queue-full'],
  'log-unavailable': problems['log-unavailable'],
  withdrawn: problems['log-unavailable'],
  closed: commonProblems.draining,
  'record-too-large': problems['message-too-large'],
} as const satisfies Record<AppendFault, unknown>;

/** The cause stays out of it: the adapter has logged it once, and an outage must not repeat it for each request. */
const ofAppend = ({ fault }: AppendError): ProblemError => {
  const kind = kinds[fault];
  const members = { outcome: 'not-published' };
  return new ProblemError(kind, { members, ...(kind.status === 503 && { headers: RETRY_AFTER }) });
};

const ofUnknown = ({ submissionId }: OutcomeUnknown): ProblemError => {
  const detail =
    'It may be in the log, under this submission id. Sent again with the same Idempotency-Key, it keeps the id, so that a consumer can drop the copy.';
  const members = { outcome: 'unknown', submissionId };
  return new ProblemError(problems['outcome-unknown'], { detail, members, headers: RETRY_AFTER });
};

const ofConflict = ({ conflict }: KeyConflict): ProblemError =>
  conflict === 'reused'
    ? new ProblemError(problems['idempotency-key-reused'])
    : new ProblemError(problems['idempotency-key-in-flight'], { headers: RETRY_AFTER });

/** What the client is told of a failed submission. Anything not known here is a failure of ours. */
export const problemOf = (error: unknown): unknown => {
  if (error instanceof OutcomeUnknown) return ofUnknown(error);
  if (error instanceof AppendError) return ofAppend(error);
  if (error instanceof KeyConflict) return ofConflict(error);
  if (error instanceof StoreUnavailable) {
    const members = { outcome: 'not-published' };
    return new ProblemError(problems['idempotency-store-unavailable'], {
      members,
      headers: RETRY_AFTER,
      cause: error,
    });
  }
  return error;
};

/** What the client is told of a body that is no submission. */
export const problemOfSubmission = (error: SubmissionError): ProblemError => {
  if (error.kind === 'malformed')
    return new ProblemError(commonProblems['malformed-json'], { detail: error.detail });
  if (error.kind === 'too-many')
    return new ProblemError(problems['too-many-operations'], { detail: error.detail });
  return new ProblemError(problems['invalid-submission'], {
    errors: error.faults,
    ...(error.truncated && { members: { errorsTruncated: true } }),
  });
};
