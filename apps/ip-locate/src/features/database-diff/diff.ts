import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataOptionContext } from '../../cli/data-option.ts';
import { progressLine } from '../../cli/progress.ts';
import { compare, type ComparedNetwork } from './compare.ts';
import { type Decisions, readRules } from './rules.ts';
import { isMoved, isSame, Totals } from './totals.ts';

/** Blocks of 16 bits: of IPv4, and of 2000::/3. Between two of them the event loop turns, so that Ctrl-C ends a walk. */
const TOTAL_BLOCKS = 65_536 + 8_192;

/**
 * Compares files.
 * @param ruleFiles access rules, and the lists that they name
 * @param found called for each block that moves, or about which the rules decide otherwise, in order; waited for
 * @throws UnusableFiles, UsageError, or the error of a file that cannot be read
 */
export const diff = async (
  paths: Readonly<Record<'old' | 'now', readonly string[]>>,
  ruleFiles: readonly string[] | undefined,
  { terminal, open }: Pick<DataOptionContext, 'terminal' | 'open'>,
  found: (network: ComparedNetwork, decisions?: Decisions) => Promise<void> | void = () => undefined,
): Promise<Totals> => {
  const sides = await Promise.all(
    [paths.old, paths.now].map((side) => Promise.all(side.map((path) => open(path)))),
  );
  // What one side does not tell is not what the other has changed.
  const common = (['location', 'operator'] as const).filter((model) =>
    sides.every((side) => side.some((file) => file.model === model)),
  );
  const rules = ruleFiles && (await readRules(ruleFiles, common));
  const progress = progressLine('compared', terminal.progress, ['blocks', 1]);
  const totals = new Totals();
  for (const family of [4, 6] as const) {
    const [old, now] = sides.map((side) => side.filter(({ families }) => families.includes(family)));
    if (old!.length + now!.length === 0) continue;
    const first = family === 4 ? 0 : 65_536 - 0x2000;
    let block = -1;
    for (const network of compare(family, old!, now!, rules?.named)) {
      const at = (network.bytes[0]! << 8) | network.bytes[1]!;
      if (at !== block) {
        block = at;
        progress.update(first + at, TOTAL_BLOCKS);
        await nextTurn();
      }
      const decisions = isSame(network.old, network.now) ? undefined : rules?.changes(network);
      totals.add(network, decisions);
      if (decisions || isMoved(network.old, network.now)) await found(network, decisions);
    }
  }
  progress.update(TOTAL_BLOCKS, TOTAL_BLOCKS);
  progress.end();
  return totals;
};
