import type { FastifyRequest } from 'fastify';
import type { ProblemError } from './problem-error.ts';

/** At most one line in this time for each code of problems that come by the thousand. */
const QUIET_MS = 1_000;
const TOO_MANY_REQUESTS = 429;

export type ProblemLog = (problem: ProblemError, request: FastifyRequest) => void;

/**
 * The level follows responsibility: our failure → error with its cause; no capacity or a missing dependency → warn; the
 * client → info.
 *
 * An outage or a flood rejects thousands of requests a second for one reason. Those are logged once a second and code,
 * with the number of lines left out (the metrics count them all), so that the reason stays readable and logging does
 * not become the load.
 *
 * @param now milliseconds on any monotonic clock
 */
export const createProblemLog = (now: () => number = () => performance.now()): ProblemLog => {
  const lastLines = new Map<string, { at: number; leftOut: number }>();

  /** The number of problems of this code left out since its last line; undefined when this one is to be left out too. */
  const leftOutSince = (code: string): number | undefined => {
    const last = lastLines.get(code);
    if (last && now() - last.at < QUIET_MS) {
      last.leftOut += 1;
      return undefined;
    }
    lastLines.set(code, { at: now(), leftOut: 0 });
    return last?.leftOut ?? 0;
  };

  return (problem, request) => {
    const { status, code } = problem.kind;
    const fields = { code, status, method: request.method, route: request.routeOptions?.url };
    if (status === 500) {
      request.log.error({ ...fields, err: problem.cause ?? problem }, 'request failed');
      return;
    }
    if (status < 500 && status !== TOO_MANY_REQUESTS) {
      request.log.info(fields, 'request rejected');
      return;
    }
    const leftOut = leftOutSince(code);
    if (leftOut === undefined) return;
    const more = { ...fields, ...(leftOut > 0 && { leftOut }) };
    if (status < 500) request.log.info(more, 'request rejected');
    else request.log.warn({ ...more, err: problem.cause }, 'request not served');
  };
};
