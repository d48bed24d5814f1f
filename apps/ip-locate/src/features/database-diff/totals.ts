import type { Decision } from '../../domain/access/rules.ts';
import type { ComparedNetwork } from './compare.ts';
import { NOTHING } from '../../cli/data-option.ts';
import { isMoved } from './facts.ts';

/** IPv4 addresses and IPv6 /48s: the sizes in which networks are handed out. */
export type Counts = Record<4 | 6, number>;

const none = (): Counts => ({ 4: 0, 6: 0 });

/** How many addresses a block is: of IPv6, how many /48s; a smaller block is a part of one. */
export const sizeOf = ({ family, length }: Pick<ComparedNetwork, 'family' | 'length'>): number =>
  2 ** ((family === 4 ? 32 : 48) - length);

/** What two versions have in common and what not, in numbers. */
export class Totals {
  /** that either side knows */
  readonly known = none();
  readonly moved = none();
  /** about which rules decide otherwise */
  readonly decided = none();
  readonly pairs = new Map<string, Counts>();
  readonly decisions = new Map<string, Counts>();

  add(network: ComparedNetwork): void {
    const { family, old, now } = network;
    if (old === NOTHING && now === NOTHING) return;
    const size = sizeOf(network);
    this.known[family] += size;
    if (!isMoved(old, now)) return;
    this.moved[family] += size;
    const [from, to] = [old.country ?? 'unknown', now.country ?? 'unknown'];
    count(this.pairs, from === to ? `${from}, another region or operator` : `${from} -> ${to}`, family, size);
  }

  addDecision(network: ComparedNetwork, old: Decision, now: Decision): void {
    const size = sizeOf(network);
    this.decided[network.family] += size;
    count(this.decisions, `${textOf(old)} -> ${textOf(now)}`, network.family, size);
  }

  /** The larger of the shares of both families, from 0 to 1. */
  share(which: 'moved' | 'decided'): number {
    return Math.max(...([4, 6] as const).map((family) => this[which][family] / (this.known[family] || 1)));
  }

  /** One line for each family: `IPv4 addresses: 1.00 % of 1,000,000 moved (10,000)`. */
  *lines(which: 'moved' | 'decided', what: string): Generator<string> {
    for (const family of [4, 6] as const) {
      const [part, all] = [this[which][family], this.known[family]];
      if (all > 0)
        yield `${UNITS[family]}: ${percent(part / all)} of ${number(all)} ${what} (${number(part)})`;
    }
  }
}

export const textOf = ({ outcome, reason }: Decision): string => `${outcome} (${reason})`;

const UNITS = { 4: 'IPv4 addresses', 6: 'IPv6 /48s' } as const;

const number = (value: number): string =>
  value > 0 && value < 0.01 ? '< 0.01' : value.toLocaleString('en', { maximumFractionDigits: 2 });

/** A small share is not nothing. */
export const percent = (share: number): string =>
  share > 0 && share < 0.0001 ? '< 0.01 %' : `${(100 * share).toFixed(2)} %`;

const count = (counts: Map<string, Counts>, name: string, family: 4 | 6, size: number): void => {
  const known = counts.get(name) ?? none();
  known[family] += size;
  counts.set(name, known);
};

/** Counts by name, the largest first. */
export function* table(counts: ReadonlyMap<string, Counts>): Generator<string> {
  const rows = [...counts].sort(([, a], [, b]) => b[4] - a[4] || b[6] - a[6]);
  for (const [name, { 4: addresses, 6: blocks }] of rows) {
    const parts = [
      ...(addresses > 0 ? [`${number(addresses)} ${UNITS[4]}`] : []),
      ...(blocks > 0 ? [`${number(blocks)} ${UNITS[6]}`] : []),
    ];
    yield `  ${name}: ${parts.join(', ')}`;
  }
}
