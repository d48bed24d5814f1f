import { type Address, contains, type Network, parseNetwork } from '@workspace/ip-addresses';

/** Names for the blocks that proxies usually live in. */
const NAMED_BLOCKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Parses a comma-separated list of trusted proxies: addresses, CIDR blocks, names of blocks. `true` and hop counts are
 * invalid on purpose: the first trusts every sender, the second trusts anyone who reaches the service around the proxy.
 * @returns the blocks, and the place in the list, from 1 on, of every entry that is not a block
 */
export const parseTrustedProxies = (text: string): { networks: Network[]; invalid: number[] } => {
  const networks: Network[] = [];
  const invalid: number[] = [];
  for (const [index, entry] of text
    .split(',')
    .map((part) => part.trim())
    .entries()) {
    if (entry === '') continue;
    const blocks = Object.hasOwn(NAMED_BLOCKS, entry) ? NAMED_BLOCKS[entry]! : [entry];
    for (const network of blocks.map(parseNetwork)) {
      if (network) networks.push(network);
      else invalid.push(index + 1);
    }
  }
  return { networks, invalid };
};

export const isTrusted = (proxies: readonly Network[], address: Address): boolean =>
  proxies.some((network) => contains(network, address));
