import { type Address, addressOf } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-process';
import type { MmdbFile } from './mmdb-file.ts';

/** Repeatable pseudo-random numbers in [0, 1) (Marsaglia's xorshift32): verifying a file twice must give the same result. */
export const createRandom = (): (() => number) => {
  let state = 0x9e3779b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
};

/**
 * Walks down the search tree at random, but only into branches that are not empty, so that it finds entries in a file of
 * three entries as well as in one of millions.
 * @returns an address with an entry
 * @throws UnusableFiles when the path never ends, which a sound tree never does
 */
export const randomEntry = (file: MmdbFile, random: () => number, fromIPv4: boolean): Address | undefined => {
  const { tree, ipVersion } = file;
  const family = fromIPv4 ? 4 : ipVersion;
  const octets = new Uint8Array(family === 4 ? 4 : 16);
  let node = tree.starts[family];
  for (let depth = 0; node < tree.nodeCount; depth++) {
    if (depth >= octets.length * 8)
      throw new UnusableFiles('the search tree is damaged: a path does not end');
    const sides = [tree.child(node, false), tree.child(node, true)] as const;
    let side: 0 | 1 = random() < 0.5 ? 0 : 1;
    if (sides[side] === tree.nodeCount) side = side ? 0 : 1;
    node = sides[side];
    if (side) octets[depth >> 3] = (octets[depth >> 3] ?? 0) | (0x80 >> (depth & 7));
  }
  if (node === tree.nodeCount) return undefined;
  return addressOf(octets);
};

/** An address anywhere in the family's public space (reserved ranges included). */
export const randomAddress = (family: 4 | 6, random: () => number): Address => {
  const octets = new Uint8Array(family === 4 ? 4 : 16).map(() => Math.floor(random() * 256));
  if (family === 6) octets[0] = 0x20 | ((octets[0] ?? 0) & 0x1f);
  return addressOf(octets);
};
