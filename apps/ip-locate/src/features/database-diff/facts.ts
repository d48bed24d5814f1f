import { type Address, formatIPv6, ipv4 } from '@workspace/ip-addresses';
import { type Facts, NOTHING, type OpenedDatabase } from '../../cli/data-option.ts';

/** An address with bytes of its own. */
export const addressOf = (bytes: Uint8Array): Address => {
  const own = Uint8Array.from(bytes);
  return own.length === 4 ? ipv4(own) : { text: formatIPv6(own), family: 6, bytes: own };
};

/** Whether an address moves: whether its country, its region or its operator is another. */
export const isMoved = (old: Facts, now: Facts): boolean =>
  old !== now && (old.country !== now.country || old.region !== now.region || old.asn !== now.asn);

/** Entries of one file whose facts are kept: 100 bytes each. */
const KEPT = 2 ** 18;

/** Makes equal facts the same object. */
export class FactsTable {
  readonly #known = new Map<string, Facts>([[keyOf(NOTHING), NOTHING]]);
  readonly #merged = new Map<Facts, Map<Facts, Facts>>();

  intern(facts: Facts): Facts {
    const key = keyOf(facts);
    const known = this.#known.get(key);
    if (known) return known;
    this.#known.set(key, facts);
    return facts;
  }

  /** The facts of two files, the first's where both say something. */
  merge(first: Facts, second: Facts): Facts {
    if (first === NOTHING || first === second) return second;
    if (second === NOTHING) return first;
    const known = this.#merged.get(first)?.get(second);
    if (known) return known;
    const merged = this.intern({
      country: first.country ?? second.country,
      region: first.region ?? second.region,
      asn: first.asn ?? second.asn,
      continent: first.continent ?? second.continent,
      inEu: first.inEu ?? second.inEu,
    });
    if (!this.#merged.has(first)) this.#merged.set(first, new Map());
    this.#merged.get(first)!.set(second, merged);
    return merged;
  }
}

const keyOf = (facts: Facts): string => JSON.stringify(Object.values(facts));

/** A file of one side, with the facts of its entries kept. */
export interface ComparedFile extends Pick<OpenedDatabase, 'families' | 'tree' | 'model'> {
  /** @param entry what the search tree has at the address of these bytes */
  readonly factsAt: (entry: number, bytes: Uint8Array) => Facts;
}

/** Keeps facts: many networks have the same entry. */
export const comparedFile = ({ facts: read, ...file }: OpenedDatabase, table: FactsTable): ComparedFile => {
  let kept = new Map<number, Facts>();
  return {
    ...file,
    factsAt: (entry, bytes) => {
      if (entry === file.tree.nodeCount) return NOTHING;
      let facts = kept.get(entry);
      if (!facts) {
        if (kept.size >= KEPT) kept = new Map();
        facts = table.intern(read(addressOf(bytes)));
        kept.set(entry, facts);
      }
      return facts;
    },
  };
};
