import { seededRandom } from '../seeded-random.ts';
import { mutated, wordsOf } from './mutation.ts';
import { DEFAULT_MOST_BYTES, type FuzzTarget, seedsOf } from './target.ts';

/** Mutations of a target's seeds, and of each other, without regard to what code they run: for programs in other languages. */
export const randomInputs = (
  target: Pick<FuzzTarget, 'seeds' | 'dictionary' | 'mostBytes'>,
  count: number,
  seed: number,
): Buffer[] => {
  const random = seededRandom(seed);
  const { mostBytes = DEFAULT_MOST_BYTES } = target;
  const seeds = seedsOf(target);
  const dictionary = [...wordsOf(seeds), ...(target.dictionary ?? [])].map((word) => Buffer.from(word));
  const inputs = [...seeds];
  while (inputs.length < count) {
    // Half of them from a seed, so that not all drift away from what is valid.
    const among = random() < 0.5 ? seeds.length : inputs.length;
    const input = inputs[Math.floor(random() * among)]!;
    inputs.push(mutated(random, input, { others: seeds, dictionary, mostBytes }));
  }
  return inputs;
};
