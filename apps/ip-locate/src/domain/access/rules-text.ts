import { parseNetwork } from '@workspace/ip-addresses';
import { NetworkMap } from '../network-map.ts';
import {
  type Action,
  type NetworkLists,
  type NetworkSet,
  type Rule,
  type RuleOptions,
  Rules,
} from './rules.ts';
import { parseTerm, type Term } from './term.ts';

type Violation = { readonly violation: string };

/** A file of rules or networks: its name without the folder, and its text. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The rules of files, and their lists of networks, which other rules may name. */
export interface FileRules {
  readonly rules: Rules;
  readonly lists: NetworkLists;
}

/** Lines of a list between two turns of the event loop: requests served meanwhile wait a few milliseconds at most. */
const LINES_PER_TURN = 1_000;

/**
 * Reads a file of rules and the lists of networks that it may name. A line of rules is `allow` or `deny` and terms, or `dry-run` or
 * `fail-open` alone, which are for all rules. A line of a list is a network. `#` begins a comment.
 * @param flags fields that are true or false, which are terms
 * @param nextTurn lets others run, now and then while a long list is read
 */
export const parseRuleFiles = async (
  [file, ...more]: readonly [NamedText, ...NamedText[]],
  flags: readonly string[],
  nextTurn: () => Promise<unknown> = () => Promise.resolve(),
): Promise<FileRules | Violation> => {
  const lists = new Map<string, NetworkSet>();
  for (const { name, text } of more) {
    if (text.trim() === '') return { violation: `${name} is empty` };
    const networks = await parseNetworks(text, nextTurn);
    if ('violation' in networks) return { violation: `${name}, ${networks.violation}` };
    if (lists.has(name)) return { violation: `two files are named ${name}` };
    lists.set(name, networks);
  }
  const names = { flags, lists: [...lists.keys()] };
  const rules: Rule[] = [];
  const options = { dryRun: false, failOpen: false };
  for (const [number, line] of linesOf(file.text)) {
    const violation = (what: string) => ({ violation: `${file.name}, line ${number}: ${what}` });
    const option = OPTIONS.get(line);
    if (option) {
      options[option] = true;
      continue;
    }
    const [action, ...texts] = line.split(/[\s,]+/);
    if ((action !== 'allow' && action !== 'deny') || texts.length === 0) {
      return violation('a rule is allow or deny and what it is for, such as deny AS64496');
    }
    const terms = parseTerms(texts, names);
    if ('violation' in terms) return violation(terms.violation);
    rules.push({ action, terms, origin: `line ${number}` });
  }
  // What is empty was cut off or written to another file.
  if (rules.length === 0) return { violation: `${file.name} has no rules` };
  return { rules: new Rules(rules, lists, options), lists };
};

const OPTIONS: ReadonlyMap<string, 'dryRun' | 'failOpen'> = new Map([
  ['dry-run', 'dryRun'],
  ['fail-open', 'failOpen'],
]);

export interface RuleParameters extends RuleOptions {
  readonly allow?: string | undefined;
  readonly deny?: string | undefined;
}

/**
 * Reads rules in parameters: what `deny` lists is denied, then what `allow` lists is allowed, and with `allow` all others are
 * denied.
 * @returns the rules, or the first violation
 */
export const parseRuleParameters = (
  { allow, deny, ...options }: RuleParameters,
  flags: readonly string[],
  lists: NetworkLists,
): Rules | Violation => {
  const names = { flags, lists: [...lists.keys()] };
  const rules: Rule[] = [];
  const given: [Action, string | undefined][] = [
    ['deny', deny],
    ['allow', allow],
  ];
  for (const [action, text] of given) {
    if (text === undefined) continue;
    const terms = parseTerms(text.split(','), names);
    if ('violation' in terms) return { violation: `${action}: ${terms.violation}` };
    rules.push({ action, terms });
  }
  if (allow !== undefined) rules.push({ action: 'deny', terms: [{ type: 'all' }] });
  return new Rules(rules, lists, options);
};

const parseTerms = (texts: readonly string[], names: Parameters<typeof parseTerm>[1]): Term[] | Violation => {
  const terms: Term[] = [];
  for (const text of texts) {
    const term = parseTerm(text.trim(), names);
    if ('violation' in term) return term;
    terms.push(term);
  }
  return terms;
};

const parseNetworks = async (
  text: string,
  nextTurn: () => Promise<unknown>,
): Promise<NetworkSet | Violation> => {
  const networks = new NetworkMap<true>();
  for (const [number, line] of linesOf(text)) {
    if (number % LINES_PER_TURN === 0) await nextTurn();
    const network = parseNetwork(line);
    if (!network)
      return { violation: `line ${number}: ${JSON.stringify(line.slice(0, 64))} is not a network` };
    networks.add(network, true);
  }
  return networks;
};

/** The lines that say something, with their numbers from 1 on. They are cut one by one: a long list is read in many turns. */
function* linesOf(text: string): Generator<[number, string]> {
  for (let start = 0, number = 1; start <= text.length; number++) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end).replace(/#.*/, '').trim();
    if (line !== '') yield [number, line];
    start = end + 1;
  }
}
