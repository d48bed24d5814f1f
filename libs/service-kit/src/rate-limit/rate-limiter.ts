import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { ProblemError, type ProblemType } from '../problems/problem-error.ts';
import { PERIODS_MS, type RateLimit } from './rate-limit-setting.ts';
import { TokenBuckets } from './token-buckets.ts';

/** Buckets that all instances of a service share. */
export interface RateLimitStore {
  /**
   * Takes `cost` tokens from a client's bucket if it has them.
   * @param limit of this client, which decides how large the bucket is and how fast it refills
   * @returns the balance as `TokenBuckets.take` does; undefined when the store cannot be asked. It never rejects.
   */
  take(client: string, cost: number, limit: RateLimit): Promise<number | undefined>;
  close(): void;
}

export interface RateLimiterOptions {
  readonly limit: RateLimit;
  /** what is counted, in the plural: `lookups` */
  readonly counted: string;
  /** answers a client that exceeds the limit (429) */
  readonly problem: ProblemType;
  readonly clock: () => Date;
  /** when left out, this instance counts for itself */
  readonly store?: RateLimitStore | undefined;
}

/** The headers that a limited service adds to its answers, for their descriptions. */
export const RATE_LIMIT_HEADERS: Readonly<Record<string, TSchema>> = {
  RateLimit: Type.String({
    description: 'what is left: r requests now, and all of them again in t seconds',
    examples: ['"lookups";r=58;t=2'],
  }),
  'RateLimit-Policy': Type.String({
    description: 'the limit: q requests in w seconds',
    examples: ['"lookups";q=60;w=60'],
  }),
};

/**
 * Limits what each client may ask for. Every charged request is answered with the headers RateLimit and
 * RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-11), one beyond the limit with 429 and Retry-After.
 *
 * With a store, a request is first charged to this instance's own bucket, which holds what the store said last and
 * never has fewer tokens than the store's. A client that floods is therefore rejected here without asking the store;
 * and while the store does not answer, this instance limits by its own buckets.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #buckets: TokenBuckets;
  readonly #policy: string;

  constructor(options: RateLimiterOptions) {
    const { limit, counted } = options;
    this.#options = options;
    this.#buckets = new TokenBuckets(limit);
    this.#policy = `"${counted}";q=${limit.requests};w=${PERIODS_MS[limit.per] / 1_000}`;
  }

  /**
   * Charges a client for what it asks for.
   * @param reply gets the headers; undefined where another limit is the one to be shown, unless this one rejects the request
   * @param client a principal, or what `clientNetwork` returns
   * @param charged what the same request was charged before, and will be again when it is repeated
   * @returns a promise when the store has to be asked
   * @throws ProblemError 429, at once or by rejection; a charge is taken as a whole or not at all
   */
  charge(reply: FastifyReply | undefined, client: string, cost = 1, charged = 0): Promise<void> | undefined {
    const { clock, store, limit } = this.#options;
    const now = clock();
    const balance = this.#buckets.take(client, now, cost);
    if (store === undefined || balance < 0) {
      this.#answer(reply, balance, cost, charged);
      return undefined;
    }
    return store.take(client, cost, limit).then((shared) => {
      if (shared !== undefined) this.#buckets.set(client, now, tokensLeft(shared, cost));
      this.#answer(reply, shared ?? balance, cost, charged);
    });
  }

  /** How much a client may ask for now; nothing is charged. */
  async available(client: string): Promise<number> {
    const { clock, store, limit } = this.#options;
    const own = this.#buckets.take(client, clock(), 0);
    return Math.floor((await store?.take(client, 0, limit)) ?? own);
  }

  #answer(reply: FastifyReply | undefined, balance: number, cost: number, charged: number): void {
    const { limit, counted, problem } = this.#options;
    const tokens = tokensLeft(balance, cost);
    const fullInSeconds = this.#seconds(limit.requests - tokens);
    const shown = {
      'ratelimit-policy': this.#policy,
      ratelimit: `"${counted}";r=${Math.floor(tokens)};t=${fullInSeconds}`,
    };
    if (balance >= 0) {
      void reply?.headers(shown);
      return;
    }
    const detail = `At most ${limit.requests} ${counted} per ${limit.per} are accepted from one client`;
    throw new ProblemError(
      problem,
      cost + charged > limit.requests
        ? { detail: `${detail}, so a request for ${cost + charged} never is.`, headers: shown }
        : {
            detail: `${detail}.`,
            headers: { ...shown, 'retry-after': String(this.#seconds(charged - balance)) },
          },
    );
  }

  /** Until a bucket has so many more tokens. */
  #seconds(tokens: number): number {
    return Math.ceil(this.#buckets.waitMs(tokens) / 1_000);
  }
}

/** What is in a bucket after a request: a rejected one took nothing. */
const tokensLeft = (balance: number, cost: number): number => (balance < 0 ? balance + cost : balance);

/**
 * A hook that charges the client of each request before the handler runs.
 * @param costOf how much a request asks for; 0 is not charged
 */
export const rateLimitHook =
  (
    limiter: RateLimiter,
    clientOf: (request: FastifyRequest) => string,
    costOf: (request: FastifyRequest) => number = () => 1,
  ): preHandlerHookHandler =>
  (request, reply, done) => {
    const cost = costOf(request);
    const asked = cost === 0 ? undefined : limiter.charge(reply, clientOf(request), cost);
    if (asked) asked.then(() => done(), done);
    else done();
  };
