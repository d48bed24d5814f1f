import assert from 'node:assert/strict';
import { Reader, type Response } from 'mmdb-lib';
import { seededRandom } from '@workspace/testing/seeded-random';
import { randomAddress } from '../src/adapters/mmdb/sample-addresses.ts';
import { openMmdb } from '../src/adapters/mmdb/mmdb-file.ts';
import { SearchTree } from '../src/adapters/mmdb/search-tree.ts';
import { cityMmdb, munich, odd, villages } from './databases.ts';
import { writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';

describe('the search tree', () => {
  const nested = [
    ['0.0.0.0/1', { name: 'half' }],
    ['128.0.0.0/2', { name: 'quarter' }],
    ['130.0.0.0/16', { name: 'inner' }],
    ['130.0.7.7/32', { name: 'host' }],
    ['2000::/4', { name: 'six' }],
    ['2abc:def0::/33', { name: 'deep' }],
    ['2abc:def0::1/128', { name: 'host six' }],
  ] as const;

  it.each([24, 28, 32] as const)('finds what mmdb-lib finds, as deep, in nodes of %d bits', (recordSize) => {
    const bytes = writeMmdb({ type: 'Test', recordSize, entries: nested });
    const { tree } = openMmdb(bytes);
    const reader = new Reader<Response>(bytes);
    const random = seededRandom(recordSize);
    const names = new Map<number, unknown>();
    let found = 0;
    for (let i = 0; i < 4_000; i++) {
      const address = randomAddress(i % 2 ? 4 : 6, random);
      const [entry, prefixLength] = reader.getWithPrefixLength(address.text);
      const ours = tree.find(address.bytes);
      // The first steps are remembered by now.
      assert.deepEqual(tree.find(address.bytes), ours);
      assert.equal(ours?.prefixLength, entry === null ? undefined : prefixLength);
      if (!ours) continue;
      found++;
      assert.deepEqual(entry, names.get(ours.entry) ?? entry);
      names.set(ours.entry, entry);
    }
    expect(found).toBeGreaterThan(1_000);
    expect(names.size).toBeGreaterThan(2);
  });

  it.each([
    [6, 'fedcba' + '987654', 0xfedcba, 0x987654],
    [7, 'edcba9' + 'f8' + '765432', 0xfedcba9, 0x8765432],
    [8, 'fedcba98' + '87654321', 0xfedcba98, 0x87654321],
  ])('reads the largest records of nodes of %d bytes', (nodeByteSize, node, left, right) => {
    const bytes = Buffer.from('00'.repeat(nodeByteSize) + node, 'hex');
    const metadata = { nodeCount: 2, nodeByteSize, ipVersion: 4 } as Reader<Response>['metadata'];
    const tree = new SearchTree(bytes, metadata);
    expect([tree.child(1, false), tree.child(1, true)]).toEqual([left, right]);
  });

  it('finds blocks of one address', () => {
    const { tree } = openMmdb(writeMmdb({ type: 'Test', entries: nested }));
    expect(tree.find(Uint8Array.of(130, 0, 7, 7))?.prefixLength).toBe(32);
    const host = Uint8Array.of(0x2a, 0xbc, 0xde, 0xf0, ...new Array<number>(11).fill(0), 1);
    expect(tree.find(host)?.prefixLength).toBe(128);
  });

  it.each([15, 16, 17])(
    'finds the first and the last address of a block of %d bits, and none beside it',
    (bits) => {
      const { tree } = openMmdb(
        writeMmdb({ type: 'Test', ipVersion: 4, entries: [[`80.4.0.0/${bits}`, { name: 'block' }]] }),
      );
      const first = 80 * 2 ** 24 + 4 * 2 ** 16;
      const size = 2 ** (32 - bits);
      const lengthAt = (address: number) => {
        const octets = Buffer.alloc(4);
        octets.writeUInt32BE(address);
        return tree.find(octets)?.prefixLength;
      };
      const around = [first - 1, first, first + size - 1, first + size];
      for (let time = 0; time < 2; time++)
        expect(around.map(lengthAt)).toEqual([undefined, bits, bits, undefined]);
    },
  );

  it('never follows a path that does not end', () => {
    const bytes = cityMmdb({ entries: [['80.0.0.0/8', munich], ...villages(), ...Object.entries(odd)] });
    bytes.fill(0, 0, new Reader<Response>(bytes).metadata.searchTreeSize);
    const { tree } = openMmdb(bytes);
    expect(() => tree.find(Uint8Array.of(80, 1, 2, 3))).toThrow('does not end');
  });
});
