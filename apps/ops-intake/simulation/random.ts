import { seededRandom } from '../test/seeded-random.ts';

/** What a schedule draws from its seed. */
export interface Draw {
  /** a number in [0, 1) */
  number(): number;
  /** a number from `least` to below `most` */
  between(least: number, most: number): number;
  /** a whole number from 0 to below `count` */
  index(count: number): number;
  chance(probability: number): boolean;
  one<Item>(items: readonly Item[]): Item;
}

export const drawFrom = (seed: number): Draw => {
  const number = seededRandom(seed);
  const index = (count: number): number => Math.floor(number() * count);
  return {
    number,
    between: (least, most) => least + number() * (most - least),
    index,
    chance: (probability) => number() < probability,
    one: (items) => items[index(items.length)]!,
  };
};
