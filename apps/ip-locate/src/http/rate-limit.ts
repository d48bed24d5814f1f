import type { FastifyRequest } from 'fastify';
import { type Clock, clientNetwork, ProblemError, type RateLimit, RateLimiter } from '@workspace/service-kit';
import { problems } from '../problems.ts';
import type { Lookup } from './lookup.ts';

/** Throws a problem for a request that costs more lookups than its caller has left. */
export type Charge = (request: FastifyRequest, cost: number) => void;

export interface ChargeOptions {
  lookup: Lookup;
  clock: Clock;
  limit: RateLimit | undefined;
}

export function createCharge({ lookup, clock, limit }: ChargeOptions): Charge | undefined {
  if (limit === undefined) return undefined;
  const limiter = new RateLimiter(limit);
  return (request, cost) => {
    const waitMs = limiter.take(clientNetwork(lookup.callerOrReserved(request)), clock(), cost);
    if (waitMs === 0) return;
    const allowance = `A caller may make ${limit.requests} lookups per ${limit.per}`;
    throw new ProblemError(
      problems['rate-limited'],
      waitMs === Infinity
        ? { detail: `${allowance}, so a batch of ${cost} is never accepted.` }
        : { detail: `${allowance}.`, headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } },
    );
  };
}
