import { contains, type Network, parseAddress, parseNetwork } from '@workspace/ip-addresses';

const NETWORKS = ['127.0.0.0/8', '::1'].map(parseNetwork) as Network[];

/** Whether a name or an address is one of this machine that no other machine reaches. */
export const isLoopback = (host: string): boolean => {
  const address = parseAddress(host);
  return address
    ? NETWORKS.some((network) => contains(network, address))
    : host.toLowerCase() === 'localhost';
};
