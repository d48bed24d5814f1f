import type { FastifyRequest } from 'fastify';
import { clientNetwork, ProblemError, type RateLimit, RateLimiter } from '@workspace/service-kit';
import { problems } from '../problems.ts';
import type { Lookup } from './lookup.ts';

/** Counts lookups against the caller's allowance; throws a problem when they exceed it. */
export type ChargeLookups = (request: FastifyRequest, lookups: number, time: Date) => void;

/** @param limit no limit when undefined */
export function createCharge(lookup: Lookup, limit: RateLimit | undefined): ChargeLookups {
  if (limit === undefined) return () => undefined;
  const limiter = new RateLimiter(limit);
  return (request, lookups, time) => {
    const waitMs = limiter.take(clientNetwork(lookup.callerAddress(request)), time, lookups);
    if (waitMs === 0) return;
    const allowance = `A caller may make ${limit.requests} lookups per ${limit.per}`;
    throw new ProblemError(
      problems['rate-limited'],
      waitMs === Infinity
        ? { detail: `${allowance}, so a batch of ${lookups} is never accepted.` }
        : { detail: `${allowance}.`, headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } },
    );
  };
}
