import { UnusableFiles } from '@workspace/service-process';
import type { Address, Network } from '@workspace/ip-addresses';
import { type Facts, NOTHING, type OpenedDatabase } from '../../cli/data-option.ts';

/** A block of addresses for which no tree has a smaller one, and its first address, without a text: no look-up needs it. */
export interface ComparedNetwork extends Network, Address {
  readonly old: Facts;
  readonly now: Facts;
}

/** What a walk needs of a search tree. */
export type Tree = Pick<OpenedDatabase['tree'], 'nodeCount' | 'starts' | 'child'>;

/** Of IPv6 only what is handed out to networks (2000::/3). */
const PATHS = { 4: [], 6: [false, false, true] } as const;

/** Where the addresses of 6to4 and Teredo are: of these, the service looks up the IPv4 address within. */
const isEmbedded = (bytes: Uint8Array, length: number): boolean =>
  bytes[0] === 0x20 &&
  ((length === 16 && bytes[1] === 0x02) ||
    (length === 32 && bytes[1] === 0x01 && bytes[2] === 0 && bytes[3] === 0));

/** The facts of two files, the first's where both say something. */
const merged = (first: Facts, second: Facts): Facts =>
  first === NOTHING
    ? second
    : {
        country: first.country ?? second.country,
        region: first.region ?? second.region,
        asn: first.asn ?? second.asn,
        continent: first.continent ?? second.continent,
        inEu: first.inEu ?? second.inEu,
      };

/**
 * Walks the search trees of both sides at once, and yields each block of one family, in order. Memory is that of one path.
 * @param named a tree that says nothing, with the networks that need blocks of their own
 * @throws UnusableFiles when a path does not end, or an entry is damaged
 */
export function* compare(
  family: 4 | 6,
  old: readonly OpenedDatabase[],
  now: readonly OpenedDatabase[],
  named: Tree | undefined,
): Generator<ComparedNetwork> {
  const files = [...old, ...now];
  const trees: readonly Tree[] = [...files.map(({ tree }) => tree), ...(named ? [named] : [])];
  const step = (nodes: readonly number[], right: boolean): number[] =>
    nodes.map((node, at) => (node < trees[at]!.nodeCount ? trees[at]!.child(node, right) : node));
  const first = new Uint8Array(family === 4 ? 4 : 16);
  if (family === 6) first[0] = 0x20;
  const path: readonly boolean[] = PATHS[family];
  const start = path.reduce(
    step,
    trees.map(({ starts }) => starts[family]),
  );
  const left = [{ nodes: start, bytes: first, length: path.length }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { nodes, bytes, length } = next;
    if (family === 6 && isEmbedded(bytes, length)) continue;
    if (nodes.every((node, at) => node >= trees[at]!.nodeCount)) {
      const address = { family, bytes, text: '' };
      const facts = files.map((file, at) =>
        nodes[at] === file.tree.nodeCount ? NOTHING : file.facts(address),
      );
      const [before, after] = [facts.slice(0, old.length), facts.slice(old.length)];
      yield { ...address, length, old: before.reduce(merged, NOTHING), now: after.reduce(merged, NOTHING) };
      continue;
    }
    if (length === bytes.length * 8) throw new UnusableFiles('a path of the search tree does not end');
    const upper = Uint8Array.from(bytes);
    upper[length >> 3]! |= 0x80 >> (length & 7);
    left.push({ nodes: step(nodes, true), bytes: upper, length: length + 1 });
    left.push({ nodes: step(nodes, false), bytes, length: length + 1 });
  }
}
