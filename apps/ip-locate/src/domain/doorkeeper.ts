/**
 * Tells who was here lately. Of random addresses most never come again: keeping only what comes for the second time
 * saves the memory, the garbage collector's work, and what was kept before.
 */
export class Doorkeeper {
  /** the last one seen in each slot */
  readonly #seen: Uint32Array;
  readonly #shift: number;

  /** @param guests about how many to know at a time; sixteen to thirty two bytes each */
  constructor(guests: number) {
    const bits = Math.ceil(Math.log2(4 * guests));
    this.#seen = new Uint32Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  /**
   * Whether it was here lately; now and then a stranger with the same number is taken for it.
   * @param number any 32 bits that tell one from another
   */
  knows(number: number): boolean {
    const slot = mixed(number) >>> this.#shift;
    const known = this.#seen[slot] === number >>> 0;
    this.#seen[slot] = number;
    return known;
  }
}

/** Any change of a bit changes half of all bits (the finalizer of MurmurHash3): neighbours go to slots far apart. */
function mixed(number: number): number {
  const once = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}
