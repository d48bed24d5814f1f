import { type Static, Type } from '@sinclair/typebox';
import { LRUCache } from 'lru-cache';
import { ProblemError } from '@workspace/service-kit/problems';
import type { Current } from '../../application/location-database.ts';
import type { NetworkLists, Rules } from '../../domain/access/rules.ts';
import { type FileRules, parseRuleParameters } from '../../domain/access/rules-text.ts';
import { problems } from './problems.ts';

/** Rules in the parameters of one request. */
export const AccessQuery = Type.Object({
  allow: Type.Optional(
    Type.String({
      description: 'whom to admit, separated by commas; all others get 403',
      examples: ['DE,AT'],
    }),
  ),
  deny: Type.Optional(Type.String({ description: 'who gets 403, separated by commas' })),
  fail_open: Type.Optional(
    Type.Boolean({
      description: '`true` lets terms whose data is missing match no one; else `deny` denies everyone then',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      description: '`true` says in `x-geo-decision` what the rules would do, and denies no one',
    }),
  ),
});
export type AccessQuery = Static<typeof AccessQuery>;

const NO_LISTS: NetworkLists = new Map();
/** Proxies send the same few parameters with every request. */
const MAX_PARSED = 100;

/** The rules that apply to a request: those of GEO_RULES, then those of its parameters. */
export class Access {
  readonly #file: Current<FileRules> | undefined;
  readonly #flags: readonly string[];
  /** parsed parameters, for the lists of networks that they were read with */
  readonly #parsed = new LRUCache<string, Rules>({ max: MAX_PARSED });
  #lists = NO_LISTS;

  /** @param flags fields that are true or false, which parameters may name */
  constructor(file: Current<FileRules> | undefined, flags: readonly string[]) {
    this.#file = file;
    this.#flags = flags;
  }

  /** @throws ProblemError when the parameters are not rules */
  rulesOf(query: AccessQuery): readonly Rules[] {
    const file = this.#file?.current;
    const ofFile = file ? [file.rules] : [];
    if (query.allow === undefined && query.deny === undefined) return ofFile;
    return [...ofFile, this.#rulesOfParameters(query, file?.lists ?? NO_LISTS)];
  }

  #rulesOfParameters(
    { allow, deny, dry_run: dryRun, fail_open: failOpen }: AccessQuery,
    lists: NetworkLists,
  ): Rules {
    if (lists !== this.#lists) this.#parsed.clear();
    this.#lists = lists;
    const key = JSON.stringify([allow, deny, dryRun, failOpen]);
    const known = this.#parsed.get(key);
    if (known) return known;
    const rules = parseRuleParameters({ allow, deny, dryRun, failOpen }, this.#flags, lists);
    if ('violation' in rules) throw new ProblemError(problems['invalid-rules'], { detail: rules.violation });
    this.#parsed.set(key, rules);
    return rules;
  }
}
