import type { Decision } from '../../domain/access/rules.ts';
import { type Facts, NOTHING } from '../../cli/data-option.ts';
import type { ComparedNetwork } from './compare.ts';
import type { Decisions } from './rules.ts';

const FAMILIES = [4, 6] as const;
const UNITS = { 4: 'IPv4 addresses', 6: 'IPv6 /48s' } as const;

/** Whether an address moves: whether its country, its region or its operator is another. */
export const isMoved = (old: Facts, now: Facts): boolean =>
  old.country !== now.country || old.region !== now.region || old.asn !== now.asn;

export const isSame = (old: Facts, now: Facts): boolean =>
  old === now || (!isMoved(old, now) && old.continent === now.continent && old.inEu === now.inEu);

/** IPv4 addresses and IPv6 /48s: the sizes in which networks are handed out. A smaller block is a part of a /48. */
class Counts {
  4 = 0;
  6 = 0;

  add({ family, length }: ComparedNetwork): void {
    this[family] += 2 ** ((family === 4 ? 32 : 48) - length);
  }
}

/** Counts by name. */
class Table extends Map<string, Counts> {
  add(name: string, network: ComparedNetwork): void {
    if (!this.has(name)) this.set(name, new Counts());
    this.get(name)!.add(network);
  }

  /** The largest first. */
  *lines(title: string): Generator<string> {
    if (this.size > 0) yield title;
    for (const [name, counts] of [...this].sort(([, a], [, b]) => b[4] - a[4] || b[6] - a[6])) {
      const parts = FAMILIES.filter((family) => counts[family] > 0);
      yield `  ${name}: ${parts.map((family) => `${number(counts[family])} ${UNITS[family]}`).join(', ')}`;
    }
  }
}

/** What two versions have in common and what not, in numbers. */
export class Totals {
  /** that either side knows */
  readonly known = new Counts();
  readonly moved = new Counts();
  /** about which rules decide otherwise */
  readonly decided = new Counts();
  readonly pairs = new Table();
  readonly decisions = new Table();

  add(network: ComparedNetwork, decisions: Decisions | undefined): void {
    const { old, now } = network;
    if (!isSame(old, NOTHING) || !isSame(now, NOTHING)) this.known.add(network);
    if (isMoved(old, now)) {
      this.moved.add(network);
      const [from, to] = [old.country ?? 'unknown', now.country ?? 'unknown'];
      this.pairs.add(from === to ? `${from}, another region or operator` : `${from} -> ${to}`, network);
    }
    if (!decisions) return;
    this.decided.add(network);
    this.decisions.add(`${textOf(decisions.old)} -> ${textOf(decisions.now)}`, network);
  }

  /** The larger of the shares of both families, from 0 to 1. */
  share(which: 'moved' | 'decided'): number {
    return Math.max(...FAMILIES.map((family) => this[which][family] / (this.known[family] || 1)));
  }

  /** One line for each family: `IPv4 addresses: 1.00 % of 1,000,000 move (10,000)`. */
  *lines(which: 'moved' | 'decided', what: string): Generator<string> {
    for (const family of FAMILIES) {
      const [part, all] = [this[which][family], this.known[family]];
      if (all > 0)
        yield `${UNITS[family]}: ${percent(part / all)} of ${number(all)} ${what} (${number(part)})`;
    }
  }
}

export const textOf = ({ outcome, reason }: Decision): string => `${outcome} (${reason})`;

const number = (value: number): string =>
  value > 0 && value < 0.01 ? '< 0.01' : value.toLocaleString('en', { maximumFractionDigits: 2 });

/** A small share is not nothing. */
export const percent = (share: number): string =>
  share > 0 && share < 0.0001 ? '< 0.01 %' : `${(100 * share).toFixed(2)} %`;
