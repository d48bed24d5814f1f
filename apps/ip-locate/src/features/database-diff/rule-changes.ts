import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Address, contains, type Network, parseNetwork } from '@workspace/ip-addresses';
import type { Decision, Rules } from '../../domain/access/rules.ts';
import { parseRuleFiles, type NamedText } from '../../domain/access/rules-text.ts';
import { ownRange } from '../../domain/special-ranges.ts';
import { UsageError } from '../../cli/terminal.ts';
import { fieldLists } from '../../http/lookup/fields.ts';
import type { Facts } from '../../cli/data-option.ts';
import type { ComparedNetwork } from './compare.ts';
import { addressOf, type ComparedFile } from './facts.ts';

/** What rules make of a block before and after. */
export interface Decided {
  readonly network: ComparedNetwork;
  readonly old: Decision;
  readonly now: Decision;
}

/** Rules in files, as `GEO_RULES` takes them, to decide with the facts of either side. */
export class RuleChanges {
  readonly #rules: Rules;
  /** networks that the rules name, in order: where one is smaller than a block, that is decided in parts */
  readonly #named: readonly NamedNetwork[];

  constructor(rules: Rules, named: readonly Network[]) {
    this.#rules = rules;
    this.#named = named
      .map((network) => ({ network, start: startOf(network.bytes) }))
      .toSorted((a, b) => order(a.start, b.start) || a.network.length - b.network.length);
  }

  /** The decisions about a block, in the parts in which they differ. */
  *decide(network: ComparedNetwork): Generator<Decided> {
    const address = addressOf(network.bytes);
    if (this.#isCut(network, address)) {
      for (const half of halves(network)) yield* this.decide(half);
      return;
    }
    const decision = ({ country, continent, asn, inEu }: Facts): Decision =>
      this.#rules.decide({
        addresses: [address],
        ownRange: ownRange(address),
        country,
        continent,
        asn,
        // Traits are the same on both sides, and not known here.
        flag: (name) => (name === 'in_eu' ? inEu : null),
      });
    yield { network, old: decision(network.old), now: decision(network.now) };
  }

  /** Whether a named network is within a block, and smaller. */
  #isCut({ bytes, length }: ComparedNetwork, address: Address): boolean {
    const start = startOf(bytes);
    let [low, high] = [0, this.#named.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order(this.#named[middle]!.start, start) < 0) low = middle + 1;
      else high = middle;
    }
    // Of those with this start, the largest come first.
    let next = this.#named[low];
    while (next?.start === start && next.network.length <= length) next = this.#named[++low];
    return (
      next !== undefined && contains({ family: address.family, bytes, length }, addressOf(next.network.bytes))
    );
  }
}

interface NamedNetwork {
  readonly network: Network;
  readonly start: string;
}

/** Sorts as the addresses do; all of IPv4 before IPv6. */
const startOf = (bytes: Uint8Array): string =>
  `${bytes.length === 4 ? 4 : 6}${Buffer.from(bytes).toString('hex')}`;

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function* halves({ bytes, length, ...network }: ComparedNetwork): Generator<ComparedNetwork> {
  for (const bit of [0, 0x80 >> (length & 7)]) {
    const half = Uint8Array.from(bytes);
    half[length >> 3]! |= bit;
    yield { ...network, bytes: half, length: length + 1 };
  }
}

/**
 * Reads rules.
 * @param paths of the rules, and of the lists that they name
 * @param files of one side
 * @throws UsageError when they are not rules, or need what the files do not tell
 */
export const readRules = async (
  paths: readonly string[],
  files: readonly Pick<ComparedFile, 'model'>[],
): Promise<RuleChanges> => {
  const texts = await Promise.all(
    paths.map(async (path): Promise<NamedText> => ({
      name: basename(path),
      text: await readFile(path, 'utf8'),
    })),
  );
  const parsed = await parseRuleFiles(texts as [NamedText, ...NamedText[]], fieldLists(true).flags);
  if ('violation' in parsed) throw new UsageError(`--rules: ${parsed.violation}.`);
  const words = texts.flatMap(({ text }) => text.replace(/#.*/g, '').split(/[\s,]+/));
  const tells = (model: ComparedFile['model']) => files.some((file) => file.model === model);
  const system = words.find((word) => /^AS\d+$/i.test(word));
  if (system !== undefined && !tells('operator'))
    throw new UsageError(
      `The rules name ${system}: add an ASN database to both sides, as in city.mmdb,asn.mmdb.`,
    );
  const place = words.find((word) => /^([a-z]{2}|continent:.*|in_eu|unknown)$/i.test(word));
  if (place !== undefined && !tells('location'))
    throw new UsageError(
      `The rules name ${place}: add a database of locations to both sides, as in city.mmdb,asn.mmdb.`,
    );
  return new RuleChanges(
    parsed.rules,
    words.flatMap((word) => parseNetwork(word) ?? []),
  );
};
