import { type Static, Type } from '@sinclair/typebox';
import { createHash } from 'node:crypto';
import { type AcceptedSubmission, acceptedSubmission } from '../../application/submission-record.ts';
import { BAD_REPLY, checkedBy } from './checked-reply.ts';
import { CallFailed } from './call-failed.ts';

const Count = (minimum: number) => Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER });
/** operations, topic, partition, offset */
const StoredAnswer = Type.Tuple([Count(1), Type.String({ minLength: 1 }), Count(0), Count(0)]);
const storedAnswerIn = checkedBy(StoredAnswer);

/** The answer as short as it can be, since the store keeps one for every key. */
export const storedAnswer = ({ operations, topic, partition, offset }: AcceptedSubmission): string =>
  JSON.stringify([operations, topic, partition, offset] satisfies Static<typeof StoredAnswer>);

/** @throws CallFailed for what no instance has stored */
export const restoredAnswer = (submissionId: string, text: string | null): AcceptedSubmission => {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? 'null');
  } catch (error) {
    throw new CallFailed(BAD_REPLY, true, 'the stored answer is not JSON', error);
  }
  const [operations, topic, partition, offset] = storedAnswerIn(stored);
  return acceptedSubmission(submissionId, operations, { topic, partition, offset });
};

/** Short, and always of the same length; the store need not know names. */
export const digestOf = (principal: string | undefined): string =>
  principal === undefined ? '' : createHash('sha256').update(principal).digest('base64url').slice(0, 22);
