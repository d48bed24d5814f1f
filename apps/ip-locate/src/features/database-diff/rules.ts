import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Address, parseNetwork } from '@workspace/ip-addresses';
import type { Decision } from '../../domain/access/rules.ts';
import { type NamedText, parseRuleFiles } from '../../domain/access/rules-text.ts';
import { ownRange } from '../../domain/special-ranges.ts';
import type { Facts, OpenedDatabase } from '../../cli/data-option.ts';
import { UsageError } from '../../cli/terminal.ts';
import { fieldLists } from '../../http/lookup/fields.ts';
import type { ComparedNetwork } from './compare.ts';
import { NamedNetworks } from './named-networks.ts';

/** What rules decide about a block before and after. */
export type Decisions = Readonly<Record<'old' | 'now', Decision>>;

/** Terms that need a database. */
const NEEDS: readonly [OpenedDatabase['model'], RegExp, database: string][] = [
  ['operator', /^AS\d+$/i, 'an ASN database'],
  ['location', /^([a-z]{2}|continent:.*|in_eu|unknown)$/i, 'a database of locations'],
];

/**
 * Reads rules in files, as `GEO_RULES` takes them.
 * @param paths of the rules, and of the lists that they name
 * @param models of the databases that both sides have
 * @returns the networks that they name, and what they decide about a block; undefined where that is the same before and after
 * @throws UsageError when they are not rules, or need a database that is missing
 */
export const readRules = async (paths: readonly string[], models: readonly OpenedDatabase['model'][]) => {
  const read = async (path: string): Promise<NamedText> => ({
    name: basename(path),
    text: await readFile(path, 'utf8'),
  });
  const texts = await Promise.all(paths.map(read));
  const parsed = await parseRuleFiles(texts as [NamedText, ...NamedText[]], fieldLists(true).flags);
  if ('violation' in parsed) throw new UsageError(`--rules: ${parsed.violation}.`);
  const words = texts.flatMap(({ text }) => text.replace(/#.*/g, '').split(/[\s,]+/));
  for (const [model, pattern, database] of NEEDS) {
    const word = models.includes(model) ? undefined : words.find((one) => pattern.test(one));
    if (word !== undefined)
      throw new UsageError(
        `The rules name ${word}: add ${database} to both sides, as in city.mmdb,asn.mmdb.`,
      );
  }
  // Traits are the same on both sides, and not known here.
  const decide = (address: Address, { inEu, ...facts }: Facts): Decision =>
    parsed.rules.decide({
      ...facts,
      addresses: [address],
      ownRange: ownRange(address),
      flag: (name) => (name === 'in_eu' ? inEu : null),
    });
  return {
    named: new NamedNetworks(words.flatMap((word) => parseNetwork(word) ?? [])),
    changes: (network: ComparedNetwork): Decisions | undefined => {
      const decisions = { old: decide(network, network.old), now: decide(network, network.now) };
      return decisions.old.outcome === decisions.now.outcome ? undefined : decisions;
    },
  };
};
