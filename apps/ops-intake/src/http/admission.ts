import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import {
  type ClientAddressOf,
  clientNetwork,
  type Clock,
  ProblemError,
  type ProblemOptions,
  type RateLimiter,
} from '@workspace/service-kit';
import { submissionIdOf } from '../domain/submission-id.ts';
import { problems } from '../problems.ts';
import type { PrincipalOf } from './bearer-token.ts';
import { statusUrlOf } from './representations/submission-outcome.ts';
import { idempotencyKey } from './submission-headers.ts';

export interface AdmissionOptions {
  /** undefined: no authentication */
  principalOf?: PrincipalOf | undefined;
  /** undefined: no limit */
  rateLimiter?: RateLimiter | undefined;
  clientAddressOf: ClientAddressOf;
  clock: Clock;
  /** whether a submission has to have an Idempotency-Key */
  keyRequired: boolean;
  /** whether the queue to Kafka has no room */
  isFull: () => boolean;
}

/** Who sends a request; undefined without tokens. @throws ProblemError 401 when tokens are in use and this is not one */
export const principalIn = (
  request: FastifyRequest,
  { principalOf }: AdmissionOptions,
): string | undefined => {
  if (!principalOf) return undefined;
  const { authorization } = request.headers;
  const principal = principalOf(authorization);
  if (principal !== undefined) return principal;
  const challenge = authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
  throw new ProblemError(problems.unauthorized, { headers: { 'www-authenticate': challenge } });
};

/**
 * 503 for a submission that finds no room. Its key is not looked up by then, and an earlier attempt with that key may
 * be in the log: only one without a key is known to be unpublished.
 */
export const queueFull = (
  request: FastifyRequest,
  options: Pick<AdmissionOptions, 'principalOf'>,
): ProblemError => new ProblemError(problems['queue-full'], beforeLookup(request.headers, options));

/** What is known of a submission that is rejected before its key is looked up: `outcome`, and when to retry. */
export const beforeLookup = (
  headers: IncomingHttpHeaders,
  { principalOf }: Pick<AdmissionOptions, 'principalOf'>,
): ProblemOptions => {
  const key = idempotencyKey(String(headers['idempotency-key'] ?? ''));
  const retryAfter = { 'retry-after': '1' };
  if (key === undefined) return { members: { outcome: 'not-published' }, headers: retryAfter };
  const submissionId = submissionIdOf(key, principalOf?.(headers.authorization));
  const statusUrl = statusUrlOf(submissionId);
  return {
    members: { outcome: 'unknown', submissionId, statusUrl },
    headers: { ...retryAfter, location: statusUrl },
  };
};

/**
 * Decides before the body is read whether a request may proceed: authenticated, within the rate limit, with a key where
 * one is required, and only while the queue has room, since reading bodies that are then rejected makes an overload worse. A request
 * with an Idempotency-Key proceeds even then: it may only want its answer again.
 * @throws ProblemError 400, 401, 429 or 503
 */
export const admit = (request: FastifyRequest, options: AdmissionOptions): void => {
  const principal = principalIn(request, options);
  checkRate(request, principal, options);
  if (request.headers['idempotency-key'] !== undefined) return;
  if (options.keyRequired) throw new ProblemError(problems['idempotency-key-missing']);
  if (options.isFull()) throw queueFull(request, options);
};

/** Those whose proxy sends no address share one allowance. Principals have other names: theirs contain no space. */
const UNKNOWN_CLIENT = 'unknown client';

/** 429 for a client that sends more than it may: a principal, or without tokens the network that it is in. */
const checkRate = (
  { raw }: FastifyRequest,
  principal: string | undefined,
  { rateLimiter, clientAddressOf, clock }: AdmissionOptions,
): void => {
  if (!rateLimiter) return;
  const address = principal === undefined ? clientAddressOf(raw) : undefined;
  const client = principal ?? (address ? clientNetwork(address) : UNKNOWN_CLIENT);
  const waitMs = rateLimiter.take(client, clock());
  if (waitMs === 0) return;
  throw new ProblemError(problems['rate-limited'], {
    detail: `At most ${rateLimiter.limit.requests} submissions per ${rateLimiter.limit.per} are accepted from one client.`,
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  });
};
