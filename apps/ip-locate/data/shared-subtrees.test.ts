import { Reader, type Response } from 'mmdb-lib';
import { seededRandom } from '@workspace/testing/seeded-random';
import { type MmdbContents, writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';
import { randomAddress } from '../src/adapters/mmdb/sample-addresses.ts';
import { shareSubtrees } from './shared-subtrees.ts';

type Name = 'one' | 'two' | 'three';
/** Each stored once, as in the files of vendors. */
const ENTRIES = { one: { name: 'one' }, two: { name: 'two' }, three: { name: 'three' } };
const NAMES = Object.keys(ENTRIES) as Name[];

const mmdb = (entries: Record<string, Name>, options: Partial<MmdbContents> = {}) =>
  writeMmdb({
    type: 'Test',
    ...options,
    entries: Object.entries(entries).map(([network, name]) => [network, ENTRIES[name]]),
  });
const nodesOf = (file: Buffer): number => new Reader<Response>(file).metadata.nodeCount;
/** What MaxMind's reader finds, and by how many bits. */
const finder = (file: Buffer) => {
  const reader = new Reader<Response>(file);
  return (address: string) => reader.getWithPrefixLength(address);
};

describe('a search tree with each subtree stored once', () => {
  it.each([
    [4, 24],
    [4, 28],
    [6, 24],
    [6, 28],
    [6, 32],
  ] as const)('finds what it found, at the same prefix lengths: IPv%s, %s bits', (ipVersion, recordSize) => {
    const random = seededRandom(ipVersion * recordSize);
    for (let run = 0; run < 5; run++) {
      const family = () => (ipVersion === 4 || random() < 0.5 ? 4 : 6);
      const networks = Array.from({ length: 200 }, () => {
        const address = randomAddress(family(), random);
        return { address, length: Math.ceil(random() * address.bytes.length * 8) };
      });
      const file = mmdb(
        Object.fromEntries(
          networks.map(({ address, length }) => [
            `${address.text}/${length}`,
            NAMES[Math.floor(random() * NAMES.length)]!,
          ]),
        ),
        { ipVersion, recordSize },
      );
      const shared = shareSubtrees(file);
      expect(nodesOf(shared)).toBeLessThan(nodesOf(file));
      const [before, after] = [finder(file), finder(shared)];
      const others = Array.from({ length: 200 }, () => randomAddress(family(), random));
      for (const { text } of [...networks.map(({ address }) => address), ...others]) {
        expect([text, after(text)]).toEqual([text, before(text)]);
      }
      expect(shareSubtrees(shared).equals(shared)).toBe(true);
    }
  });

  it('needs the nodes of a division that two networks have in common only once', () => {
    const division = (start: string) => ({
      [`${start}.0.0/17`]: 'one' as const,
      [`${start}.128.0/17`]: 'two' as const,
    });
    const [one, two] = [division('80.1'), { ...division('80.1'), ...division('81.1') }].map((entries) => {
      const file = mmdb(entries, { ipVersion: 4 });
      return { before: nodesOf(file), after: nodesOf(shareSubtrees(file)) };
    });
    expect(one).toEqual({ before: 17, after: 17 });
    // 80 and 81 part at the eighth bit.
    expect(two).toEqual({ before: 26, after: 17 });
  });

  it('is not made of a tree whose nodes stand behind their children', () => {
    const file = mmdb({ '80.0.0.0/8': 'one' }, { ipVersion: 4, recordSize: 24 });
    // The last of the eight nodes points to the sixth.
    file.writeUIntBE(5, 7 * 6, 3);
    expect(() => shareSubtrees(file)).toThrow('node 5 stands before its parent 7');
  });

  it('needs the number of nodes in the metadata', () => {
    const file = mmdb({ '80.0.0.0/8': 'one' });
    const at = file.lastIndexOf('node_count') + 'node_count'.length;
    file[at] = (5 << 5) | (file[at]! & 0x1f);
    expect(() => shareSubtrees(file)).toThrow('no node_count of 32 bits');
  });
});
