import { type Static, Type } from '@sinclair/typebox';
import { createHash } from 'node:crypto';
import type { StoredOutcome } from '../../application/idempotency-store.ts';
import type { SequenceReply } from '../../application/sequence-store.ts';
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
const restoredAnswer = (submissionId: string, text: string | null): AcceptedSubmission => {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? 'null');
  } catch (error) {
    throw new CallFailed(BAD_REPLY, true, 'the stored answer is not JSON', error);
  }
  const [operations, topic, partition, offset] = storedAnswerIn(stored);
  return acceptedSubmission(submissionId, operations, { topic, partition, offset });
};

/**
 * What a server says of a key.
 * @param answer of an accepted submission
 * @param claimedAt of one that may have been published: milliseconds since 1970
 */
export const storedOutcome = (
  id: string,
  state: StoredOutcome['state'],
  answer: string | null,
  claimedAt: number,
  isLeased: boolean,
): StoredOutcome => {
  if (state === 'accepted') return { state, answer: restoredAnswer(id, answer) };
  return state === 'in-flight' ? { state } : { state, claimedAt: new Date(claimedAt), isLeased };
};

/** What a server says to a claim on a number. @param claimedAt of the holder: milliseconds since 1970 */
export const sequenceReply = (
  state: SequenceReply['state'],
  expected: number,
  holder: string,
  claimedAt: number,
  isLeased: boolean,
): SequenceReply => {
  if (state === 'taken') return { state };
  if (state === 'out-of-sequence') return { state, expected };
  return { state, expected, holder, claimedAt: new Date(claimedAt), isLeased };
};

/** Short, and always of the same length; the store need not know names. */
export const digestOf = (principal: string | undefined): string =>
  principal === undefined ? '' : createHash('sha256').update(principal).digest('base64url').slice(0, 22);
