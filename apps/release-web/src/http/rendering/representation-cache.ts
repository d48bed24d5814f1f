import { LRUCache } from 'lru-cache';
import type { Representation } from './representation.ts';
import { isoDate, parseIsoDate } from '@workspace/release-catalogue';

/** Beside its plain body a representation keeps two compressed ones, which together are smaller than it. */
const BYTES_PER_BYTE = 2;

/**
 * Remembers representations that depend on parameters, up to a number of bytes; those not asked for longest go first.
 * Keys have to be canonical: two ways to ask for the same have one key. What does not exist is never remembered.
 */
export class RepresentationCache {
  readonly #cache: LRUCache<string, Representation>;

  constructor(maxBytes: number) {
    this.#cache = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ size }, key) => size * BYTES_PER_BYTE + key.length,
    });
  }

  /** Bytes in use. */
  get size(): number {
    return this.#cache.calculatedSize;
  }

  /** The representation of that key, built if it is not remembered. */
  get<R extends Representation | undefined>(key: string, build: () => R): R | Representation {
    const known = this.#cache.get(key);
    if (known) return known;
    const built = build();
    if (built) this.#cache.set(key, built);
    return built;
  }

  /** What shows today, rendered once a day with midnight (UTC) as the instant. */
  daily(key: string, now: Date, render: (midnight: Date) => Representation): Representation {
    const date = isoDate(now);
    return this.get(`${key} ${date}`, () => render(parseIsoDate(date)!).today());
  }
}
