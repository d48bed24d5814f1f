import { type Address, type Network, networkOf } from '@workspace/ip-addresses';
import { NetworkMap } from '../network-map.ts';

/** Many networks in which an address is found by as many look-ups as there are prefix lengths. */
export class NetworkSet {
  readonly #networks = new NetworkMap<true>();

  add(network: Network): void {
    this.#networks.add(network, true);
  }

  /** The smallest network that contains the address, in CIDR notation. */
  find(address: Address): string | undefined {
    const found = this.#networks.find(address);
    return found && networkOf(address, found.prefixLength);
  }
}
