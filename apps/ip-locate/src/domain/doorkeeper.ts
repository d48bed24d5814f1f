/** A power of two; some times as many as caches hold, 256 kB. */
const SLOTS = 1 << 16;

/**
 * Tells who was here lately. Of random addresses most never come again: keeping only what comes for the second time
 * saves the memory, the garbage collector's work, and what was kept before.
 */
export class Doorkeeper {
  /** the last one seen in each slot */
  readonly #seen = new Uint32Array(SLOTS);

  /**
   * Whether it was here lately; now and then a stranger with the same number is taken for it.
   * @param number any 32 bits that tell one from another
   */
  knows(number: number): boolean {
    const slot = (number ^ (number >>> 16)) & (SLOTS - 1);
    const known = this.#seen[slot] === number >>> 0;
    this.#seen[slot] = number;
    return known;
  }
}
