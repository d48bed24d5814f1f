import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import { fragmentStep } from '@workspace/schemas';
import { problems } from '../../problems.ts';
import { afterSpace, eachMember, QUOTE, textOf, UnexpectedByte } from '../../http/submit/json-bytes.ts';
import { invalidSubmission } from '../../http/submit/problem-of-submission.ts';
import { KEY_TEXT, sequenceIn } from '../../http/submit/submission-headers.ts';
import type { AnsweredLine } from './bulk-answer.ts';

/** A line of a stream: a submission and what the headers say of one that is sent alone. */
export interface BulkLine extends AnsweredLine {
  readonly key: string;
  /** name of the schema that the operations follow; undefined: what the stream follows */
  readonly schema: string | undefined;
  /** the array, byte for byte */
  readonly bytes: Buffer;
}

/** Which members a line can have beside those that every one can have. */
export interface BulkMembers {
  /** whether a line can name its schema */
  readonly withSchemas: boolean;
  /** whether a line can have a number */
  readonly withSequences: boolean;
}

const KEY_DETAIL = 'It must be a text of 1 to 255 printable ASCII characters.';

const invalid = (member: string, code: string, detail: string): ProblemError =>
  invalidSubmission(`#${fragmentStep(member)}`, code, detail);

/**
 * Reads the object around a submission. The array itself is only cut out: whether it is JSON, and valid, is judged like the
 * body of a submission that is sent alone.
 * @throws ProblemError 400 or 422
 */
export const readLine = (
  number: number,
  bytes: Buffer,
  { withSchemas, withSequences }: BulkMembers,
): BulkLine => {
  const given = new Map<string, Buffer | string>();
  const member = (name: string, at: number, end: number): void => {
    if (given.has(name)) throw invalid(name, 'duplicate', 'must be given once');
    if (name === 'operations') given.set(name, bytes.subarray(at, end));
    else if (withSequences && name === 'sequence') given.set(name, bytes.toString('latin1', at, end));
    else if (name !== 'key' && name !== 'partitionKey' && !(withSchemas && name === 'schema'))
      throw invalid(name, 'unknown', 'no such member');
    else if (bytes[at] !== QUOTE) throw invalid(name, 'type', 'must be a text');
    else given.set(name, textOf(bytes, at, end));
  };
  try {
    const end = afterSpace(bytes, eachMember(bytes, afterSpace(bytes, 0), member));
    if (end < bytes.length) throw new UnexpectedByte(end);
  } catch (error) {
    if (!(error instanceof UnexpectedByte)) throw error;
    throw new ProblemError(commonProblems['malformed-json'], {
      detail: `The line is not a JSON object: ${error.message}.`,
    });
  }

  const key = given.get('key') as string | undefined;
  const partitionKey = given.get('partitionKey') as string | undefined;
  const schema = given.get('schema') as string | undefined;
  const operations = given.get('operations') as Buffer | undefined;
  if (key === undefined) throw new ProblemError(problems['idempotency-key-missing']);
  if (!KEY_TEXT.test(key)) throw new ProblemError(problems['bad-idempotency-key'], { detail: KEY_DETAIL });
  if (partitionKey !== undefined && !KEY_TEXT.test(partitionKey)) {
    throw new ProblemError(problems['bad-partition-key'], { detail: KEY_DETAIL });
  }
  const sequence = sequenceIn(given.get('sequence') as string | undefined, partitionKey);
  if (operations === undefined) throw invalid('operations', 'required', 'operations is missing');
  return { number, key, partitionKey, sequence, schema, bytes: operations };
};
