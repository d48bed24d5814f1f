import fc from 'fast-check';
import { Address4, Address6 } from 'ip-address';
import { contains, firstAddressOf, networkOf, parseAddress, parseNetwork } from './index.ts';

const address = (text: string) => {
  const parsed = parseAddress(text);
  if (!parsed) throw new Error(`not an address: ${text}`);
  return parsed;
};

describe('parseNetwork', () => {
  it.each([
    ['10.0.0.0/8', 4, 8],
    ['192.0.2.1', 4, 32],
    ['2001:db8::/32', 6, 32],
    ['::1', 6, 128],
    ['::ffff:10.0.0.0/104', 4, 8],
    ['::ffff:10.0.0.1/128', 4, 32],
    ['::ffff:10.0.0.1', 4, 32],
  ])('parses %s', (text, family, length) => {
    expect(parseNetwork(text)).toMatchObject({ family, length });
  });

  it.each([
    '',
    '10.0.0.0/',
    '10.0.0.0/0',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0/8',
    '::/129',
    '::1%eth0/128',
    '::ffff:10.0.0.0/8',
    '::ffff:10.0.0.0/32',
    '::ffff:0.0.0.0/96',
    '::ffff:10.0.0.0/129',
  ])('rejects %j', (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  });
});

describe('contains', () => {
  it('agrees with the ip-address package', () => {
    const v4 = fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 1, max: 32 }));
    fc.assert(
      fc.property(v4, ([inside, block, length]) => {
        const network = parseNetwork(`${block}/${length}`);
        expect(network && contains(network, address(inside))).toBe(
          new Address4(inside).isInSubnet(new Address4(`${block}/${length}`)),
        );
      }),
    );
    // Close to the block's edge: the first address of the block, with one bit changed.
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 128 }), fc.nat(127), (length, bit) => {
        const bytes = new Uint8Array(16).fill(0xa5);
        const first = Address6.fromByteArray([...bytes]);
        bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
        const changed = Address6.fromByteArray([...bytes]).correctForm();
        const network = parseNetwork(`${first.correctForm()}/${length}`);
        expect(network && contains(network, address(changed))).toBe(bit >= length);
      }),
    );
  });

  it('never matches an address of the other family', () => {
    const network = parseNetwork('127.0.0.0/8');
    expect(network && contains(network, address('7f00::1'))).toBe(false);
  });
});

it.each([
  ['8.8.8.8', 24, '8.8.8.0/24', '8.8.8.0'],
  ['8.8.8.8', 32, '8.8.8.8/32', '8.8.8.8'],
  ['2001:db8:1:2:3:4:5:6', 64, '2001:db8:1:2::/64', '2001:db8:1:2::'],
  ['2001:db8:ffff::', 47, '2001:db8:fffe::/47', '2001:db8:fffe::'],
])('the block around %s of %i bits is %s', (text, length, network, first) => {
  expect(networkOf(address(text), length)).toBe(network);
  expect(firstAddressOf(address(text), length).text).toBe(first);
});
