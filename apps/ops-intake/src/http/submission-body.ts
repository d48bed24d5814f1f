import { isUtf8 } from 'node:buffer';
import { commonProblems, ProblemError } from '@workspace/service-kit';
import type { JsonValue } from '../domain/json-value.ts';
import {
  type Submission,
  type SubmissionError,
  type SubmissionLimits,
  submissionRules,
} from '../domain/submission.ts';
import { problems } from '../problems.ts';
import { JsonSyntaxError, parseStrictJson } from './strict-json.ts';

export interface SubmissionBodyLimits extends SubmissionLimits {
  /** most bytes of a submission that fit into one Kafka message */
  messageBytes: number;
}

/** Reads the body of a request; keeps a reference to it, not a copy. @throws ProblemError: 400, 413 or 422 */
export type ReadSubmission = (bytes: Buffer) => Submission;

/** Makes the reader of request bodies: strict UTF-8, strict JSON, then the rules of a submission. */
export const submissionReader = (limits: SubmissionBodyLimits): ReadSubmission => {
  const check = submissionRules(limits);
  return (bytes) => {
    const result = check(parse(bytes));
    if (typeof result !== 'number') throw problemOfSubmission(result);
    if (bytes.length <= limits.messageBytes) return { bytes, operations: result };
    const detail = `${bytes.length} bytes; at most ${limits.messageBytes} fit into one message.`;
    throw new ProblemError(problems['message-too-large'], { detail, members: { outcome: 'not-published' } });
  };
};

const malformed = (detail: string): ProblemError =>
  new ProblemError(commonProblems['malformed-json'], { detail });

const parse = (bytes: Buffer): JsonValue => {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.');
  try {
    return parseStrictJson(bytes.toString('utf8'));
  } catch (error) {
    throw error instanceof JsonSyntaxError ? malformed(`The body is not JSON: ${error.message}.`) : error;
  }
};

const problemOfSubmission = (error: SubmissionError): ProblemError => {
  if (error.kind === 'too-many') {
    return new ProblemError(problems['too-many-operations'], { detail: error.detail });
  }
  return new ProblemError(problems['invalid-submission'], {
    errors: error.violations,
    ...(error.truncated && { members: { errorsTruncated: true } }),
  });
};
