import { TwoGenerationCache } from '../domain/two-generation-cache.ts';

/** Values kept decoded: blocks share records, records share names, and the shared ones come up again and again. */
const KEPT = 20_000;
/** A power of two; a few times as many as are kept. */
const REMEMBERED = 1 << 16;

/**
 * The reader's cache of decoded values by their place in the file. It keeps what it is given for the second time: of
 * random addresses most records are never asked for again, and keeping them only makes work for the garbage collector
 * (a quarter of a lookup's time).
 */
export class DecodedValues {
  readonly #kept = new TwoGenerationCache<number | string, unknown>(KEPT);
  /** the last place seen in each slot */
  readonly #seen = new Float64Array(REMEMBERED);

  get(place: number | string): unknown {
    return this.#kept.get(place);
  }

  set(place: number | string, value: unknown): void {
    const number = Number(place);
    const slot = number & (REMEMBERED - 1);
    if (this.#seen[slot] === number) this.#kept.set(place, value);
    else this.#seen[slot] = number;
  }
}
