import { commonProblems, ProblemError, type ProblemType } from '@workspace/service-kit/problems';
import type { NotPublishedReason } from '@workspace/schemas';
import type { OutOfSequence, SubmitResult, UnknownReason } from '../../application/submit-result.ts';
import { submissionIdOf } from '../../domain/submission-id.ts';
import { problems } from '../../problems.ts';
import { perhapsInLog, statusUrlOf } from '../status/submission-outcome.ts';

/** Soon: the queue turns over many times a second, a broker comes back in a few. */
const RETRY_AFTER = { 'retry-after': '1' };

const types = {
  'queue-full': problems['queue-full'],
  'log-unavailable': problems['log-unavailable'],
  withdrawn: problems['log-unavailable'],
  closed: commonProblems.draining,
  'record-too-large': problems['message-too-large'],
} as const satisfies Record<NotPublishedReason, unknown>;

const ofNotPublished = (reason: NotPublishedReason): ProblemError => {
  const type = types[reason];
  const members = { outcome: 'not-published' };
  return new ProblemError(type, { members, ...(type.status === 503 && { headers: RETRY_AFTER }) });
};

const unknown: Record<UnknownReason, { type: ProblemType; detail: string }> = {
  'no-answer': {
    type: problems['outcome-unknown'],
    detail:
      'The submission may be in the log: `statusUrl` shows what became of it. Sent again with the same Idempotency-Key, it keeps the id, so that a consumer can drop the copy.',
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

const ofUnknown = (reason: UnknownReason, submissionId: string): ProblemError => {
  const { type, detail } = unknown[reason];
  const { members, headers } = perhapsInLog(submissionId);
  return new ProblemError(type, { detail, members, headers: { ...RETRY_AFTER, ...headers } });
};

/** Nothing is said of the outcome of a repeat: the number is in the log, perhaps with this submission. */
const ofSequence = ({ number, expected, reason, perhapsAs }: OutOfSequence): ProblemError => {
  const perhaps = perhapsAs === undefined ? undefined : perhapsInLog(perhapsAs);
  const outcome = perhaps?.members ?? (reason !== 'repeat' && { outcome: 'not-published' });
  const members = { ...outcome, expectedSequence: expected };
  const headers = { ...perhaps?.headers };
  if (reason === 'pending') {
    const detail = `The submission with the number ${expected} is being processed, or its outcome is not known. Wait for it, or send that one again.`;
    return new ProblemError(problems['sequence-pending'], {
      detail,
      members,
      headers: { ...RETRY_AFTER, ...headers },
    });
  }
  const why = reason === 'gap' ? 'leaves a gap' : 'comes too late';
  const detail = `${number} ${why}: the next number of this Partition-Key is ${expected}. This request published nothing.`;
  return new ProblemError(problems['out-of-sequence'], { detail, members, headers });
};

/** It may be the same submission after all, judged by another schema than before: with a new key, it could be in the log twice. */
const ofReused = (submissionId: string): ProblemError =>
  new ProblemError(problems['idempotency-key-reused'], {
    detail:
      'An earlier request with this key had another body, Partition-Key, Sequence or schema. See at `statusUrl` what became of it before you send this one with a key of its own.',
    members: { submissionId, statusUrl: statusUrlOf(submissionId) },
  });

/** 422 for what is wrong around the operations. */
export const invalidSubmission = (pointer: string, code: string, detail: string): ProblemError =>
  new ProblemError(problems['invalid-submission'], { errors: [{ pointer, code, detail }] });

/** The problem for a submission that is not known to be in the log. */
export const problemOf = (result: Exclude<SubmitResult, { outcome: 'accepted' }>): ProblemError => {
  if (result.outcome === 'unknown') return ofUnknown(result.reason, result.submissionId);
  if (result.outcome === 'not-published') return ofNotPublished(result.reason);
  if (result.outcome === 'out-of-sequence') return ofSequence(result);
  return ofReused(result.submissionId);
};

/** The problem for one of several submissions that failed for a reason that is not known. @param key its Idempotency-Key */
export const problemOfFailure = (key: string | undefined, principal: string | undefined): ProblemError => {
  const members =
    key === undefined ? { outcome: 'unknown' } : perhapsInLog(submissionIdOf(key, principal)).members;
  return new ProblemError(commonProblems['internal-error'], { members });
};
