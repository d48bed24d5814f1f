import { type Address, formatIPv6, ipv4 } from '../domain/address.ts';
import { DatabaseRefused } from './database-refused.ts';
import type { MmdbFile } from './mmdb-file.ts';

/** Repeatable pseudo-random numbers in [0, 1) (Marsaglia's xorshift32): a verdict must not change by asking again. */
export function createRandom(seed = 0x9e3779b9): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** One of the two records of a search tree node. */
function child({ bytes, reader }: MmdbFile, node: number, right: 0 | 1): number {
  const at = node * reader.metadata.nodeByteSize;
  switch (reader.metadata.recordSize) {
    case 24:
      return bytes.readUIntBE(at + 3 * right, 3);
    case 28: {
      const middle = bytes[at + 3] ?? 0;
      const high = right ? middle & 0x0f : middle >> 4;
      return high * 2 ** 24 + bytes.readUIntBE(at + 4 * right, 3);
    }
    default:
      return bytes.readUInt32BE(at + 4 * right);
  }
}

/** The node at which IPv4 begins in a tree for IPv6, and its depth; the root in a tree for IPv4. */
function ipv4Start(file: MmdbFile): { node: number; depth: number } {
  if (file.ipVersion === 4) return { node: 0, depth: 0 };
  let node = 0;
  let depth = 0;
  for (; depth < 96 && node < file.reader.metadata.nodeCount; depth++) node = child(file, node, 0);
  return { node, depth };
}

/**
 * Walks down the search tree at random, only into branches that hold something, so that it finds records in a file of
 * three entries as well as in one of millions.
 * @returns an address with a record
 * @throws DatabaseRefused when the path never ends, which no sound tree has
 */
export function randomEntry(file: MmdbFile, random: () => number, fromIPv4: boolean): Address | undefined {
  const { nodeCount } = file.reader.metadata;
  const bits = file.ipVersion === 4 ? 32 : 128;
  const octets = new Uint8Array(bits / 8);
  const start = fromIPv4 ? ipv4Start(file) : { node: 0, depth: 0 };
  let { node } = start;
  if (start.depth !== (fromIPv4 && bits === 128 ? 96 : 0)) return undefined;
  for (let depth = start.depth; node < nodeCount; depth++) {
    if (depth >= bits) throw new DatabaseRefused('the search tree is damaged: a path has no end');
    const sides = [child(file, node, 0), child(file, node, 1)] as const;
    let side: 0 | 1 = random() < 0.5 ? 0 : 1;
    if (sides[side] === nodeCount) side = side ? 0 : 1;
    node = sides[side];
    if (side) octets[depth >> 3] = (octets[depth >> 3] ?? 0) | (0x80 >> (depth & 7));
  }
  if (node === nodeCount) return undefined;
  if (bits === 32) return ipv4(octets);
  return fromIPv4 ? ipv4(octets.slice(12)) : { text: formatIPv6(octets), family: 6, bytes: octets };
}

/** An address anywhere in the family's public space (reserved ranges are not left out). */
export function randomAddress(family: 4 | 6, random: () => number): Address {
  const octets = new Uint8Array(family === 4 ? 4 : 16).map(() => Math.floor(random() * 256));
  if (family === 4) return ipv4(octets);
  octets[0] = 0x20 | ((octets[0] ?? 0) & 0x1f);
  return { text: formatIPv6(octets), family: 6, bytes: octets };
}
