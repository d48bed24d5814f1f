import type { FuzzTarget } from '../src/fuzz/index.ts';
import { endsNever, findsWord, takesSquareTime } from './toy-parsers.ts';

const target = (
  name: string,
  parse: (text: string) => unknown,
  more: Partial<FuzzTarget> = {},
): FuzzTarget => ({
  name,
  property: 'it ends',
  seeds: ['fine'],
  planted: [],
  check: (input) => void parse(input.toString()),
  ...more,
});

/** What the engine's own test lets it find: `test/fuzz.test.ts`. */
export const targets = [
  target('word', findsWord),
  target('endless', endsNever),
  target('square', takesSquareTime, { branchesPerByte: 100, mostBytes: 1_000 }),
  target('sound', (text) => text.trim()),
];
