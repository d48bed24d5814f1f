import { parseRateLimit, RateLimiter, rateLimitViolations } from './rate-limit.ts';

const at = (milliseconds: number): Date => new Date(1_800_000_000_000 + milliseconds);

describe('RATE_LIMIT', () => {
  it.each([
    ['1/second', { requests: 1, per: 'second' }],
    ['600/minute', { requests: 600, per: 'minute' }],
    ['999999999/hour', { requests: 999_999_999, per: 'hour' }],
  ])('accepts %s', (RATE_LIMIT, limit) => {
    expect(rateLimitViolations({ RATE_LIMIT })).toEqual([]);
    expect(parseRateLimit({ RATE_LIMIT })).toEqual(limit);
  });

  it.each([{}, { RATE_LIMIT: '0' }])('is off with %j', (config) => {
    expect(rateLimitViolations(config)).toEqual([]);
    expect(parseRateLimit(config)).toBeUndefined();
  });

  it.each([
    '60',
    '60/min',
    '60/m',
    '0/second',
    '-1/second',
    '1.5/second',
    '60 /minute',
    '1e3/hour',
    'unlimited',
    '1/day',
  ])('rejects %s in one sentence that names the form', (RATE_LIMIT) => {
    const example = RATE_LIMIT === '60' ? 60 : 100;
    expect(rateLimitViolations({ RATE_LIMIT })).toEqual([
      `RATE_LIMIT must be <number>/<second|minute|hour>, such as ${example}/minute, or 0 for no limit, not "${RATE_LIMIT}"`,
    ]);
  });
});

describe('RateLimiter', () => {
  it('allows the whole allowance at once, then refills evenly', () => {
    const limiter = new RateLimiter({ requests: 4, per: 'second' });
    expect([0, 0, 0, 0, 0].map((ms) => limiter.take('a', at(ms)))).toEqual([0, 0, 0, 0, 250]);
    expect(limiter.take('a', at(249))).toBe(1);
    expect(limiter.take('a', at(250))).toBe(0);
    expect(limiter.take('a', at(250))).toBe(250);
    expect([0, 1, 2, 3, 4].map(() => limiter.take('a', at(60_000)))).toEqual([0, 0, 0, 0, 250]);
  });

  it('counts each client separately', () => {
    const limiter = new RateLimiter({ requests: 1, per: 'minute' });
    expect([limiter.take('a', at(0)), limiter.take('b', at(0)), limiter.take('a', at(1))]).toEqual([
      0, 0, 59_999,
    ]);
  });

  it('charges a batch as a whole or not at all', () => {
    const limiter = new RateLimiter({ requests: 10, per: 'minute' });
    expect(limiter.take('a', at(0), 8)).toBe(0);
    expect(limiter.take('a', at(0), 3)).toBe(6_000);
    expect(limiter.take('a', at(0), 2)).toBe(0);
    expect(limiter.take('a', at(3_600_000), 11)).toBe(Infinity);
  });

  it.each([3, 7, 1_000, 999_983])('loses nothing to rounding: %i per hour', (requests) => {
    const limiter = new RateLimiter({ requests, per: 'hour' });
    const taken = Array.from({ length: requests }, () => limiter.take('a', at(0)));
    expect(taken.every((wait) => wait === 0)).toBe(true);
    const wait = limiter.take('a', at(0));
    expect(wait).toBeGreaterThan(0);
    expect(limiter.take('a', at(wait))).toBe(0);
  });

  it('forgets the client seen longest ago when there are too many', () => {
    const limiter = new RateLimiter({ requests: 1, per: 'second' }, 2);
    for (const client of ['a', 'b', 'a', 'c']) limiter.take(client, at(0));
    expect(limiter.take('a', at(0))).toBe(1_000);
    expect(limiter.take('b', at(0))).toBe(0);
  });

  it('survives a clock that jumps back', () => {
    const limiter = new RateLimiter({ requests: 1, per: 'second' });
    expect(limiter.take('a', at(10_000))).toBe(0);
    expect(limiter.take('a', at(0))).toBe(1_000);
    expect(limiter.take('a', at(1_000))).toBe(0);
  });
});
