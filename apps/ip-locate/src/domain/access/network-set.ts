import { type Address, type Network, networkOf } from '@workspace/ip-addresses';

/** Many networks in which an address is found by as many look-ups as there are prefix lengths. */
export class NetworkSet {
  /** texts of networks by their length, the longest first, by family */
  readonly #networks: Readonly<Record<4 | 6, readonly (readonly [number, ReadonlySet<string>])[]>>;

  constructor(networks: readonly Network[]) {
    this.#networks = { 4: byLength(networks, 4), 6: byLength(networks, 6) };
  }

  /** The smallest network that contains the address, in CIDR notation. */
  find(address: Address): string | undefined {
    for (const [length, texts] of this.#networks[address.family]) {
      const network = networkOf(address, length);
      if (texts.has(network)) return network;
    }
    return undefined;
  }
}

const byLength = (networks: readonly Network[], family: 4 | 6): [number, Set<string>][] => {
  const texts = new Map<number, Set<string>>();
  for (const { bytes, length, family: own } of networks) {
    if (own !== family) continue;
    const same = texts.get(length) ?? new Set();
    // Only the leading bits of a network count.
    texts.set(length, same.add(networkOf({ text: '', family, bytes }, length)));
  }
  return [...texts].sort(([a], [b]) => b - a);
};
