import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientNetwork } from '@workspace/http-connections';
import { type ClientAddressOf, clientNetworks } from '@workspace/service-kit/client-address';
import { ProblemError, type ProblemOptions } from '@workspace/service-kit/problems';
import type { RateLimiter } from '@workspace/service-kit/rate-limit';
import { submissionIdOf } from '../../domain/submission-id.ts';
import { problems } from '../../problems.ts';
import type { Authentication } from './authentication.ts';
import { perhapsInLog } from '../status/submission-outcome.ts';
import { idempotencyKey, isForOne, isUnpublished } from '../submit/submission-headers.ts';

export interface AdmissionOptions {
  /** undefined: everyone may submit */
  authentication?: Authentication | undefined;
  /** undefined: no limit */
  rateLimiter?: RateLimiter | undefined;
  clientAddressOf: ClientAddressOf;
  /** whether a submission has to have an Idempotency-Key */
  keyRequired: boolean;
  /** whether the queue to Kafka has no room for these clients */
  isFull: (clients: readonly ClientNetwork[]) => boolean;
}

/**
 * 503 for a submission that finds no room. Its key is not looked up by then, and an earlier attempt with that key may
 * be in the log: only one without a key is known to be unpublished.
 */
export const queueFull = (
  request: FastifyRequest,
  options: Pick<AdmissionOptions, 'authentication'>,
): ProblemError => new ProblemError(problems['queue-full'], beforeLookup(request.raw, options));

/** What is known of a submission that is rejected before its key is looked up: `outcome`, and when to retry. */
export const beforeLookup = (
  request: IncomingMessage,
  { authentication }: Pick<AdmissionOptions, 'authentication'>,
): ProblemOptions => {
  const key = idempotencyKey(String(request.headers['idempotency-key'] ?? ''));
  const retryAfter = { 'retry-after': '1' };
  if (isUnpublished(request)) return { members: { outcome: 'not-published' }, headers: retryAfter };
  const identity = authentication?.identityOf(request);
  // The submission is not known yet: its principal is not, or the request has several.
  if (key === undefined || !isForOne(request) || (authentication && !identity))
    return { members: { outcome: 'unknown' }, headers: retryAfter };
  const { members, headers } = perhapsInLog(submissionIdOf(key, identity?.principal));
  return { members, headers: { ...retryAfter, ...headers } };
};

/**
 * Decides before the body is read whether a request may proceed: within the rate limit, with a key where
 * one is required, and only while the queue has room, since reading bodies that are then rejected makes an overload worse. A request
 * with an Idempotency-Key proceeds even then: it may only want its answer again.
 * @returns a promise when the rate limit is counted in a store
 * @throws ProblemError 400, 429 or 503, at once or by rejection
 */
export const admit = (
  request: FastifyRequest,
  reply: FastifyReply,
  options: AdmissionOptions,
): Promise<void> | undefined => {
  const charged = options.rateLimiter?.charge(reply, clientOf(request, options));
  if (charged) return charged.then(() => checkRoom(request, options));
  checkRoom(request, options);
  return undefined;
};

const checkRoom = (request: FastifyRequest, options: AdmissionOptions): void => {
  if (request.headers['idempotency-key'] !== undefined) return;
  if (options.keyRequired) throw new ProblemError(problems['idempotency-key-missing']);
  if (options.isFull(clientsOf(request, options))) throw queueFull(request, options);
};

/** Those whose proxy sends no address share one allowance. Principals have other names: theirs contain no space. */
const UNKNOWN_CLIENT = 'unknown client';

type ClientOptions = Pick<AdmissionOptions, 'authentication' | 'clientAddressOf'>;

type Clients = readonly [ClientNetwork, ...ClientNetwork[]];

/** On the request itself, as its identity is: each limit asks for it. */
const CLIENTS = Symbol('clients');
type Counted = IncomingMessage & { [CLIENTS]?: Clients };

/**
 * What a request counts in, the smallest first: its principal or, without one, the networks of its client. Determined once,
 * so only after authentication.
 */
export const clientsOf = ({ raw }: FastifyRequest, options: ClientOptions): Clients =>
  ((raw as Counted)[CLIENTS] ??= determineClients(raw, options));

const determineClients = (
  raw: IncomingMessage,
  { authentication, clientAddressOf }: ClientOptions,
): Clients => {
  const principal = authentication?.identityOf(raw)?.principal;
  if (principal !== undefined) return [{ network: principal, shares: 1 }];
  const address = clientAddressOf(raw);
  return address ? clientNetworks(address) : [{ network: UNKNOWN_CLIENT, shares: 1 }];
};

/** What has a rate limit of its own: a principal or, without one, the client's network. */
export const clientOf = (request: FastifyRequest, options: ClientOptions): string =>
  clientsOf(request, options)[0].network;
