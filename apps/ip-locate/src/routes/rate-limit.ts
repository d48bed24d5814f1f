import type { FastifyRequest } from 'fastify';
import { type Clock, ProblemError } from '@workspace/service-kit';
import { RateLimiter } from '../domain/rate-limiter.ts';
import { problems } from '../problems.ts';
import type { Lookup } from './lookup.ts';

/** Refuses a request that costs more lookups than its caller has left. */
export type Charge = (request: FastifyRequest, cost: number) => void;

export interface ChargeOptions {
  lookup: Lookup;
  clock: Clock;
  /** 0 is no limit */
  perMinute: number;
}

export function createCharge({ lookup, clock, perMinute }: ChargeOptions): Charge | undefined {
  if (perMinute === 0) return undefined;
  const limiter = new RateLimiter(perMinute);
  return (request, cost) => {
    const seconds = limiter.take(lookup.callerOrReserved(request), cost, clock());
    if (seconds === 0) return;
    throw new ProblemError(problems['rate-limited'], {
      detail: `A caller may make ${perMinute} lookups a minute.`,
      headers: { 'retry-after': String(seconds) },
    });
  };
}
