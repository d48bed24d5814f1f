import { type Address, addressOf, contains, type Network, parseNetwork } from '@workspace/ip-addresses';

/**
 * Addresses that have no location: the IANA special-purpose registries
 * (https://www.iana.org/assignments/iana-ipv4-special-registry/, …/iana-ipv6-special-registry/), read by their
 * column "Globally Reachable", plus multicast, identifiers that only look like addresses, and IPv6 outside 2000::/3, the
 * only block handed out to networks (https://www.iana.org/assignments/ipv6-address-space/).
 * Databases do answer for some of them, so this check comes first. 6to4 and Teredo are judged by the IPv4 address within.
 * More specific blocks stand before the block around them; `null` marks the globally reachable ones.
 */
const IPV4: readonly (readonly [string, string | null])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private use'],
  ['100.64.0.0/10', 'shared address space'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link local'],
  ['172.16.0.0/12', 'private use'],
  ['192.0.0.9/32', null],
  ['192.0.0.10/32', null],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.2/32', '6a44 relay anycast'],
  ['192.168.0.0/16', 'private use'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved for future use'],
];

const IPV6: readonly (readonly [string, string | null])[] = [
  ['::1/128', 'loopback'],
  ['::/128', 'unspecified'],
  // Retired by RFC 4291 §2.5.5.1; MaxMind files would answer for the embedded IPv4 address.
  ['::/96', 'IPv4-compatible'],
  ['64:ff9b:1::/48', 'local-use translation'],
  ['100::/64', 'discard only'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001:1::1/128', null],
  ['2001:1::2/128', null],
  ['2001:1::3/128', null],
  ['2001:3::/32', null],
  ['2001:4:112::/48', null],
  // Identifiers that look like addresses but are never routed (RFC 7343, RFC 9374).
  ['2001:20::/28', 'ORCHIDv2'],
  ['2001:30::/28', 'drone remote identification'],
  ['2001::/23', 'IETF protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link local'],
  // Retired by RFC 3879.
  ['fec0::/10', 'site local'],
  ['ff00::/8', 'multicast'],
];

interface Range {
  readonly network: Network;
  readonly name: string | null;
}

// Stryker disable MethodExpression,ArithmeticOperator,ConditionalExpression: to look at further ranges only takes longer
const byFirstOctet = (all: readonly Range[]): readonly (readonly Range[])[] =>
  Array.from({ length: 256 }, (_, octet) =>
    all.filter(({ network: { bytes, length } }) => {
      const mask = (0xff << Math.max(0, 8 - length)) & 0xff;
      return (octet & mask) === ((bytes[0] ?? 0) & mask);
    }),
  );
// Stryker restore MethodExpression,ArithmeticOperator,ConditionalExpression

const networkNamed = (cidr: string): Network => parseNetwork(cidr)!;

const toRange = ([cidr, name]: readonly [string, string | null]): Range => ({
  network: networkNamed(cidr),
  name,
});

/** By the first octet of an address: most addresses then need no comparison. */
const ranges = { 4: byFirstOctet(IPV4.map(toRange)), 6: byFirstOctet(IPV6.map(toRange)) };
const allocated = networkNamed('2000::/3');

/** IPv6 prefixes whose addresses contain the IPv4 address of a host. */
interface Transition {
  readonly network: Network;
  /** the first octet of the IPv4 address */
  readonly at: number;
  /** whether the bits of the IPv4 address are inverted */
  readonly isInverted?: true;
}

const TRANSITIONS: readonly Transition[] = [
  // NAT64 (RFC 6052 §2.1). Prefixes of a network's own (RFC 8215) do not say where the IPv4 address begins.
  { network: networkNamed('64:ff9b::/96'), at: 12 },
  // 6to4 (RFC 3056 §2)
  { network: networkNamed('2002::/16'), at: 2 },
  // Teredo (RFC 4380 §4): the address of the client's NAT
  { network: networkNamed('2001::/32'), at: 12, isInverted: true },
];

const transitionOf = (address: Address): Transition | undefined =>
  // Stryker disable next-line ConditionalExpression: an IPv4 address is in none, and looking takes longer
  address.family === 6 ? TRANSITIONS.find(({ network }) => contains(network, address)) : undefined;

/** The address of the host: the IPv4 address inside an address of NAT64, 6to4 or Teredo; else the address itself. */
export const hostAddress = (address: Address): Address => {
  const transition = transitionOf(address);
  if (!transition) return address;
  const { at, isInverted } = transition;
  const octets = address.bytes.slice(at, at + 4);
  return addressOf(isInverted ? octets.map((octet) => octet ^ 0xff) : octets);
};

/**
 * The length in bits of the block that an address is written in.
 * @param length of the block that the address of its host is in
 */
export const writtenLength = (address: Address, length: number): number => {
  const transition = transitionOf(address);
  if (!transition) return length;
  // What Teredo inverts is no prefix of anything.
  return transition.isInverted ? 128 : transition.at * 8 + length;
};

/** The name of the reserved range an address lies in, or undefined for an address of the public Internet. */
export const reservedRange = (written: Address): string | undefined => {
  const address = hostAddress(written);
  for (const range of ranges[address.family][address.bytes[0] ?? 0] ?? []) {
    if (contains(range.network, address)) return range.name ?? undefined;
  }
  return address.family === 4 || contains(allocated, address) ? undefined : 'reserved by the IETF';
};

const OWN_RANGES: Readonly<Record<string, 'private' | 'cgnat'>> = {
  'private use': 'private',
  'unique local': 'private',
  loopback: 'private',
  'link local': 'private',
  'shared address space': 'cgnat',
};

/**
 * Whether an address is of a network's own: private (RFC 1918, RFC 4193, loopback, link-local), or behind the NAT of a
 * provider (RFC 6598). An address of NAT64, 6to4 or Teredo comes from elsewhere, whatever it contains.
 */
export const ownRange = (address: Address): 'private' | 'cgnat' | undefined =>
  // Stryker disable next-line StringLiteral: any text that names no range
  transitionOf(address) ? undefined : OWN_RANGES[reservedRange(address) ?? ''];
