import { Doorkeeper } from '../domain/doorkeeper.ts';
import { TwoGenerationCache } from '../domain/two-generation-cache.ts';

/** Countries and regions in eight languages, some 2 kB each. */
const KEPT = 5_000;

/** The reader's cache of decoded values by their place in the file: thousands of cities share countries and regions. */
export class DecodedValues {
  readonly #kept = new TwoGenerationCache<number | string, unknown>(KEPT);
  readonly #doorkeeper = new Doorkeeper(KEPT);

  get(place: number | string): unknown {
    return this.#kept.get(place);
  }

  set(place: number | string, value: unknown): void {
    if (this.#doorkeeper.knows(Number(place))) this.#kept.set(place, value);
  }
}
