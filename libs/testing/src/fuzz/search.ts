import { seededRandom } from '../seeded-random.ts';
import { Coverage } from './coverage.ts';
import { mutated, wordsOf } from './mutation.ts';
import { DEFAULT_MOST_BYTES, type FuzzTarget, seedsOf } from './target.ts';

export interface SearchOptions {
  readonly seed: number;
  /** inputs to begin with, besides the seeds */
  readonly corpus: readonly Buffer[];
  readonly seconds: number;
  /** called with each input before it is tried */
  readonly onInput?: (input: Buffer) => void;
}

export interface SearchResult {
  /** how many were tried */
  readonly inputs: number;
  /** the shortest of them that run all branches that any of them ran, and behind them those that run one more often */
  readonly kept: readonly Buffer[];
  /** how many branches of the workspace's code ran */
  readonly branches: number;
  /** what broke the property */
  readonly failure?: { readonly input: Buffer; readonly reason: string };
}

/** Branches that any input may run: what parsers do once, whatever they are given. */
const BRANCHES_BESIDES = 10_000;

/** Why a target does not hold for an input; undefined when it does. */
export const reasonOf = async (target: FuzzTarget, input: Buffer): Promise<string | undefined> => {
  try {
    await target.check(input);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
};

/**
 * Tries inputs, each a mutation of one that ran new code, until the property breaks or the time is over.
 * @returns what was tried, and the input that breaks the property, made as short as it gets
 */
export const search = async (target: FuzzTarget, options: SearchOptions): Promise<SearchResult> => {
  const { mostBytes = DEFAULT_MOST_BYTES, branchesPerByte = Infinity } = target;
  const { stackTraceLimit } = Error;
  // Most inputs are rejected, and a stack trace costs more than the parsing.
  Error.stackTraceLimit = 0;
  const random = seededRandom(options.seed);
  const seeds = [...seedsOf(target), ...options.corpus];
  const dictionary = [...wordsOf(seedsOf(target)), ...(target.dictionary ?? [])].map((word) =>
    Buffer.from(word),
  );
  const coverage = new Coverage();
  const kept: Buffer[] = [];
  let inputs = 0;
  /** Tries an input, and keeps it if it runs new code. @returns why the target does not hold for it */
  const attempt = async (input: Buffer): Promise<string | undefined> => {
    options.onInput?.(input);
    inputs += 1;
    coverage.begin();
    const reason = await reasonOf(target, input);
    const { isNew, work } = coverage.end();
    if (isNew) kept.push(input);
    const isTooMuch = work > BRANCHES_BESIDES + branchesPerByte * input.length;
    return reason ?? (isTooMuch ? `${work} branches for ${input.length} bytes` : undefined);
  };
  const pick = (): Buffer => {
    // Those that were found last lead on.
    const from = random() < 0.5 ? 0 : Math.floor(kept.length * 0.8);
    return kept[from + Math.floor(random() * (kept.length - from))]!;
  };
  const next = (): Buffer =>
    seeds[inputs] ?? mutated(random, pick(), { others: kept, dictionary, mostBytes });

  // What a target does once, before its first input, is not the work of that input.
  if (seeds[0]) await reasonOf(target, seeds[0]);
  const end = performance.now() + options.seconds * 1_000;
  let failing: Buffer | undefined;
  while (!failing && (inputs < seeds.length || performance.now() < end)) {
    const input = next();
    if ((await attempt(input)) !== undefined) failing = input;
  }
  const figures = { inputs, branches: coverage.covered };
  const shortest =
    failing && (await shortened(failing, async (shorter) => (await attempt(shorter)) !== undefined));
  Error.stackTraceLimit = stackTraceLimit;
  if (!shortest) return { ...figures, kept: await distilled(target, kept) };
  return {
    ...figures,
    kept: [],
    failure: { input: shortest, reason: (await attempt(shortest)) ?? 'not every time' },
  };
};

/** The shortest inputs that run all branches that the given ones run, and behind them those that run one more often. */
const distilled = async (target: FuzzTarget, inputs: readonly Buffer[]): Promise<Buffer[]> => {
  const coverage = new Coverage();
  const needed: Buffer[] = [];
  const others: Buffer[] = [];
  for (const input of inputs.toSorted((a, b) => a.length - b.length)) {
    const { covered } = coverage;
    coverage.begin();
    await reasonOf(target, input);
    const { isNew } = coverage.end();
    if (coverage.covered > covered) needed.push(input);
    else if (isNew) others.push(input);
  }
  return [...needed, ...others];
};

/** Takes pieces out, large ones first, as long as the rest still fails. */
const shortened = async (input: Buffer, fails: (shorter: Buffer) => Promise<boolean>): Promise<Buffer> => {
  let shortest = input;
  for (let size = Math.ceil(input.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < shortest.length;) {
      const shorter = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + size)]);
      if (await fails(shorter)) shortest = shorter;
      else at += size;
    }
  }
  return shortest;
};
