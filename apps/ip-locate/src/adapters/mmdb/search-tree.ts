import type { Reader, Response } from 'mmdb-lib';

type Metadata = Reader<Response>['metadata'];

/** Where a record is, and how large the block of addresses is that leads to it. */
export interface TreeEntry {
  /** its pointer in the tree */
  readonly record: number;
  /** number of leading bits of the address that lead to it */
  readonly prefixLength: number;
}

/**
 * The search tree at the head of an mmdb file (https://maxmind.github.io/MaxMind-DB/, "Binary Search Tree Section"):
 * each node has a left and a right record, and a record is another node, nothing (`nodeCount`), or a pointer to data.
 *
 * mmdb-lib walks it too, but then decodes the whole record.
 */
export class SearchTree {
  readonly nodeCount: number;
  /** the node where the addresses of a family start; in an IPv6 tree, IPv4 starts below 96 zero bits */
  readonly starts: { readonly 4: number; readonly 6: number };
  readonly #bytes: Uint8Array;
  readonly #nodeBytes: number;

  /** @param bytes the whole file; longer than its tree */
  constructor(bytes: Uint8Array, { nodeCount, nodeByteSize, ipVersion }: Metadata) {
    this.nodeCount = nodeCount;
    this.#bytes = bytes;
    this.#nodeBytes = nodeByteSize;
    this.starts = { 4: ipVersion === 4 ? 0 : this.#ipv4Start(), 6: 0 };
  }

  /** One of the two children of a node below `nodeCount`. */
  child(node: number, right: boolean): number {
    const bytes = this.#bytes;
    const at = node * this.#nodeBytes;
    switch (this.#nodeBytes) {
      case 6:
        return uint24(bytes, right ? at + 3 : at);
      case 7: {
        const middle = bytes[at + 3]!;
        return right
          ? ((middle & 0x0f) << 24) | uint24(bytes, at + 4)
          : ((middle & 0xf0) << 20) | uint24(bytes, at);
      }
      default:
        return right ? uint32(bytes, at + 4) : uint32(bytes, at);
    }
  }

  /**
   * @param octets 4 or 16 of them; 16 only in a tree for IPv6
   * @throws RangeError when the path never ends, which a sound tree never does
   */
  find(octets: Uint8Array): TreeEntry | undefined {
    let node = octets.length === 4 ? this.starts[4] : this.starts[6];
    const bits = octets.length * 8;
    let depth = 0;
    for (; node < this.nodeCount && depth < bits; depth++) {
      node = this.child(node, (octets[depth >> 3]! & (0x80 >> (depth & 7))) !== 0);
    }
    if (node < this.nodeCount) throw new RangeError('a path of the search tree does not end');
    return node === this.nodeCount ? undefined : { record: node, prefixLength: depth };
  }

  #ipv4Start(): number {
    let node = 0;
    for (let depth = 0; node < this.nodeCount && depth < 96; depth++) node = this.child(node, false);
    return node;
  }
}

const uint24 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
const uint32 = (bytes: Uint8Array, at: number): number => bytes[at]! * 2 ** 24 + uint24(bytes, at + 1);
