import { PERIODS_MS, type RateLimit } from './rate-limit-setting.ts';

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
export class TokenBuckets {
  readonly #capacity: number;
  readonly #tokensPerMs: number;
  readonly #maxClients: number;
  /** the client seen longest ago comes first */
  readonly #buckets = new Map<string, Bucket>();

  /** @param maxClients clients remembered; beyond that, the client seen longest ago starts with a full bucket again */
  constructor({ requests, per }: RateLimit, maxClients = 100_000) {
    this.#capacity = requests;
    this.#tokensPerMs = requests / PERIODS_MS[per];
    this.#maxClients = maxClients;
  }

  /**
   * Takes `cost` tokens from a client's bucket if it has them.
   * @returns the balance: the tokens left, or, when the bucket had too few and keeps them, minus the tokens it lacked
   */
  take(client: string, now: Date, cost = 1): number {
    const bucket = this.#bucketOf(client, now.getTime());
    const balance = bucket.tokens - cost;
    if (balance < -EPSILON) return balance;
    return (bucket.tokens = Math.max(0, balance));
  }

  /** Replaces what is known of a client's bucket. */
  set(client: string, now: Date, tokens: number): void {
    this.#bucketOf(client, now.getTime()).tokens = tokens;
  }

  /** Milliseconds until a bucket has so many more tokens; 0 when it needs none. */
  waitMs(tokens: number): number {
    return tokens <= EPSILON ? 0 : Math.max(1, Math.ceil(tokens / this.#tokensPerMs - EPSILON));
  }

  #bucketOf(client: string, time: number): Bucket {
    let bucket = this.#buckets.get(client);
    if (bucket) {
      this.#buckets.delete(client);
      const refill = Math.max(0, time - bucket.at) * this.#tokensPerMs;
      bucket.tokens = Math.min(this.#capacity, bucket.tokens + refill);
      bucket.at = time;
    } else {
      if (this.#buckets.size >= this.#maxClients) this.#buckets.delete(this.#buckets.keys().next().value!);
      bucket = { tokens: this.#capacity, at: time };
    }
    this.#buckets.set(client, bucket);
    return bucket;
  }
}
