import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { clientNetwork, type RateLimiter, rateLimitHook } from '@workspace/service-kit';
import type { Lookup } from './lookup.ts';

/** The hooks of a route that charges the caller for lookups: one for each request, unless `costOf` says otherwise. */
export type ChargeLookups = (costOf?: (request: FastifyRequest) => number) => {
  preHandler?: preHandlerHookHandler[];
};

/** @param limiter undefined: no limit, and no hook */
export const createCharge = (lookup: Lookup, limiter: RateLimiter | undefined): ChargeLookups => {
  if (limiter === undefined) return () => ({});
  const clientOf = (request: FastifyRequest): string => clientNetwork(lookup.callerAddress(request));
  return (costOf) => ({ preHandler: [exposeHeaders, rateLimitHook(limiter, clientOf, costOf)] });
};

/**
 * Charges the caller for lines of a stream that has begun to be answered.
 * @throws ProblemError 429, at once or by rejection
 */
export type ChargeLines = (
  request: FastifyRequest,
  reply: FastifyReply,
  lines: number,
) => Promise<void> | undefined;

/** @param limiter undefined: no limit */
export const createLineCharge =
  (lookup: Lookup, limiter: RateLimiter | undefined): ChargeLines =>
  (request, reply, lines) =>
    limiter?.charge(reply, clientNetwork(lookup.callerAddress(request)), lines);

/** Without this header, a browser hides those of the limit from the page that asks. */
const EXPOSED = 'RateLimit, RateLimit-Policy, Retry-After';

const exposeHeaders = (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  void reply.header('access-control-expose-headers', EXPOSED);
  done();
};
