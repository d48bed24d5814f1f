import { type Address, firstAddressOf, type Network } from '@workspace/ip-addresses';

/** Values of networks, of which the longest that contains an address counts. */
export class NetworkMap<T> {
  /** values by the leading bits of their network, by its length, the longest first */
  readonly #byLength: Record<4 | 6, [length: number, values: Map<string, T>][]> = { 4: [], 6: [] };

  /** @returns false when the network has a value already */
  add(network: Network, value: T): boolean {
    const { family, length } = network;
    const lengths = this.#byLength[family];
    let values = lengths.find(([one]) => one === length)?.[1];
    if (!values) {
      lengths.push([length, (values = new Map())]);
      lengths.sort(([a], [b]) => b - a);
    }
    const key = keyOf(network, length);
    if (values.has(key)) return false;
    values.set(key, value);
    return true;
  }

  find(
    address: Pick<Address, 'family' | 'bytes'>,
  ): { readonly value: T; readonly prefixLength: number } | undefined {
    for (const [prefixLength, values] of this.#byLength[address.family]) {
      const value = values.get(keyOf(address, prefixLength));
      if (value !== undefined) return { value, prefixLength };
    }
    return undefined;
  }
}

/** The leading bits, in as many characters as they have bytes. */
const keyOf = ({ bytes }: { readonly bytes: Uint8Array }, length: number): string => {
  const whole = length >> 3;
  let key = '';
  for (let at = 0; at < whole; at++) key += String.fromCharCode(bytes[at]!);
  const rest = length & 7;
  return rest === 0 ? key : key + String.fromCharCode(bytes[whole]! & (0xff << (8 - rest)) & 0xff);
};

/** Whether a network is written as its first address, without bits beyond its length. */
export const isFirstAddress = (network: Network): boolean => {
  const first = firstAddressOf(network, network.length);
  return network.bytes.every((byte, at) => byte === first.bytes[at]);
};
