import type { Address } from './address.ts';
import { firstOf } from './network.ts';
import { TwoGenerationCache } from './two-generation-cache.ts';

const WINDOW_MS = 60_000;
/** Callers remembered; more than that within a minute, and the longest silent ones start anew. */
const CALLERS = 200_000;

/** Counts what each caller takes in the current minute. */
export class RateLimiter {
  readonly #perMinute: number;
  #window = 0;
  #taken = new TwoGenerationCache<string, number>(CALLERS);

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /**
   * Takes `cost` lookups for a caller, unless that would be more than the minute allows.
   * @returns seconds until the next minute when it would, else 0
   */
  take(caller: Address, cost: number, now: Date): number {
    const window = Math.floor(now.getTime() / WINDOW_MS);
    if (window !== this.#window) {
      this.#window = window;
      this.#taken = new TwoGenerationCache(CALLERS);
    }
    const key = keyOf(caller);
    const taken = (this.#taken.get(key) ?? 0) + cost;
    if (taken > this.#perMinute) return Math.ceil(((window + 1) * WINDOW_MS - now.getTime()) / 1000);
    this.#taken.set(key, taken);
    return 0;
  }
}

/** One household has a /64 of IPv6 addresses and can use a new one for every request. */
const keyOf = (caller: Address): string => (caller.family === 4 ? caller : firstOf(caller, 64)).text;
