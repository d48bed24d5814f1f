/** A power of two: a kept location takes about 500 bytes. */
const SLOTS_BITS = 12;
const SLOTS = 1 << SLOTS_BITS;

/**
 * What was made of the entries that were read twice, each in the one slot that its key has. Addresses never come again in a log
 * file, but cities do: of random addresses, seven in ten lead to an entry that is kept here. What is read once leaves
 * only its key: keeping that, too, would make garbage that lives long.
 */
export class RepeatedEntries<T extends object> {
  /** the last key that came to each slot */
  readonly #seen = new Float64Array(SLOTS);
  /** the key of each slot's value */
  readonly #keys = new Float64Array(SLOTS);
  readonly #values: (T | undefined)[] = Array.from({ length: SLOTS });

  /** @param key an integer above zero */
  get(key: number): T | undefined {
    const slot = slotOf(key);
    return this.#keys[slot] === key ? this.#values[slot] : undefined;
  }

  /** Keeps a value if its key is the last that came to its slot. */
  set(key: number, value: T): void {
    const slot = slotOf(key);
    if (this.#seen[slot] === key) {
      this.#keys[slot] = key;
      this.#values[slot] = value;
    } else this.#seen[slot] = key;
  }
}

/** Neighbours in the file get slots far apart (Fibonacci hashing). */
const slotOf = (key: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - SLOTS_BITS);
