import { type Address, addressOf, parseAddress } from './address.ts';

/** A block of addresses: the `length` leading bits of `bytes`. */
export interface Network {
  readonly family: 4 | 6;
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Bits of an IPv4-mapped address before those of the IPv4 address. */
const MAPPED_BITS = 96;

/**
 * Parses CIDR notation, `10.0.0.0/8`, or the same as `::ffff:10.0.0.0/104`. A bare address is the block that contains only itself.
 * @returns undefined unless the text is an address with a prefix length that fits it
 */
export const parseNetwork = (text: string): Network | undefined => {
  const slash = text.indexOf('/');
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (!address) return undefined;
  const bits = address.bytes.length * 8;
  if (slash < 0) return { family: address.family, bytes: address.bytes, length: bits };
  const digits = text.slice(slash + 1);
  // /0 is rejected on purpose: neither special-purpose ranges nor trusted proxies ever mean the whole Internet.
  if (!/^[1-9]\d{0,2}$/.test(digits)) return undefined;
  const isMapped = address.family === 4 && text.includes(':');
  const length = Number(digits) - (isMapped ? MAPPED_BITS : 0);
  if (length < 1 || length > bits) return undefined;
  return { family: address.family, bytes: address.bytes, length };
};

/** Whether the address lies inside the block; an address of the other family never does. */
export const contains = (network: Network, address: Address): boolean =>
  network.family === address.family && startsWith(address.bytes, network.bytes, network.length);

const startsWith = (bytes: Uint8Array, prefix: Uint8Array, length: number): boolean => {
  const whole = length >> 3;
  for (let at = 0; at < whole; at++) if (bytes[at] !== prefix[at]) return false;
  const rest = length & 7;
  if (rest === 0) return true;
  return (((bytes[whole] ?? 0) ^ (prefix[whole] ?? 0)) & (0xff << (8 - rest)) & 0xff) === 0;
};

/** The block of `length` bits around an address, as text: `8.8.8.0/24`. */
export const networkOf = (address: Pick<Address, 'bytes'>, length: number): string =>
  `${firstAddressOf(address, length).text}/${length}`;

/** The first address of the block of `length` bits around an address. */
export const firstAddressOf = ({ bytes }: Pick<Address, 'bytes'>, length: number): Address =>
  addressOf(
    bytes.map((byte, at) => {
      const kept = Math.min(8, Math.max(0, length - at * 8));
      return byte & (0xff << (8 - kept)) & 0xff;
    }),
  );
