import type { Address } from './address.ts';
import { contains, type Network, parseNetwork } from './network.ts';

/** Names for blocks that proxies usually live in. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Reads a comma-separated list of trusted proxies: addresses, CIDR blocks, names of blocks. `true` and hop counts are
 * faults: the first believes every sender, the second whoever comes first when a proxy is bypassed.
 */
export function parseTrust(text: string): { networks: Network[]; faults: string[] } {
  const networks: Network[] = [];
  const faults: string[] = [];
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const parsed = (NAMED[entry] ?? [entry]).map((cidr) => parseNetwork(cidr));
    for (const network of parsed) {
      if (network) networks.push(network);
      else faults.push(entry);
    }
  }
  return { networks, faults };
}

export const isTrusted = (networks: readonly Network[], address: Address): boolean =>
  networks.some((network) => contains(network, address));
