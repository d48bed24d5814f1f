import { type TOptional, type TString, Type } from '@sinclair/typebox';

/** So many requests per period. */
export interface RateLimit {
  readonly requests: number;
  readonly per: Period;
}
export type Period = keyof typeof PERIODS_MS;

const PERIODS_MS = { second: 1_000, minute: 60_000, hour: 3_600_000 } as const;
const GRAMMAR = /^([1-9]\d{0,8})\/(second|minute|hour)$/;

/**
 * The variable that limits clients, to be spread into a service's schema.
 * @param counted what is counted, in the plural: `lookups`
 * @param client who has a limit of its own
 */
export const rateLimitEnv = (
  counted: string,
  client = 'an IPv4 address or an IPv6 /64',
): { RATE_LIMIT: TOptional<TString> } => ({
  RATE_LIMIT: Type.Optional(
    Type.String({
      description: `${counted} per client and second, minute or hour, such as \`100/minute\`; a client is ${client}; 0 or unset means no limit`,
    }),
  ),
});

export interface RateLimitConfig {
  RATE_LIMIT?: string;
}

/** What the schema of `rateLimitEnv` does not check: one sentence for each violation, for `readConfig`. */
export const rateLimitViolations = ({ RATE_LIMIT: text }: RateLimitConfig): string[] => {
  if (text === undefined || text === '0' || GRAMMAR.test(text)) return [];
  const example = /^[1-9]\d{0,8}$/.test(text) ? text : '100';
  return [
    `RATE_LIMIT must be <number>/<second|minute|hour>, such as ${example}/minute, or 0 for no limit, not ${JSON.stringify(text)}`,
  ];
};

/** The limit of a valid configuration; undefined when there is none. */
export const parseRateLimit = ({ RATE_LIMIT: text }: RateLimitConfig): RateLimit | undefined => {
  const [, requests, per] = GRAMMAR.exec(text ?? '') ?? [];
  return requests === undefined ? undefined : { requests: Number(requests), per: per as Period };
};

interface Bucket {
  tokens: number;
  /** milliseconds since the epoch at which it held them */
  at: number;
}

/** Rounding must cost a client neither its last token nor a millisecond. */
const EPSILON = 1e-6;

/**
 * A token bucket per client. A client may use the whole allowance at once; it then refills evenly over the period.
 * `100/second` and `6000/minute` are the same rate, with bursts of 100 and 6000.
 */
export class RateLimiter {
  readonly limit: RateLimit;
  /** the client seen longest ago comes first */
  readonly #buckets = new Map<string, Bucket>();
  readonly #tokensPerMs: number;
  readonly #maxClients: number;

  /** @param maxClients clients remembered; beyond that, the client seen longest ago starts with a full bucket again */
  constructor(limit: RateLimit, maxClients = 100_000) {
    this.limit = limit;
    this.#tokensPerMs = limit.requests / PERIODS_MS[limit.per];
    this.#maxClients = maxClients;
  }

  /**
   * Takes `cost` tokens from a client's bucket if it has them.
   * @param client a principal, or what `clientNetwork` returns
   * @returns 0 when the request may proceed; otherwise the milliseconds to wait, Infinity when `cost` exceeds the limit
   */
  take(client: string, now: Date, cost = 1): number {
    const bucket = this.#bucketOf(client, now.getTime());
    const missing = cost - bucket.tokens;
    if (missing <= EPSILON) {
      bucket.tokens = Math.max(0, -missing);
      return 0;
    }
    if (cost > this.limit.requests) return Infinity;
    return Math.max(1, Math.ceil(missing / this.#tokensPerMs - EPSILON));
  }

  #bucketOf(client: string, time: number): Bucket {
    let bucket = this.#buckets.get(client);
    if (bucket) {
      this.#buckets.delete(client);
      const refill = Math.max(0, time - bucket.at) * this.#tokensPerMs;
      bucket.tokens = Math.min(this.limit.requests, bucket.tokens + refill);
      bucket.at = time;
    } else {
      if (this.#buckets.size >= this.#maxClients) this.#buckets.delete(this.#buckets.keys().next().value!);
      bucket = { tokens: this.limit.requests, at: time };
    }
    this.#buckets.set(client, bucket);
    return bucket;
  }
}
