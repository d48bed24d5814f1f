import type { SourceChange } from '../source-changes.ts';

/** A parser, and what holds for whatever it is given. */
export interface FuzzTarget {
  /** what is parsed; the name of its corpus file too */
  readonly name: string;
  /** what holds for every input, as a sentence */
  readonly property: string;
  /** ordinary inputs to begin with */
  readonly seeds: readonly (string | Uint8Array)[];
  /** what mutations put in, besides pieces of the seeds */
  readonly dictionary?: readonly string[];
  /** 512 when left out */
  readonly mostBytes?: number;
  /**
   * Branches of the workspace's code that an input may run for each of its bytes, and 10,000 besides: a bound of its time
   * that no machine changes. What V8 does in one call, such as a regular expression, is not counted.
   */
  readonly branchesPerByte?: number;
  /** changes that break the property; `--planted` shows that each of them is found */
  readonly planted: readonly SourceChange[];
  /** @throws when the property does not hold */
  readonly check: (input: Buffer) => void | Promise<void>;
}

export const DEFAULT_MOST_BYTES = 512;

/** Seeds as bytes; text is UTF-8. */
export const seedsOf = ({ seeds }: Pick<FuzzTarget, 'seeds'>): Buffer[] =>
  seeds.map((seed) => Buffer.from(seed as string));
