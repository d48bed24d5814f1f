import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataOptionContext } from '../../cli/data-option.ts';
import type { ProgressLine } from '../../cli/progress.ts';
import { compare, type ComparedNetwork } from './compare.ts';
import { type ComparedFile, FactsTable, isMoved, comparedFile } from './facts.ts';
import { type Decided, readRules, type RuleChanges } from './rule-changes.ts';
import { Totals } from './totals.ts';

/** Two versions of the data. */
export interface Versions {
  readonly old: readonly ComparedFile[];
  readonly now: readonly ComparedFile[];
  readonly table: FactsTable;
  readonly rules: RuleChanges | undefined;
}

/** Opens both sides. @throws UnusableFiles, UsageError, or the error of a file that cannot be read */
export const openVersions = async (
  old: readonly string[],
  now: readonly string[],
  rules: readonly string[] | undefined,
  open: DataOptionContext['open'],
): Promise<Versions> => {
  const facts = new FactsTable();
  const load = async (path: string) => comparedFile(await open(path), facts);
  const sides = { old: await Promise.all(old.map(load)), now: await Promise.all(now.map(load)) };
  // What one side does not tell is not what the other has changed.
  const common =
    rules &&
    (['location', 'operator'] as const).filter((model) =>
      [sides.old, sides.now].every((side) => side.some((file) => file.model === model)),
    );
  return {
    ...sides,
    table: facts,
    rules:
      rules &&
      (await readRules(
        rules,
        common!.map((model) => ({ model })),
      )),
  };
};

/** A block that moves, or about which rules decide otherwise. */
export type Difference = Pick<Decided, 'network'> & Partial<Decided>;

/** Blocks of 16 bits: of IPv4, and of 2000::/3. Between two of them the event loop turns, so that Ctrl-C ends a walk. */
const TOTAL_BLOCKS = 65_536 + 8_192;

/** Walks both versions. @param found called for each difference, in order; waited for */
export const diff = async (
  { old, now, table, rules }: Versions,
  progress: ProgressLine,
  found: (difference: Difference) => Promise<void> | void,
): Promise<Totals> => {
  const totals = new Totals();
  for (const family of [4, 6] as const) {
    const first = family === 4 ? 0 : 65_536 - 0x2000;
    let block = -1;
    for (const network of compare(family, old, now, table)) {
      const at = (network.bytes[0]! << 8) | network.bytes[1]!;
      if (at !== block) {
        block = at;
        progress.update(first + at, TOTAL_BLOCKS);
        await nextTurn();
      }
      totals.add(network);
      if (network.old !== network.now) await differences(network, rules, totals, found);
    }
  }
  progress.update(TOTAL_BLOCKS, TOTAL_BLOCKS);
  progress.end();
  return totals;
};

const differences = async (
  network: ComparedNetwork,
  rules: RuleChanges | undefined,
  totals: Totals,
  found: (difference: Difference) => Promise<void> | void,
): Promise<void> => {
  const moved = isMoved(network.old, network.now);
  if (!rules) {
    if (moved) await found({ network });
    return;
  }
  for (const decided of rules.decide(network)) {
    const isOther = decided.old.outcome !== decided.now.outcome;
    if (isOther) totals.addDecision(decided.network, decided.old, decided.now);
    if (isOther) await found(decided);
    else if (moved) await found({ network: decided.network });
  }
};
