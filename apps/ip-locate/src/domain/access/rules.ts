import { type Address, networkOf } from '@workspace/ip-addresses';
import { NetworkMap } from '../network-map.ts';
import type { Term } from './term.ts';

/**
 * What rules know of a caller. Null means that the data does not say, and matches no term; undefined means that the data is
 * missing: not loaded, or damaged.
 */
export interface Caller {
  /** the address, and that of the host if the address contains one; undefined when it could not be determined */
  readonly addresses: readonly Address[] | undefined;
  /** whether the address is of a network's own */
  readonly ownRange: 'private' | 'cgnat' | undefined;
  readonly country: string | null | undefined;
  readonly continent: string | null | undefined;
  readonly asn: number | null | undefined;
  /** the value of a field that is true or false */
  readonly flag: (name: string) => boolean | null | undefined;
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

export type NetworkSet = NetworkMap<true>;

/** Networks by the name of their list. */
export type NetworkLists = ReadonlyMap<string, NetworkSet>;

/** What decides when no rule matches. */
const NO_RULE: Decision = Object.freeze({ outcome: 'allow', reason: 'no rule matches' });

export interface RuleOptions {
  /** says what the rules would deny, and denies nothing */
  readonly dryRun?: boolean | undefined;
  /** terms whose data is missing match no one; else a rule to deny that has such a term denies */
  readonly failOpen?: boolean | undefined;
}

/** Rules in order: the first that matches decides, and a caller that none matches is admitted. */
export class Rules {
  readonly #rules: readonly CompiledRule[];
  readonly #denied: 'deny' | 'would-deny';

  constructor(
    rules: readonly Rule[],
    lists: NetworkLists,
    { dryRun = false, failOpen = false }: RuleOptions = {},
  ) {
    this.#rules = rules.map((rule) => new CompiledRule(rule, lists, failOpen));
    this.#denied = dryRun ? 'would-deny' : 'deny';
  }

  decide(caller: Caller): Decision {
    for (const rule of this.#rules) {
      const { action, origin } = rule;
      const decided = rule.match(caller) ?? rule.failure(caller);
      if (decided === undefined) continue;
      const outcome = action === 'allow' ? 'allow' : this.#denied;
      return { outcome, reason: `${origin === undefined ? '' : `${origin}: `}${action} ${decided}` };
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
  readonly #words = new Set<'unknown' | 'private' | 'cgnat' | 'all'>();
  readonly #networks: NetworkSet = new NetworkMap();
  /** whether a rule to deny ignores terms whose data is missing; a rule to allow always does, except for `unknown` */
  readonly #failOpen: boolean;
  /** whether a term is about the address alone */
  readonly #needsAddress: boolean;
  readonly #lists: [string, NetworkSet][] = [];

  constructor({ action, origin, terms }: Rule, lists: NetworkLists, failOpen: boolean) {
    this.action = action;
    this.origin = origin;
    this.#failOpen = failOpen;
    for (const term of terms) {
      if (term.type === 'country') this.#countries.add(term.name);
      else if (term.type === 'continent') this.#continents.add(term.name);
      else if (term.type === 'flag') this.#flags.add(term.name);
      else if (term.type === 'asn') this.#systems.add(term.number);
      else if (term.type === 'network') this.#networks.add(term.network, true);
      else if (term.type === 'list') this.#lists.push([term.name, lists.get(term.name)!]);
      else this.#words.add(term.type);
    }
    this.#needsAddress = terms.some(({ type }) => ['network', 'list', 'private', 'cgnat'].includes(type));
  }

  /** The term that matches a caller, as text; networks before locations, the most general last. */
  match(caller: Caller): string | undefined {
    const { addresses = [], ownRange, country, continent, asn, flag } = caller;
    for (const address of addresses) {
      const network = this.#networks.find(address);
      if (network) return networkOf(address, network.prefixLength);
      for (const [name, networks] of this.#lists) if (networks.find(address)) return `networks:${name}`;
    }
    if (typeof asn === 'number' && this.#systems.has(asn)) return `AS${asn}`;
    for (const name of this.#flags) if (flag(name) === true) return name;
    if (typeof country === 'string' && this.#countries.has(country)) return country;
    if (typeof continent === 'string' && this.#continents.has(continent)) return `continent:${continent}`;
    if (ownRange !== undefined && this.#words.has(ownRange)) return ownRange;
    const isUnknown =
      country === null || (country === undefined && !(this.#failOpen && this.action === 'deny'));
    if (ownRange === undefined && isUnknown && this.#words.has('unknown')) return 'unknown';
    return this.#words.has('all') ? 'all' : undefined;
  }

  /** Why a rule that matches no caller denies one all the same. */
  failure(caller: Caller): string | undefined {
    if (this.action === 'allow' || this.#failOpen) return undefined;
    const missing = this.#missing(caller);
    return missing && `(no ${missing})`;
  }

  /** What is missing that a term needs to be decided. */
  #missing({ addresses, country, continent, asn, flag }: Caller): string | undefined {
    if (addresses === undefined && this.#needsAddress) return 'address';
    if (asn === undefined && this.#systems.size > 0) return 'ASN data';
    for (const name of this.#flags) if (flag(name) === undefined) return `data about ${name}`;
    if (country === undefined && this.#countries.size > 0) return 'location data';
    return continent === undefined && this.#continents.size > 0 ? 'location data' : undefined;
  }
}
