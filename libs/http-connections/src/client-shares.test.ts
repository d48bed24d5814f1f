import assert from 'node:assert/strict';
import { seededRandom } from '@workspace/testing/seeded-random';
import { type ClientNetwork, ClientShares } from './client-shares.ts';

const client = (network: string): ClientNetwork[] => [{ network, shares: 1 }];

/** Takes all places that a client can have. @returns how many */
const flood = (shares: ClientShares, network: string): number => {
  let taken = 0;
  while (shares.take(client(network))) taken += 1;
  return taken;
};

describe('the shares of clients', () => {
  it.each([
    [1, [1, 0]],
    [2, [1, 1]],
    [4, [2, 1]],
    [8, [4, 2]],
  ])('divide %d places among two', (total, expected) => {
    const shares = new ClientShares(total);
    expect([flood(shares, 'a'), flood(shares, 'b')]).toEqual(expected);
  });

  it('always let a client hold the floor', () => {
    const shares = new ClientShares(10);
    expect(shares.take(client('a'), 10, 10)).toBeDefined();
    expect(shares.take(client('b'), 1, 10)).toBeUndefined();
  });

  it('hold nothing in the end, in whichever order places are taken and given back, twice perhaps', () => {
    const random = seededRandom(47);
    const upTo = (n: number) => Math.floor(random() * n);
    // Of a client in an /64, a /56 and a /48, of one in a network of its own, or of a proxy.
    const networks = (): ClientNetwork[] =>
      [
        [4, 300],
        [2, 60],
        [1, 3],
      ]
        .slice(upTo(4))
        .map(([shares, count]) => ({ network: `${shares} ${upTo(count!)}`, shares: shares! }));
    const shares = new ClientShares(500);
    const taken: (() => void)[] = [];
    for (let step = 0; step < 20_000; step += 1) {
      const release = upTo(2) ? shares.take(networks(), 1 + upTo(9)) : undefined;
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
