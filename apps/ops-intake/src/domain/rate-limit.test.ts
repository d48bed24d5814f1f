import { createRateLimit } from './rate-limit.ts';

const at = (milliseconds: number): Date => new Date(1_700_000_000_000 + milliseconds);

describe('the rate limit', () => {
  it('lets a burst through, then one request each interval', () => {
    const limit = createRateLimit({ perSecond: 10, burst: 3, clients: 10 });
    expect([0, 0, 0, 0].map((ms) => limit('a', at(ms)))).toEqual([0, 0, 0, 100]);
    expect(limit('a', at(99))).toBe(1);
    expect(limit('a', at(100))).toBe(0);
    expect(limit('a', at(100))).toBe(100);
  });

  it('counts each client by itself and a pause in its favour', () => {
    const limit = createRateLimit({ perSecond: 1, burst: 1, clients: 10 });
    expect([limit('a', at(0)), limit('b', at(0)), limit('a', at(1))]).toEqual([0, 0, 999]);
    expect(limit('a', at(60_000))).toBe(0);
  });

  it('remembers no more clients than told', () => {
    const limit = createRateLimit({ perSecond: 1, burst: 1, clients: 2 });
    for (const client of ['a', 'b', 'c']) limit(client, at(0));
    expect(limit('a', at(0))).toBe(0);
    expect(limit('c', at(0))).toBe(1_000);
  });
});
