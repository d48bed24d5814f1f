import { type Network, parseNetwork } from '@workspace/ip-addresses';
import { cellsOf } from '../../domain/csv-row.ts';

type Violation = { readonly violation: string };

/** Members of published JSON whose values are networks, or arrays of networks. */
const MEMBERS: ReadonlySet<string> = new Set([
  'ip_prefix', // Amazon Web Services
  'ipv6_prefix',
  'ipv4Prefix', // Google, Googlebot, Bingbot
  'ipv6Prefix',
  'addressPrefixes', // Azure
  'cidr', // Oracle
  'ipv4_cidrs', // Cloudflare
  'ipv6_cidrs',
  'addresses', // Fastly
  'ipv6_addresses',
]);

/** More than twice as many as all clouds together have. */
const MAX_NETWORKS = 300_000;
/** No list has larger networks: a shorter prefix is a mistake, or what an interrupted download has left of a line. */
const SHORTEST_PREFIX = { 4: 8, 6: 16 } as const;

/**
 * Reads a published list of networks: JSON as the clouds publish it, CSV with the networks in the first column, or a network on
 * each line. `#` begins a comment.
 * @returns the networks, at least one; or what is wrong with the first thing that is not a network
 */
export const parseNetworkList = (text: string): { networks: readonly Network[] } | Violation => {
  // Drops a byte order mark, too.
  const content = text.trim();
  const named = /^[[{]/.test(content) ? namedInJson(content) : namedInLines(content);
  if ('violation' in named) return named;
  const networks: Network[] = [];
  for (const [place, value] of named.values) {
    const network = typeof value === 'string' ? parseNetwork(value) : undefined;
    const quoted = JSON.stringify(value).slice(0, 64);
    if (!network) return { violation: `${place}: ${quoted} is not a network` };
    if (network.length < SHORTEST_PREFIX[network.family]) {
      return { violation: `${place}: ${quoted} is larger than any provider's network` };
    }
    if (networks.push(network) > MAX_NETWORKS) {
      return { violation: `the list has more than ${MAX_NETWORKS.toLocaleString('en')} networks` };
    }
  }
  return networks.length > 0 ? { networks } : { violation: 'the list has no networks' };
};

/** Texts that must be networks, and where they are. */
type Named = { readonly values: Iterable<readonly [place: string, value: unknown]> };

const namedInLines = (content: string): Named => ({
  values: content
    .split('\n')
    .map((line, at) => [`line ${at + 1}`, firstCellOf(line.replace(/#.*/, '').trim())] as const)
    .filter(([, cell]) => cell !== ''),
});

const firstCellOf = (row: string): string => cellsOf(row)[0]!.trim();

const namedInJson = (content: string): Named | Violation => {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    return { violation: 'the list is not JSON, or only part of it' };
  }
  return { values: networksIn(json) };
};

/** Every value of a member that holds networks, however deep. */
function* networksIn(json: unknown): Generator<[string, unknown]> {
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      if (!MEMBERS.has(name)) open.push(member);
      else if (Array.isArray(member)) for (const one of member as unknown[]) yield [name, one];
      else yield [name, member];
    }
  }
}
