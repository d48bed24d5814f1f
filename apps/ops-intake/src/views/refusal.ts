import { kitRefusals, Refusal } from '@workspace/service-kit';
import { StoreUnavailable } from '../domain/idempotency.ts';
import { KeyConflict, OutcomeUnknown } from '../domain/intake.ts';
import { AppendError, type AppendFault } from '../domain/operation-log.ts';
import type { SubmissionError } from '../domain/submission.ts';
import { refusals } from '../errors.ts';

/** Soon: the queue turns over many times a second, a broker comes back in a few. */
const RETRY_AFTER = { 'retry-after': '1' };

const kinds = {
  'queue-full': refusals['queue-full'],
  'log-unavailable': refusals['log-unavailable'],
  withdrawn: refusals['log-unavailable'],
  closed: refusals.draining,
  'record-too-large': refusals['message-too-large'],
} as const satisfies Record<AppendFault, unknown>;

/** The cause stays out of it: the adapter has logged it once, and an outage must not repeat it for each request. */
const ofAppend = ({ fault }: AppendError): Refusal => {
  const kind = kinds[fault];
  const members = { outcome: 'not-published' };
  return new Refusal(kind, { members, ...(kind.status === 503 && { headers: RETRY_AFTER }) });
};

const ofUnknown = ({ submissionId }: OutcomeUnknown): Refusal => {
  const detail =
    'It may be in the log, under this submission id. Sent again with the same Idempotency-Key, it keeps the id, so that a consumer can drop the copy.';
  const members = { outcome: 'unknown', submissionId };
  return new Refusal(refusals['outcome-unknown'], { detail, members, headers: RETRY_AFTER });
};

const ofConflict = ({ conflict }: KeyConflict): Refusal =>
  conflict === 'reused'
    ? new Refusal(refusals['idempotency-key-reused'])
    : new Refusal(refusals['idempotency-key-in-flight'], { headers: RETRY_AFTER });

/** What the client is told of a failed submission. Anything not known here is a failure of ours. */
export const refusalOf = (error: unknown): unknown => {
  if (error instanceof OutcomeUnknown) return ofUnknown(error);
  if (error instanceof AppendError) return ofAppend(error);
  if (error instanceof KeyConflict) return ofConflict(error);
  if (error instanceof StoreUnavailable) {
    const members = { outcome: 'not-published' };
    return new Refusal(refusals['idempotency-store-unavailable'], {
      members,
      headers: RETRY_AFTER,
      cause: error,
    });
  }
  return error;
};

/** What the client is told of a body that is no submission. */
export const refusalOfSubmission = (error: SubmissionError): Refusal => {
  if (error.kind === 'malformed') return new Refusal(kitRefusals['malformed-json'], { detail: error.detail });
  if (error.kind === 'too-many')
    return new Refusal(refusals['too-many-operations'], { detail: error.detail });
  return new Refusal(refusals['invalid-submission'], {
    errors: error.faults,
    ...(error.truncated && { members: { errorsTruncated: true } }),
  });
};
