import type { Address } from '@workspace/ip-addresses';
import { NetworkSet } from './network-set.ts';
import type { Term } from './term.ts';

/** What rules know of a caller; what is null or undefined matches no term. */
export interface Caller {
  /** undefined when it could not be determined */
  readonly address: Address | undefined;
  /** whether the address is in a reserved range, and so has no location */
  readonly isPrivate: boolean;
  readonly country: string | null;
  readonly continent: string | null;
  readonly asn: number | null;
  /** the value of a field that is true or false */
  readonly flag: (name: string) => boolean | null;
}

export type Action = 'allow' | 'deny';

/** An action for callers that one of the terms matches. */
export interface Rule {
  readonly action: Action;
  readonly terms: readonly Term[];
  /** where it was written, for the reason of a decision: `line 3` */
  readonly origin?: string;
}

export interface Decision {
  /** `would-deny` in a dry run: the caller is admitted */
  readonly outcome: 'allow' | 'deny' | 'would-deny';
  /** the rule and the term that decided: `line 3: deny RU` */
  readonly reason: string;
}

/** Networks by the name of their list. */
export type NetworkLists = ReadonlyMap<string, NetworkSet>;

/** What decides when no rule matches. */
const NO_RULE: Decision = Object.freeze({ outcome: 'allow', reason: 'no rule matches' });

/** Rules in order: the first that matches decides, and a caller that none matches is admitted. */
export class Rules {
  readonly #rules: readonly CompiledRule[];
  readonly #denied: 'deny' | 'would-deny';

  /** @param dryRun says what the rules would deny, and denies nothing */
  constructor(rules: readonly Rule[], lists: NetworkLists, dryRun: boolean) {
    this.#rules = rules.map((rule) => new CompiledRule(rule, lists));
    this.#denied = dryRun ? 'would-deny' : 'deny';
  }

  decide(caller: Caller): Decision {
    for (const { action, origin, match } of this.#rules) {
      const term = match(caller);
      if (term === undefined) continue;
      const outcome = action === 'allow' ? 'allow' : this.#denied;
      return { outcome, reason: `${origin === undefined ? '' : `${origin}: `}${action} ${term}` };
    }
    return NO_RULE;
  }
}

/** The decision of several sets of rules: each may deny. The first that denies gives the reason, else the first that has one. */
export const decideAll = (all: readonly Rules[], caller: Caller): Decision => {
  const decisions = all.map((rules) => rules.decide(caller));
  return (
    decisions.find(({ outcome }) => outcome === 'deny') ??
    decisions.find(({ outcome }) => outcome === 'would-deny') ??
    decisions.find((decision) => decision !== NO_RULE) ??
    NO_RULE
  );
};

/** A rule whose terms are sets: thousands of them take no longer than one. */
class CompiledRule {
  readonly action: Action;
  readonly origin: string | undefined;
  readonly #countries = new Set<string>();
  readonly #continents = new Set<string>();
  readonly #systems = new Set<number>();
  readonly #flags = new Set<string>();
  readonly #kinds = new Set<'unknown' | 'private' | 'all'>();
  readonly #networks = new NetworkSet();
  readonly #lists: [string, NetworkSet][] = [];

  constructor({ action, origin, terms }: Rule, lists: NetworkLists) {
    this.action = action;
    this.origin = origin;
    for (const term of terms) {
      if (term.kind === 'country') this.#countries.add(term.name);
      else if (term.kind === 'continent') this.#continents.add(term.name);
      else if (term.kind === 'flag') this.#flags.add(term.name);
      else if (term.kind === 'asn') this.#systems.add(term.number);
      else if (term.kind === 'network') this.#networks.add(term.network);
      else if (term.kind === 'list') this.#lists.push([term.name, lists.get(term.name)!]);
      else this.#kinds.add(term.kind);
    }
  }

  /** The term that matches a caller, as text; networks before locations, the most general last. */
  readonly match = ({ address, isPrivate, country, continent, asn, flag }: Caller): string | undefined => {
    if (address) {
      const network = this.#networks.find(address);
      if (network !== undefined) return network;
      for (const [name, networks] of this.#lists) if (networks.find(address)) return `networks:${name}`;
    }
    if (asn !== null && this.#systems.has(asn)) return `AS${asn}`;
    for (const name of this.#flags) if (flag(name) === true) return name;
    if (country !== null && this.#countries.has(country)) return country;
    if (continent !== null && this.#continents.has(continent)) return `continent:${continent}`;
    if (isPrivate && this.#kinds.has('private')) return 'private';
    if (!isPrivate && country === null && this.#kinds.has('unknown')) return 'unknown';
    return this.#kinds.has('all') ? 'all' : undefined;
  };
}
