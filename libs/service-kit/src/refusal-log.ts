import type { FastifyRequest } from 'fastify';
import type { Refusal } from './refusal.ts';

/** One line a second and code for refusals that come by the thousand. */
const QUIET_MS = 1_000;
const TOO_MANY_REQUESTS = 429;

export type RefusalLog = (refusal: Refusal, request: FastifyRequest) => void;

/**
 * Loudness follows blame: ours → error with the cause; a dependency's → warn; theirs → info.
 *
 * An outage or a flood refuses thousands of requests a second for one reason. Those are logged once a second and
 * code, with the number that was left out (the metrics count them all), so that the reason stays readable and logging
 * does not become the load.
 *
 * @param now milliseconds on any monotonic clock
 */
export const createRefusalLog = (now: () => number = () => performance.now()): RefusalLog => {
  const lastLines = new Map<string, { at: number; leftOut: number }>();

  /** How many refusals of this code were left out since the last line; undefined when this one is to be left out too. */
  const leftOutSince = (code: string): number | undefined => {
    const last = lastLines.get(code);
    if (last && now() - last.at < QUIET_MS) {
      last.leftOut += 1;
      return undefined;
    }
    lastLines.set(code, { at: now(), leftOut: 0 });
    return last?.leftOut ?? 0;
  };

  return (refusal, request) => {
    const { status, code } = refusal.kind;
    const fields = { code, status, method: request.method, route: request.routeOptions?.url };
    if (status === 500) {
      request.log.error({ ...fields, err: refusal.cause ?? refusal }, 'request failed');
      return;
    }
    if (status < 500 && status !== TOO_MANY_REQUESTS) {
      request.log.info(fields, 'request refused');
      return;
    }
    const leftOut = leftOutSince(code);
    if (leftOut === undefined) return;
    const more = { ...fields, ...(leftOut > 0 && { leftOut }) };
    if (status < 500) request.log.info(more, 'request refused');
    else request.log.warn({ ...more, err: refusal.cause }, 'request refused: a dependency is away');
  };
};
