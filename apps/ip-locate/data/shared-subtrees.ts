import { Reader, type Response } from 'mmdb-lib';
import { type RecordSize, writeNode } from '../src/adapters/mmdb/mmdb-writer.ts';
import { SearchTree } from '../src/adapters/mmdb/search-tree.ts';

/**
 * Writes an mmdb file again with each different subtree of its search tree stored once. A third to a half of the nodes of
 * DB-IP's trees repeat others, such as two networks of one provider that are divided alike. Records point to nodes in any
 * place, so every reader finds the same entries at the same prefix lengths; the data section stays as it is.
 * @param file a whole database whose nodes stand before their children, as MaxMind's writer orders them
 * @throws Error when a node stands behind one of its children
 */
export const shareSubtrees = (file: Buffer): Buffer => {
  const { metadata } = new Reader<Response>(file);
  const { nodeCount, searchTreeSize } = metadata;
  const recordSize = metadata.recordSize as RecordSize;
  const tree = new SearchTree(file, metadata);
  const left = new Uint32Array(nodeCount);
  const right = new Uint32Array(nodeCount);
  /** for each node, the one that is kept of those with the same children */
  const kept = new Uint32Array(nodeCount);
  const nodes = new NodeTable(left, right);
  for (let node = nodeCount - 1; node >= 0; node--) {
    for (const records of [left, right]) {
      const child = tree.child(node, records === right);
      if (child <= node) throw new Error(`node ${child} stands before its parent ${node}`);
      records[node] = child < nodeCount ? kept[child]! : child;
    }
    kept[node] = nodes.keep(node);
  }

  /** for each node that is kept, where it stands in the new tree */
  const places = new Uint32Array(nodeCount);
  let count = 0;
  for (let node = 0; node < nodeCount; node++) if (kept[node] === node) places[node] = count++;
  // What is no node, nothing or an entry, is counted from the end of the tree.
  const record = (child: number): number => (child < nodeCount ? places[child]! : child - nodeCount + count);
  const bytes = Buffer.alloc(count * (recordSize / 4));
  for (let node = 0; node < nodeCount; node++) {
    if (kept[node] === node) {
      writeNode(bytes, recordSize, places[node]!, record(left[node]!), record(right[node]!));
    }
  }
  const rest = Buffer.from(file.subarray(searchTreeSize));
  writeNodeCount(rest, count);
  return Buffer.concat([bytes, rest]);
};

/** Nodes by their children: a hash table of numbers, because a Map of ten million pairs takes a gigabyte. */
class NodeTable {
  readonly #left: Uint32Array;
  readonly #right: Uint32Array;
  /** nodes plus one; zero is free */
  readonly #slots: Uint32Array;

  constructor(left: Uint32Array, right: Uint32Array) {
    this.#left = left;
    this.#right = right;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * left.length + 1)));
  }

  /** The node that is kept of those with the same children: this one, if it is the first. */
  keep(node: number): number {
    const [left, right] = [this.#left[node]!, this.#right[node]!];
    const last = this.#slots.length - 1;
    const hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
    for (let slot = (hash ^ (hash >>> 15)) & last; ; slot = (slot + 1) & last) {
      const other = this.#slots[slot]! - 1;
      if (other === -1) {
        this.#slots[slot] = node + 1;
        return node;
      }
      if (this.#left[other] === left && this.#right[other] === right) return other;
    }
  }
}

/** Overwrites the number of nodes in the metadata, in as many bytes as it has. */
const writeNodeCount = (end: Buffer, count: number): void => {
  const key = 'node_count';
  const at = end.lastIndexOf(key) + key.length;
  const control = end[at]!;
  if (at < key.length || control >> 5 !== 6) throw new Error('the metadata has no node_count of 32 bits');
  end.writeUIntBE(count, at + 1, control & 0x1f);
};
