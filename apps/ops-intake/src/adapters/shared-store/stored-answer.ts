import { createHash } from 'node:crypto';
import { type AcceptedSubmission, acceptedSubmission } from '../../application/submission-record.ts';

/** The answer as short as it can be, since the store keeps one for every key. */
export const storedAnswer = ({ operations, topic, partition, offset }: AcceptedSubmission): string =>
  JSON.stringify([operations, topic, partition, offset]);

export const restoredAnswer = (submissionId: string, text: string): AcceptedSubmission => {
  const [operations, topic, partition, offset] = JSON.parse(text) as [number, string, number, number];
  return acceptedSubmission(submissionId, operations, { topic, partition, offset });
};

/** Short, and always of the same length; the store need not know names. */
export const digestOf = (principal: string | undefined): string =>
  principal === undefined ? '' : createHash('sha256').update(principal).digest('base64url').slice(0, 22);
