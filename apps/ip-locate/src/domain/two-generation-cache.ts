/**
 * A bounded cache: what was used lately stays. Two maps instead of a list in order of use: a full young map becomes
 * the old one, and what is found in the old one moves up. A hit costs one lookup, nothing is ever sorted.
 */
export class TwoGenerationCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  readonly #half: number;

  /** @param limit most entries held at a time */
  constructor(limit: number) {
    this.#half = Math.max(1, Math.floor(limit / 2));
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
