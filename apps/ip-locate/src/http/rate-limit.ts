import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import type { ApiKey } from '@workspace/service-kit/access-tokens';
import { clientNetworks } from '@workspace/service-kit/client-address';
import type { ProblemType } from '@workspace/service-kit/problems';
import {
  RATE_LIMIT_HEADERS,
  type RateLimit,
  RateLimiter,
  type RateLimitStore,
} from '@workspace/service-kit/rate-limit';
import type { Clock } from '@workspace/service-process';
import type { Address } from '@workspace/ip-addresses';
import type { Precision } from '../application/locate.ts';
import { hostAddress } from '../domain/special-ranges.ts';
import { problems } from '../problems.ts';
import type { Lookup } from './lookup/lookup.ts';

/** Who has an API key. */
export interface ApiKeyAccess {
  readonly required: boolean;
  /**
   * The key of a request; undefined when it has none and needs none.
   * @throws ProblemError for an unknown key, or one that is missing
   */
  keyOf(request: FastifyRequest): ApiKey | undefined;
  /** The key in the query of a URL. */
  inQuery(query: unknown): string | undefined;
  /** whether keys get other answers than requests without a key, or than each other */
  answersVary(): boolean;
  /** the problems that `keyOf` throws */
  readonly problems: readonly ProblemType[];
  /** the ways to send a key, as OpenAPI writes them */
  readonly schemes: Readonly<Record<string, object>>;
}

/** The precision of the answer to a request, once the request has been charged. */
export type PrecisionOf = (request: FastifyRequest) => Precision;

export interface ChargesDeps {
  readonly lookup: Lookup;
  readonly clock: Clock;
  /** of a client without an API key, and of keys without a limit of their own; no limit when left out */
  readonly limit?: RateLimit | undefined;
  readonly apiKeys?: ApiKeyAccess | undefined;
  /** counts for all instances */
  readonly store?: RateLimitStore | undefined;
}

/** The hooks of a route that charges for lookups: one for each request, unless `costOf` says otherwise; undefined needs no key. */
export type ChargeLookups = (costOf?: (request: FastifyRequest) => number | undefined) => {
  preHandler?: preHandlerHookHandler[];
  onSend?: onSendHookHandler[];
};

/**
 * Charges for lines of a stream that has begun to be answered.
 * @throws ProblemError 401, 403 or 429, at once or by rejection
 */
export type ChargeLines = (
  request: FastifyRequest,
  reply: FastifyReply,
  lines: number,
) => Promise<void> | undefined;

/** Charges lookups to the API key of a request or, when it has none, to the client's network. */
export class Charges {
  readonly #deps: ChargesDeps;
  /** by limit: most keys share a few */
  readonly #limiters = new Map<string, RateLimiter>();
  readonly #keys = new WeakMap<FastifyRequest, ApiKey>();

  constructor(deps: ChargesDeps) {
    this.#deps = deps;
  }

  /**
   * How many lookups the key of a request has left; undefined without a key.
   * @throws ProblemError 401, 403 or 429, by rejection, for a key that is wrong or missing
   */
  readonly available = async (request: FastifyRequest, reply: FastifyReply): Promise<number | undefined> => {
    const { limit: common, apiKeys } = this.#deps;
    let key: ApiKey | undefined;
    try {
      key = apiKeys?.keyOf(request);
    } catch (error) {
      return this.#failed(request, reply, error);
    }
    if (!key) return undefined;
    this.#keys.set(request, key);
    const limit = key.limit ?? common;
    return limit === undefined || limit === 'unlimited'
      ? Infinity
      : this.#limiter(limit).available(keyClient(key));
  };

  /** The hooks of a route; none when there is neither a limit nor a key. */
  readonly hooks: ChargeLookups = (costOf = () => 1) => {
    const { limit, apiKeys } = this.#deps;
    if (limit === undefined && apiKeys === undefined) return {};
    const charge: preHandlerHookHandler = (request, reply, done) => {
      const cost = costOf(request);
      const charged = cost === undefined ? undefined : this.lines(request, reply, cost);
      if (charged) charged.then(() => done(), done);
      else done();
    };
    return { preHandler: [charge], ...(apiKeys && { onSend: [this.#keepPrivate] }) };
  };

  /** Charges for so many lookups. */
  readonly lines: ChargeLines = (request, reply, lookups) => {
    const { lookup, limit: common, apiKeys } = this.#deps;
    let key: ApiKey | undefined;
    try {
      key = apiKeys?.keyOf(request);
    } catch (error) {
      return this.#failed(request, reply, error);
    }
    if (key) this.#keys.set(request, key);
    const limit = key?.limit ?? common;
    if (limit === undefined || limit === 'unlimited') return undefined;
    if (key) return this.#limiter(limit).charge(reply, keyClient(key), lookups);
    return this.#chargeAddress(reply, lookup.callerAddress(request), { limit, cost: lookups });
  };

  /** The most lookups of one charge. The API key of the request is known once it was charged, if only for 0. */
  readonly largest = (request: FastifyRequest): number => {
    const limit = this.keyOf(request)?.limit ?? this.#deps.limit;
    return typeof limit === 'object' ? limit.requests : Infinity;
  };

  /** Rejects a request without a valid key, and counts it by address: whoever guesses keys must not guess many. */
  #failed(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<never> {
    const address = this.#deps.lookup.callerAddress(request);
    const charged = this.#chargeAddress(reply, address, { limit: FAILURES, cost: 1, counted: 'failed:' });
    if (charged) return charged.then(() => Promise.reject(error as Error));
    throw error;
  }

  /** Charges the networks that an address is in, the smallest first. The answer shows its limit, or the one that rejects the request. */
  #chargeAddress(
    reply: FastifyReply,
    address: Address,
    { limit, cost, counted = '' }: { limit: RateLimit; cost: number; counted?: string },
  ): Promise<void> | undefined {
    let charged: Promise<void> | undefined;
    for (const { network, shares } of clientNetworks(hostAddress(address))) {
      const limiter = this.#limiter({ ...limit, requests: limit.requests * shares });
      const charge = () => limiter.charge(shares === 1 ? reply : undefined, counted + network, cost);
      charged = charged ? charged.then(charge) : charge();
    }
    return charged;
  }

  /** The key that a request has been charged to; undefined when it had none. */
  keyOf(request: FastifyRequest): ApiKey | undefined {
    return this.#keys.get(request);
  }

  /**
   * An answer to a request with a key is for clients with the key: a shared cache must not hand it out, nor keep the key in
   * the URL it stores it under. What may be stored by all was asked for without a key, and is the same with a key unless
   * keys have a precision of their own: then caches compare the headers with keys, too.
   */
  readonly #keepPrivate: onSendHookHandler = (request, reply, payload, done) => {
    const cacheControl = String(reply.getHeader('cache-control') ?? '');
    if (this.#keys.has(request) && cacheControl.startsWith('public')) {
      void reply.header('cache-control', cacheControl.replace('public', 'private'));
    }
    if (this.#deps.apiKeys?.answersVary() && cacheControl.includes('max-age')) {
      const vary = reply.getHeader('vary');
      void reply.header('vary', vary === undefined ? KEY_HEADERS : `${String(vary)}, ${KEY_HEADERS}`);
    }
    done(null, payload);
  };

  #limiter(limit: RateLimit): RateLimiter {
    const { clock, store } = this.#deps;
    const name = `${limit.requests}/${limit.per}`;
    let limiter = this.#limiters.get(name);
    if (!limiter) {
      limiter = new RateLimiter({
        limit,
        counted: 'lookups',
        problem: problems['rate-limited'],
        clock,
        store,
      });
      this.#limiters.set(name, limiter);
    }
    return limiter;
  }
}

/** What lookups with a key are charged to. No address begins like this. */
const keyClient = ({ name }: ApiKey): string => `key:${name}`;

/** Of requests with a wrong key, or without the key that they need, from one client. */
const FAILURES: RateLimit = { requests: 60, per: 'minute' };

/** The headers that may have a key; a key in the URL is in a cache's key anyway. */
const KEY_HEADERS = 'authorization, x-api-key';

/** What the description of a request that is charged depends on. */
export interface ChargeFacts {
  readonly withRateLimit: boolean;
  readonly apiKeys: Pick<ApiKeyAccess, 'required' | 'problems' | 'schemes'> | undefined;
}

/** What a request that is charged may be answered instead. */
export const chargeProblems = ({ withRateLimit, apiKeys }: ChargeFacts): ProblemType[] => [
  ...(apiKeys?.problems ?? []),
  ...(withRateLimit ? [problems['rate-limited']] : []),
];

/** The ways to send an API key, for the description of a request that is charged. */
export const chargeSecurity = ({ apiKeys }: ChargeFacts): { security?: Record<string, string[]>[] } => {
  if (apiKeys === undefined) return {};
  const schemes = Object.keys(apiKeys.schemes).map((name) => ({ [name]: [] }));
  return { security: apiKeys.required ? schemes : [{}, ...schemes] };
};

/** The headers of a successful answer that is charged. */
export const limitHeaders = ({ withRateLimit }: ChargeFacts) => (withRateLimit ? RATE_LIMIT_HEADERS : {});
