import fc from 'fast-check';
import { Address4, Address6 } from 'ip-address';
import { type Address, addressOf, formatIPv6, parseAddress } from '@workspace/ip-addresses';
import { contains, parseNetwork } from '@workspace/ip-addresses';
import { ownRange, reservedRange, writtenLength } from './special-ranges.ts';

const rangeOf = (text: string) => reservedRange(parseAddress(text) as Address);

/** Blocks judged stricter than the registry's "globally reachable", each for a reason given beside the table. */
const stricter = ['2001:20::/28', '2001:30::/28'].map((cidr) => parseNetwork(cidr));

const edges = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.8/30',
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 192.31.196.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24',
  '224.0.0.0/4 240.0.0.0/4 255.255.255.255/32 ::/96 ::/127 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64',
  '2001::/23 2001::/32 2001:1::/126 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28',
  '2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
]
  .join(' ')
  .split(' ');

/** An address near a block's edge: inside, just before or just behind. */
const nearEdge = fc
  .tuple(fc.constantFrom(...edges), fc.bigInt(-3n, 3n), fc.boolean(), fc.bigInt(0n, 2n ** 64n))
  .map(([cidr, step, fromEnd, random]) => {
    const network = parseNetwork(cidr);
    if (!network) throw new Error(cidr);
    const bits = BigInt(network.bytes.length * 8);
    const size = 1n << (bits - BigInt(network.length));
    const first = network.bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
    const at = first + (fromEnd ? size - 1n : 0n) + step + (random % 3n === 0n ? random % size : 0n);
    const bounded = BigInt.asUintN(Number(bits), at);
    const bytes = new Uint8Array(network.bytes.length);
    bytes.forEach((_, i) => {
      bytes[i] = Number((bounded >> (bits - 8n * BigInt(i + 1))) & 0xffn);
    });
    return network.family === 4 ? addressOf(bytes) : parseAddress(formatIPv6(bytes));
  });

const anywhere = fc.oneof(fc.ipV4(), fc.ipV6()).map((text) => parseAddress(text));

describe('ownRange', () => {
  it.each([
    ['10.1.2.3', 'private'],
    ['fd00::1', 'private'],
    ['127.0.0.1', 'private'],
    ['::1', 'private'],
    ['169.254.1.1', 'private'],
    ['fe80::1', 'private'],
    ['100.64.0.1', 'cgnat'],
    ['192.0.2.1', undefined],
    ['8.8.8.8', undefined],
    ['64:ff9b::10.0.0.1', undefined],
    ['2002:a00:1::1', undefined],
  ])('takes %s for %s', (text, range) => {
    expect(ownRange(parseAddress(text) as Address)).toBe(range);
  });
});

it.each([
  ['8.8.8.8', 24],
  ['64:ff9b::8.8.8.8', 120],
  ['2002:808:808::1', 40],
  // Inverted bits are no prefix.
  ['2001:0:a00:1::f7f7:f7f7', 128],
])('a /24 that %s is in has %i bits as it is written', (text, length) => {
  expect(writtenLength(parseAddress(text) as Address, 24)).toBe(length);
});

describe('reservedRange', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private use'],
    ['100.64.0.1', 'shared address space'],
    ['169.254.169.254', 'link local'],
    ['255.255.255.255', 'reserved for future use'],
    ['::8.8.8.8', 'IPv4-compatible'],
    ['64:ff9b::10.0.0.1', 'private use'],
    ['64:ff9b:1::8.8.8.8', 'local-use translation'],
    ['2002:a00:1::1', 'private use'],
    ['2001:0:808:808::f5ff:fffe', 'private use'],
    ['100:0:0:1::1', 'dummy prefix'],
    ['fd00::1', 'unique local'],
    ['4000::1', 'reserved by the IETF'],
    ['ff02::1', 'multicast'],
    ['0.1.2.3', 'this network'],
    ['192.0.0.1', 'IETF protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.2', '6a44 relay anycast'],
    ['198.19.255.255', 'benchmarking'],
    ['::', 'unspecified'],
    ['100::1', 'discard only'],
    ['2001:20::1', 'ORCHIDv2'],
    ['2001:30::1', 'drone remote identification'],
    ['2001:db8::1', 'documentation'],
    ['5f00::1', 'segment routing'],
    ['fec0::1', 'site local'],
  ])('knows %s as %s', (text, name) => {
    expect(rangeOf(text)).toBe(name);
  });

  it.each([
    ...['8.8.8.8', '192.0.0.9', '172.32.0.1', '2001:1::1', '2001:4860:4860::8888', '64:ff9b::8.8.8.8'],
    ...['2002:808:808::1', '2001:0:a00:1::f7f7:f7f7'],
  ])('lets %s pass', (text) => {
    expect(rangeOf(text)).toBeUndefined();
  });

  it('agrees with the registry as the ip-address package reads it', () => {
    fc.assert(
      fc.property(fc.oneof(nearEdge, anywhere), (address) => {
        // The package judges NAT64 by the address within, but neither 6to4 nor Teredo.
        if (!address || ['2002::/16', '2001::/32'].some((cidr) => contains(parseNetwork(cidr)!, address)))
          return;
        const oracle = address.family === 4 ? new Address4(address.text) : new Address6(address.text);
        const byRule = stricter.some((network) => network && contains(network, address));
        expect([address.text, reservedRange(address) === undefined]).toEqual([
          address.text,
          oracle.isGlobal() && !byRule,
        ]);
      }),
      { numRuns: 3_000 },
    );
  });
});
