import { LRUCache } from 'lru-cache';

/** About 400 bytes each. */
const MAX_ANSWERS = 10_000;
/** Answers for longer URLs are not kept. */
const MAX_URL_LENGTH = 256;
/** Hashes of requests; a power of two. */
const HASHES = 1 << 14;

/** An answer that anyone may store, until the databases change. */
export interface ValidatedAnswer {
  /** with a validator: `etag` */
  readonly headers: Readonly<Record<string, string>>;
  /** the same, names and values in turns */
  readonly list: readonly string[];
  readonly body: string;
}

/**
 * Answers that were asked for twice. Visitors of a site come again soon, but the addresses of a log file never do;
 * keeping their answers would only make garbage. So a first request leaves no more than its hash.
 */
export class RepeatedAnswers {
  readonly #answers = new LRUCache<string, ValidatedAnswer>({ max: MAX_ANSWERS });
  readonly #hashes = new Int32Array(HASHES);

  /**
   * The key of a request, if the same request was made before, not too many others ago.
   * @param variant which of the answers of a URL the request gets: by `Accept`, or by API key
   */
  keyOf(variant: string, url: string): string | undefined {
    if (url.length > MAX_URL_LENGTH) return undefined;
    const hash = fnv1a(url, fnv1a(variant));
    const slot = hash & (HASHES - 1);
    if (this.#hashes[slot] === hash) return `${variant}${url}`;
    this.#hashes[slot] = hash;
    return undefined;
  }

  get(key: string): ValidatedAnswer | undefined {
    return this.#answers.get(key);
  }

  set(key: string, answer: ValidatedAnswer): void {
    this.#answers.set(key, answer);
  }
}

/** Hash of a string (Fowler, Noll and Vo, http://www.isthe.com/chongo/tech/comp/fnv/), 32 bits. */
const fnv1a = (text: string, start = 0x811c9dc5): number => {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
};
