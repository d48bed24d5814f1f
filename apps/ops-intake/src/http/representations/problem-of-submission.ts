import { commonProblems, ProblemError, type ProblemType } from '@workspace/service-kit';
import { KeyReused, OutcomeUnknown, type UnknownReason } from '../../application/submit-operations.ts';
import { AppendError, type AppendFailure } from '../../application/operation-log.ts';
import { problems } from '../../problems.ts';
import { statusUrlOf } from './submission-outcome.ts';

/** Soon: the queue turns over many times a second, a broker comes back in a few. */
const RETRY_AFTER = { 'retry-after': '1' };

const kinds = {
  'queue-full': problems['queue-full'],
  'log-unavailable': problems['log-unavailable'],
  withdrawn: problems['log-unavailable'],
  closed: commonProblems.draining,
  'record-too-large': problems['message-too-large'],
} as const satisfies Record<AppendFailure, unknown>;

/** The cause stays out of it: the adapter has logged it once, and an outage must not repeat it for each request. */
const ofAppend = ({ failure }: AppendError): ProblemError => {
  const kind = kinds[failure];
  const members = { outcome: 'not-published' };
  return new ProblemError(kind, { members, ...(kind.status === 503 && { headers: RETRY_AFTER }) });
};

const unknown: Record<UnknownReason, { type: ProblemType; detail: string }> = {
  'no-answer': {
    type: problems['outcome-unknown'],
    detail:
      'The submission may be in the log: `statusUrl` tells what became of it. Sent again with the same Idempotency-Key, it keeps the id, so that a consumer can drop the copy.',
  },
  'in-flight': {
    type: problems['idempotency-key-in-flight'],
    detail: 'The other request is not answered yet. Ask again with the same Idempotency-Key.',
  },
  'store-unavailable': {
    type: problems['idempotency-store-unavailable'],
    detail:
      'This request published nothing. Whether an earlier one with the same Idempotency-Key did cannot be checked now. Ask again with the same key.',
  },
};

const ofUnknown = ({ reason, submissionId }: OutcomeUnknown): ProblemError => {
  const { type, detail } = unknown[reason];
  return new ProblemError(type, {
    detail,
    members: { outcome: 'unknown', submissionId, statusUrl: statusUrlOf(submissionId) },
    headers: { ...RETRY_AFTER, location: statusUrlOf(submissionId) },
  });
};

/** What the client is told of a failed submission. Anything not known here is a failure of ours. */
export const problemOf = (error: unknown): unknown => {
  if (error instanceof OutcomeUnknown) return ofUnknown(error);
  if (error instanceof AppendError) return ofAppend(error);
  if (error instanceof KeyReused) return new ProblemError(problems['idempotency-key-reused']);
  return error;
};
