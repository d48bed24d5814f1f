import { type Network, parseNetwork } from '@workspace/ip-addresses';
import { COUNTRY_CODES } from '../countries.ts';

/** What a rule says of a caller. */
export type Term =
  | { readonly type: 'country' | 'continent' | 'flag' | 'list'; readonly name: string }
  | { readonly type: 'asn'; readonly number: number }
  | { readonly type: 'network'; readonly network: Network }
  | { readonly type: 'unknown' | 'private' | 'cgnat' | 'all' };

/** What terms may name besides countries, continents, systems and networks. */
export interface Names {
  /** fields that are true or false: `in_eu` */
  readonly flags: readonly string[];
  /** lists of networks, by the names of their files */
  readonly lists: readonly string[];
}

const CONTINENTS = ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'];
const COUNTRIES: ReadonlySet<string> = new Set(COUNTRY_CODES);
export const MAX_ASN = 2 ** 32 - 1;

/**
 * Reads one term: `DE`, `continent:EU`, `in_eu`, `AS15169`, `192.0.2.0/24`, `networks:offices.txt`, `unknown`, `private`, `cgnat`,
 * `all`.
 * @returns the term, or why the text is not one
 */
export const parseTerm = (text: string, { flags, lists }: Names): Term | { readonly violation: string } => {
  const violation = (why: string) => ({ violation: `${JSON.stringify(text.slice(0, 64))} ${why}` });
  if (text === 'unknown' || text === 'private' || text === 'cgnat' || text === 'all') return { type: text };
  if (flags.includes(text)) return { type: 'flag', name: text };
  if (/^[a-z]{2}$/i.test(text)) {
    const name = text.toUpperCase();
    if (COUNTRIES.has(name)) return { type: 'country', name };
    return violation(
      name === 'EU'
        ? 'is not a country: in_eu is the European Union, continent:EU is Europe'
        : 'is not a country',
    );
  }
  const asn = /^AS(\d{1,10})$/i.exec(text)?.[1];
  if (asn !== undefined && Number(asn) <= MAX_ASN) return { type: 'asn', number: Number(asn) };
  const [, prefix, name = ''] = /^(continent|networks):(.+)$/.exec(text) ?? [];
  if (prefix === 'continent') {
    const code = name.toUpperCase();
    return CONTINENTS.includes(code)
      ? { type: 'continent', name: code }
      : violation(`is not one of ${CONTINENTS.join(', ')}`);
  }
  if (prefix === 'networks') {
    return lists.includes(name) ? { type: 'list', name } : violation('is not a file that GEO_RULES lists');
  }
  const network = parseNetwork(text);
  if (network) return { type: 'network', network };
  return violation(
    `is not a country, continent:…, AS…, a network, networks:…, ${[...flags, 'unknown', 'private', 'cgnat'].join(', ')} or all`,
  );
};
