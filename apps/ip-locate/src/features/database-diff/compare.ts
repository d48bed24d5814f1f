import { UnusableFiles } from '@workspace/service-process';
import type { Network } from '@workspace/ip-addresses';
import { type Facts, NOTHING } from '../../cli/data-option.ts';
import type { ComparedFile, FactsTable } from './facts.ts';

/** A block of addresses for which neither side has a smaller one. Its bytes are those of the walk: copy what is kept. */
export interface ComparedNetwork extends Network {
  readonly old: Facts;
  readonly now: Facts;
}

/** Of IPv6 only what is handed out to networks (2000::/3). */
const ROOTS = { 4: [], 6: [false, false, true] } as const;

/** Where the addresses of 6to4 and Teredo are: of these, the service looks up the IPv4 address within. */
const isEmbedded = (bytes: Uint8Array, length: number): boolean =>
  bytes[0] === 0x20 &&
  ((length === 16 && bytes[1] === 0x02) ||
    (length === 32 && bytes[1] === 0x01 && bytes[2] === 0 && bytes[3] === 0));

const isSet = (bytes: Uint8Array, bit: number): boolean => (bytes[bit >> 3]! & (0x80 >> (bit & 7))) !== 0;

/** Where each tree is at each bit of the path. */
class Path {
  readonly bytes: Uint8Array;
  readonly #files: readonly ComparedFile[];
  readonly #nodes: Float64Array;

  constructor(family: 4 | 6, files: readonly ComparedFile[]) {
    const octets = family === 4 ? 4 : 16;
    this.bytes = new Uint8Array(octets);
    this.#files = files;
    this.#nodes = new Float64Array((octets * 8 + 1) * files.length);
    files.forEach(({ tree }, at) => (this.#nodes[at] = tree.starts[family]));
  }

  /** Takes one step in all trees, from the node at `depth`. */
  step(depth: number, right: boolean): void {
    const count = this.#files.length;
    for (let at = 0; at < count; at++) {
      const { tree } = this.#files[at]!;
      const node = this.#nodes[depth * count + at]!;
      this.#nodes[(depth + 1) * count + at] = node < tree.nodeCount ? tree.child(node, right) : node;
    }
    const before = this.bytes[depth >> 3]!;
    const mask = 0x80 >> (depth & 7);
    this.bytes[depth >> 3] = right ? before | mask : before & ~mask;
  }

  /** Whether no tree goes on below `depth`. */
  isEnd(depth: number): boolean {
    const count = this.#files.length;
    for (let at = 0; at < count; at++) {
      if (this.#nodes[depth * count + at]! < this.#files[at]!.tree.nodeCount) return false;
    }
    return true;
  }

  /** What some of the trees say at `depth`, where all end. */
  facts(depth: number, from: number, to: number, table: FactsTable): Facts {
    let facts = NOTHING;
    for (let at = from; at < to; at++) {
      const entry = this.#nodes[depth * this.#files.length + at]!;
      facts = table.merge(facts, this.#files[at]!.factsAt(entry, this.bytes));
    }
    return facts;
  }
}

/**
 * Walks the search trees of both sides at once, and yields each block of one family, in order. Memory is that of one path.
 *
 * No variable of the loop is shared with a closure: code that V8's Maglev made of such a loop (Node 24.21) walked some branches twice.
 * @throws UnusableFiles when a path does not end, or an entry is damaged
 */
export function* compare(
  family: 4 | 6,
  old: readonly ComparedFile[],
  now: readonly ComparedFile[],
  table: FactsTable,
): Generator<ComparedNetwork> {
  const [before, after] = [old, now].map((side) => side.filter(({ families }) => families.includes(family)));
  const files = [...before!, ...after!];
  if (files.length === 0) return;
  const path = new Path(family, files);
  const { bytes } = path;
  const middle = before!.length;
  const root = ROOTS[family].length;
  ROOTS[family].forEach((right, depth) => path.step(depth, right));
  let depth = root;
  for (;;) {
    const isSkipped = family === 6 && isEmbedded(bytes, depth);
    if (!isSkipped && !path.isEnd(depth)) {
      if (depth === bytes.length * 8) throw new UnusableFiles('a path of the search tree does not end');
      path.step(depth, false);
      depth++;
      continue;
    }
    if (!isSkipped) {
      const facts = path.facts(depth, 0, middle, table);
      yield { family, bytes, length: depth, old: facts, now: path.facts(depth, middle, files.length, table) };
    }
    for (; depth > root && isSet(bytes, depth - 1); depth--)
      bytes[(depth - 1) >> 3] = cleared(bytes, depth - 1);
    if (depth === root) return;
    path.step(depth - 1, true);
  }
}

const cleared = (bytes: Uint8Array, bit: number): number => bytes[bit >> 3]! & ~(0x80 >> (bit & 7));
