import type { Problem } from '@workspace/schemas';
import type { ProblemError } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import type { FillRandomly } from '../../domain/randomness.ts';
import { newSubmissionId } from '../../domain/submission-id.ts';
import type { OnRejected, RequestFacts } from '../../http/submit/answered-problem.ts';
import { traceContext } from '../../http/submit/trace-context.ts';
import type { Rejection } from './rejected-record.ts';

export interface RejectionsOptions extends RequestFacts {
  clock: Clock;
  fillRandomly: FillRandomly;
  keep: (rejection: Rejection) => void;
}

/** Keeps the submissions of authenticated clients that are rejected for what they are. */
export const createRejections = (options: RejectionsOptions): OnRejected => {
  const { identityOf, recordHeadersOf, clock, fillRandomly, keep } = options;
  return (problem, request, { line, ...submission }) => {
    const identity = identityOf(request);
    if (!identity || !isFinal(problem)) return;
    const now = clock();
    const answered = { ...problem.toProblem(request.id), ...(line !== undefined && { line }) };
    keep({
      id: newSubmissionId(now, fillRandomly),
      now,
      identity,
      requestId: request.id,
      trace: traceContext(request.headers, fillRandomly),
      recordHeaders: recordHeadersOf(request),
      problem: JSON.stringify(bounded(answered)),
      ...submission,
    });
  };
};

/** The statuses of what is wrong with a submission itself. */
const FINAL = [400, 409, 413, 415, 422];

/** Whether the same submission would be rejected again. One that may be accepted later is told when to retry. */
const isFinal = ({ type, options }: ProblemError): boolean =>
  FINAL.includes(type.status) && options.headers?.['retry-after'] === undefined;

/** Most characters of a detail or a pointer: a client chooses the names of members. */
const MOST_CHARACTERS = 512;
/** Most bytes of all violations of one submission: they are in a header. */
const VIOLATIONS_BYTES = 16_384;

const shortened = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;

/** A problem whose size does not depend on its client. */
const bounded = ({ errors, detail, ...problem }: Problem): object => {
  let bytes = 0;
  const listed = errors
    ?.map((error) => ({ ...error, pointer: shortened(error.pointer), detail: shortened(error.detail) }))
    .filter((error) => (bytes += Buffer.byteLength(JSON.stringify(error))) <= VIOLATIONS_BYTES);
  return {
    ...problem,
    ...(detail !== undefined && { detail: shortened(detail) }),
    ...(listed && { errors: listed }),
    ...(listed && listed.length < errors!.length && { errorsTruncated: true }),
  };
};
