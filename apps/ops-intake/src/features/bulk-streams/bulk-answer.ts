import type { ProblemError } from '@workspace/service-kit/problems';
import type { StreamAnswer } from './submission-stream.ts';
import { problemOf, problemOfFailure } from '../../http/submit/problem-of-submission.ts';
import { statusUrlOf } from '../../http/status/submission-outcome.ts';

/** What is known of the line that an answer is for. */
export interface AnsweredLine {
  readonly number: number;
  /** undefined where the line does not show it */
  readonly key: string | undefined;
  readonly partitionKey?: string | undefined;
  /** number in the series of the partition key */
  readonly sequence?: number | undefined;
  /** the submission, or the whole line where that is not to be seen; undefined when the line was too long, or was not read */
  readonly bytes?: Buffer | undefined;
}

/** The members of a problem in a stream: there are no headers, so `retryAfter` is one of them. */
const membersOf = (problem: ProblemError): object => {
  const retryAfter = problem.options.headers?.['retry-after'];
  return { ...problem.toProblem(), ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }) };
};

/** The problem of a line that was not accepted. */
export const problemOfLine = (
  answer: Exclude<StreamAnswer<ProblemError>, { outcome: 'accepted' }>,
  { key }: AnsweredLine,
  principal: string | undefined,
): ProblemError => {
  if (answer.outcome === 'refused') return answer.violation;
  if (answer.outcome !== 'failed') return problemOf(answer);
  return problemOfFailure(key, principal);
};

/** The answer to a line that was not accepted. */
export const problemText = ({ number, key }: AnsweredLine, problem: ProblemError): string =>
  `${JSON.stringify({ line: number, ...(key !== undefined && { key }), ...membersOf(problem) })}\n`;

/** The answer to a line that every in-sync replica has. */
export const acceptedText = (
  { number, key }: AnsweredLine,
  { answer, replayed }: Extract<StreamAnswer<never>, { outcome: 'accepted' }>,
): string => {
  const { submissionId, operations, topic, partition, offset } = answer;
  // Written out: most lines come here. Ids and numbers need no escapes.
  const recordMetadata = `"operations":${operations},"topic":${quoted(topic)},"partition":${partition},"offset":${offset}`;
  const id = `"submissionId":"${submissionId}",${recordMetadata},"statusUrl":"${statusUrlOf(submissionId)}"`;
  return `{"line":${number},"key":${quoted(key!)},"status":202,${id}${replayed ? ',"replayed":true' : ''}}\n`;
};

/** A text in JSON. */
const quoted = (text: string): string => (/^[\w.-]*$/.test(text) ? `"${text}"` : JSON.stringify(text));

/** The last line of a stream that ends before its lines do. */
export const endText = (problem: ProblemError): string =>
  `${JSON.stringify({ end: true, ...membersOf(problem) })}\n`;
