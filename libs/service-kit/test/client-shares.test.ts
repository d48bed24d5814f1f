import { parseAddress } from '@workspace/ip-addresses';
import { ClientShares } from '@workspace/http-connections';
import { clientNetworks } from '../src/client-address/client-address.ts';

const client = (address: string) => clientNetworks(parseAddress(address)!);
/** Takes all that it can, one place each. */
const flood = (shares: ClientShares, addresses: string[]): number => {
  const before = shares.used;
  let used: number;
  do {
    used = shares.used;
    for (const address of addresses) shares.take(client(address));
  } while (shares.used > used);
  return shares.used - before;
};
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => prefix.replace('*', n.toString(16)));

describe('the shares of clients', () => {
  it.each([
    ['an address', ['192.0.2.1'], 1024],
    ['many addresses of a /64', many('2001:db8::*', 300), 1024],
    ['many /64 of a /56', many('2001:db8:0:*::1', 256), 1638],
    ['many /56 of a /48', many('2001:db8:0:*00::1', 256), 1927],
    ['17 addresses', many('192.0.2.1*', 10).concat(many('198.51.100.1*', 7)), 1934],
  ])('leave room beside %s', (_, addresses, taken) => {
    const shares = new ClientShares(2048);
    const all = flood(shares, addresses);
    expect(Math.abs(all - taken)).toBeLessThanOrEqual(addresses.length);
    expect(shares.take(client('203.0.113.1'))).toBeDefined();
    expect(shares.take(client('2001:db9::1'))).toBeDefined();
  });
});
