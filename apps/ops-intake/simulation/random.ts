import { seededRandom } from '@workspace/testing/seeded-random';

/** What a schedule draws from its seed. */
export interface Draw {
  /** a number from `least` to below `most` */
  between(least: number, most: number): number;
  /** a whole number from 0 to below `count` */
  index(count: number): number;
  chance(probability: number): boolean;
  one<Item>(items: readonly Item[]): Item;
  /** Numbers for one part of the schedule: what others draw makes no difference to them. */
  of(part: string): Draw;
}

/** FNV-1a */
const hashOf = (text: string, seed: number): number => {
  let hash = (seed ^ 0x811c9dc5) >>> 0;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
};

export const drawFrom = (seed: number): Draw => {
  const number = seededRandom(seed);
  const index = (count: number): number => Math.floor(number() * count);
  return {
    between: (least, most) => least + number() * (most - least),
    index,
    chance: (probability) => number() < probability,
    one: (items) => items[index(items.length)]!,
    of: (part) => drawFrom(hashOf(part, seed)),
  };
};
