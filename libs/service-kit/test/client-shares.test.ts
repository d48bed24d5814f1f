import assert from 'node:assert/strict';
import { parseAddress } from '@workspace/ip-addresses';
import { seededRandom } from '@workspace/testing/seeded-random';
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

  it.each([
    [1, [1, 0]],
    [2, [1, 1]],
    [4, [2, 1]],
    [8, [4, 2]],
  ])('divide %d places among two', (total, expected) => {
    const shares = new ClientShares(total);
    expect([flood(shares, ['192.0.2.1']), flood(shares, ['192.0.2.2'])]).toEqual(expected);
  });

  it('always let a client hold the floor', () => {
    const shares = new ClientShares(10);
    expect(shares.take(client('192.0.2.1'), 10, 10)).toBeDefined();
    expect(shares.take(client('192.0.2.2'), 1, 10)).toBeUndefined();
  });

  it('hold nothing in the end, in whichever order places are taken and given back, twice perhaps', () => {
    const random = seededRandom(47);
    const upTo = (n: number) => Math.floor(random() * n);
    const shares = new ClientShares(500);
    const taken: (() => void)[] = [];
    for (let step = 0; step < 20_000; step += 1) {
      const address = upTo(2)
        ? `192.0.2.${upTo(9)}`
        : `2001:db8:${upTo(3)}:${upTo(300).toString(16)}::${upTo(9)}`;
      const release = upTo(2) ? shares.take(upTo(9) ? client(address) : [], 1 + upTo(9)) : undefined;
      if (release) taken.push(release);
      const ended = taken.length > 0 && upTo(2) ? taken.splice(upTo(taken.length), 1)[0] : undefined;
      ended?.();
      if (upTo(2)) ended?.();
      assert(shares.used <= 500);
    }
    for (const release of taken) release();
    expect([shares.used, shares.clients]).toEqual([0, 0]);
  });
});
