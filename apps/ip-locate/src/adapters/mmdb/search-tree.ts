import type { Reader, Response } from 'mmdb-lib';

type Metadata = Reader<Response>['metadata'];

/** Where an entry is, and how large the block of addresses is that leads to it. */
export interface TreeEntry {
  /** its pointer in the tree */
  readonly entry: number;
  /** number of leading bits of the address that lead to it */
  readonly prefixLength: number;
}

/** Bits of an address whose steps through the tree are remembered: more than half of those of an IPv4 address. */
const FIRST_BITS = 16;

/**
 * Where each combination of the first bits leads, filled as they are asked for. The nodes of these steps are scattered over
 * the file, so that walking them waits for memory at nearly every step.
 */
class FirstSteps {
  /** what a path ends at, or the node after FIRST_BITS; 0, the root, when the steps were never taken */
  readonly nodes = new Uint32Array(2 ** FIRST_BITS);
  /** how many bits lead there */
  readonly depths = new Uint8Array(2 ** FIRST_BITS);
}

/**
 * The search tree at the head of an mmdb file (https://maxmind.github.io/MaxMind-DB/, "Binary Search Tree Section"):
 * each node has a left and a right record, and a record is another node, nothing (`nodeCount`), or a pointer to data.
 *
 * mmdb-lib walks it too, but then decodes the whole entry.
 */
export class SearchTree {
  readonly nodeCount: number;
  /** the node where the addresses of a family start; in an IPv6 tree, IPv4 starts below 96 zero bits */
  readonly starts: { readonly 4: number; readonly 6: number };
  readonly #bytes: Uint8Array;
  readonly #nodeBytes: number;
  readonly #firstSteps = { 4: new FirstSteps(), 6: new FirstSteps() } as const;

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
    const family = octets.length === 4 ? 4 : 6;
    const { nodes, depths } = this.#firstSteps[family];
    const first = (octets[0]! << 8) | octets[1]!;
    let node = nodes[first]!;
    let depth = node < this.nodeCount ? FIRST_BITS : depths[first]!;
    if (node === 0) {
      node = this.starts[family];
      for (depth = 0; node < this.nodeCount && depth < FIRST_BITS; depth++) {
        node = this.child(node, isSet(octets, depth));
      }
      nodes[first] = node;
      depths[first] = depth;
    }
    const bits = octets.length * 8;
    for (; node < this.nodeCount && depth < bits; depth++) node = this.child(node, isSet(octets, depth));
    if (node < this.nodeCount) throw new RangeError('a path of the search tree does not end');
    return node === this.nodeCount ? undefined : { entry: node, prefixLength: depth };
  }

  #ipv4Start(): number {
    let node = 0;
    for (let depth = 0; node < this.nodeCount && depth < 96; depth++) node = this.child(node, false);
    return node;
  }
}

/** One bit of an address, counted from its start. */
const isSet = (octets: Uint8Array, bit: number): boolean => (octets[bit >> 3]! & (0x80 >> (bit & 7))) !== 0;

const uint24 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
const uint32 = (bytes: Uint8Array, at: number): number => bytes[at]! * 2 ** 24 + uint24(bytes, at + 1);
