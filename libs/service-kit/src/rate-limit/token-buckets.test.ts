import { TokenBuckets } from './token-buckets.ts';

const at = (milliseconds: number): Date => new Date(1_800_000_000_000 + milliseconds);

describe('TokenBuckets', () => {
  it('allow the whole allowance at once, then refill evenly', () => {
    const buckets = new TokenBuckets({ requests: 4, per: 'second' });
    expect([0, 0, 0, 0, 0].map((ms) => buckets.take('a', at(ms)))).toEqual([3, 2, 1, 0, -1]);
    expect(buckets.take('a', at(249))).toBeCloseTo(-0.004, 6);
    expect(buckets.take('a', at(250))).toBe(0);
    expect(buckets.take('a', at(250))).toBe(-1);
    expect([0, 1, 2, 3, 4].map(() => buckets.take('a', at(60_000)))).toEqual([3, 2, 1, 0, -1]);
  });

  it('report how long a bucket takes to refill', () => {
    const buckets = new TokenBuckets({ requests: 4, per: 'second' });
    expect([0, 0.004, 1, 4].map((tokens) => buckets.waitMs(tokens))).toEqual([0, 1, 250, 1_000]);
  });

  it('count each client separately', () => {
    const buckets = new TokenBuckets({ requests: 1, per: 'minute' });
    expect([buckets.take('a', at(0)), buckets.take('b', at(0)), buckets.take('a', at(0))]).toEqual([
      0, 0, -1,
    ]);
  });

  it('charge a batch as a whole or not at all', () => {
    const buckets = new TokenBuckets({ requests: 10, per: 'minute' });
    expect(buckets.take('a', at(0), 8)).toBe(2);
    expect(buckets.take('a', at(0), 3)).toBe(-1);
    expect(buckets.take('a', at(0), 2)).toBe(0);
    expect(buckets.take('a', at(3_600_000), 11)).toBe(-1);
  });

  it.each([3, 7, 1_000, 999_983])('lose nothing to rounding: %i per hour', (requests) => {
    const buckets = new TokenBuckets({ requests, per: 'hour' });
    const taken = Array.from({ length: requests }, () => buckets.take('a', at(0)));
    expect(taken.every((balance) => balance >= 0)).toBe(true);
    const wait = buckets.waitMs(-buckets.take('a', at(0)));
    expect(wait).toBeGreaterThan(0);
    expect(buckets.take('a', at(wait))).toBeGreaterThanOrEqual(0);
  });

  it('forget the client seen longest ago when there are too many', () => {
    const buckets = new TokenBuckets({ requests: 1, per: 'second' }, 2);
    for (const client of ['a', 'b', 'a', 'c']) buckets.take(client, at(0));
    expect(buckets.take('a', at(0))).toBe(-1);
    expect(buckets.take('b', at(0))).toBe(0);
  });

  it('survive a clock that jumps back', () => {
    const buckets = new TokenBuckets({ requests: 1, per: 'second' });
    expect(buckets.take('a', at(10_000))).toBe(0);
    expect(buckets.take('a', at(0))).toBe(-1);
    expect(buckets.take('a', at(1_000))).toBe(0);
  });
});
