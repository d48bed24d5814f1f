import type { ProblemError } from '@workspace/service-kit/problems';
import type { Submit } from '../../application/submit.ts';
import { problemOf, problemOfFailure } from '../../http/submit/problem-of-submission.ts';
import type { SubmitResult } from '../../application/submit-result.ts';

/** What answers and errors have, also where the request named another type. */
export const ANSWER_TYPE = 'application/vnd.kafka.v2+json';

/** What became of a record: its partition and offset, or why none is known. `error_code`: 2 if sending it again may help, else 1. */
export interface RecordOffset {
  readonly partition: number | null;
  readonly offset: number | null;
  readonly error_code: 1 | 2 | null;
  readonly error: string | null;
  readonly outcome?: string;
  readonly statusUrl?: string;
}

export interface BridgeAnswer {
  readonly status: number;
  /** seconds after which the records that failed may be sent again */
  readonly retryAfter: string | undefined;
  readonly body: object;
}

/** The problem of each record that is not known to be in the log; undefined for the others. */
export const problemsOf = (
  submits: readonly Submit[],
  results: readonly (SubmitResult | undefined)[],
): (ProblemError | undefined)[] =>
  results.map((result, index) => {
    const { idempotencyKey, principal } = submits[index]!;
    if (!result) return problemOfFailure(idempotencyKey, principal);
    return result.outcome === 'accepted' ? undefined : problemOf(result);
  });

const textOfProblem = ({ title, detail }: { title: string; detail?: string | undefined }): string =>
  detail === undefined ? title : `${title}: ${detail}`;

/**
 * The answer to a request: 200 when every record is on all in-sync replicas, else the highest status that a record would have got
 * alone. Clients of Confluent's API take any 2xx for success, and few look at the errors within.
 */
export const bridgeAnswer = (
  results: readonly (SubmitResult | undefined)[],
  failures: readonly (ProblemError | undefined)[],
): BridgeAnswer => {
  const offsets = results.map((result, index): RecordOffset => {
    if (result?.outcome === 'accepted') {
      const { partition, offset } = result.answer;
      return { partition, offset, error_code: null, error: null };
    }
    const failure = failures[index]!;
    const problem = failure.toProblem();
    const { outcome, statusUrl } = problem as { outcome?: string; statusUrl?: string };
    return {
      partition: null,
      offset: null,
      error_code: failure.type.status >= 500 || failure.type.status === 409 ? 2 : 1,
      error: textOfProblem(problem),
      ...(outcome !== undefined && { outcome }),
      ...(statusUrl !== undefined && { statusUrl }),
    };
  });
  const failed = failures.filter((failure) => failure !== undefined);
  const body = { offsets, key_schema_id: null, value_schema_id: null };
  if (failed.length === 0) return { status: 200, retryAfter: undefined, body };
  const status = Math.max(...failed.map(({ type }) => type.status));
  const message = `${failed.length} of ${results.length} records are not known to be in the log; "offsets" says why, in their order.`;
  return {
    status,
    retryAfter: failed
      .map(({ options }) => options.headers?.['retry-after'])
      .find((text) => text !== undefined),
    body: { error_code: status, message, ...body },
  };
};

/** A problem in the shape of Confluent's API. `topic`: whether the request was for one. */
export const errorText = (problemText: string, topic: boolean): string => {
  const { status, title, detail, errors } = JSON.parse(problemText) as {
    status: number;
    title: string;
    detail?: string;
    errors?: readonly { pointer: string; detail: string }[];
  };
  const [first] = errors ?? [];
  const message = textOfProblem({ title, detail: first ? `${first.pointer} ${first.detail}` : detail });
  // The number of an unknown topic; others are those of HTTP.
  return JSON.stringify({
    error_code: status === 404 && topic ? 40_401 : status,
    message,
    ...(errors && { errors }),
  });
};
