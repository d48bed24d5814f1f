import { ProblemError } from '@workspace/service-kit/problems';
import type { FoundSubmission, UndecidedReason } from '../../application/find-submission.ts';
import { isSubmissionId } from '../../domain/submission-id.ts';
import { problems } from '../../problems.ts';
import type { SubmissionOutcomeBody } from '../submit/submission-schema.ts';

/** Where the outcome of a submission can be read. */
export const statusUrlOf = (submissionId: string): string => `/operations/${submissionId}`;

/** What a problem says of a submission that may be in the log. */
export const perhapsInLog = (submissionId: string) => {
  const statusUrl = statusUrlOf(submissionId);
  return { members: { outcome: 'unknown', submissionId, statusUrl }, headers: { location: statusUrl } };
};

const details: Record<UndecidedReason, string> = {
  'perhaps-on-its-way': 'It is not in the log yet, and may still be on its way. Ask again.',
  'store-unavailable':
    'It is not in the log. Whether it is still on its way is unknown while the idempotency store is unavailable.',
  'log-unreadable': 'The topic cannot be read now, or not by this service.',
  'too-long': 'More was written at that time than is read for one question.',
  'not-replicated':
    'It is not in the log, of which the latest records cannot be read yet: not every in-sync replica has them, or a transaction of another producer is open. Ask again.',
  deleted: 'It is not in the log, which no longer has all records of that time.',
  'unreadable-compression':
    'The topic holds records of that time that are compressed in a way that this service cannot read.',
  'no-majority':
    'The brokers that answer do not have it. Too few of them do to say that no other has it. Ask again.',
  busy: 'Too many searches are running at the same time. Ask again.',
};

/** Whether asking again may help. */
export const isRetryable = (found: FoundSubmission): boolean =>
  found.outcome === 'in-flight' ||
  (found.outcome === 'unknown' && found.reason !== 'deleted' && found.reason !== 'unreadable-compression');

/**
 * The body of the answer.
 * @throws ProblemError 404 for a submission that is not found
 */
export const outcomeBody = (submissionId: string, found: FoundSubmission): SubmissionOutcomeBody => {
  if (found.outcome === 'not-found') {
    const { searchedFrom } = found;
    throw new ProblemError(problems['submission-not-found'], {
      ...(searchedFrom && {
        detail: `No record with this id was written since ${searchedFrom.toISOString()}.`,
      }),
      members: { outcome: 'not-found', ...(isSubmissionId(submissionId) && { submissionId }) },
      headers: { 'cache-control': 'no-store' },
    });
  }
  if (found.outcome === 'unknown') {
    return { submissionId, outcome: 'unknown', detail: details[found.reason] };
  }
  if (found.outcome === 'in-flight') return { submissionId, outcome: 'in-flight' };
  const { operations, topic, partition, offset } = found.answer;
  return { submissionId, outcome: 'accepted', operations, topic, partition, offset };
};
