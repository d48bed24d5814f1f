import { parseRateLimit, rateLimitViolations } from './rate-limit-setting.ts';

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
      `RATE_LIMIT must be <number>/<second|minute|hour>, such as ${example}/minute, or 0 for no limit`,
    ]);
  });
});

describe('RATE_LIMIT_STORE_URL', () => {
  it.each(['redis://store:6379', 'rediss://user:secret@store:6380/2'])(
    'accepts %s',
    (RATE_LIMIT_STORE_URL) => {
      expect(rateLimitViolations({ RATE_LIMIT_STORE_URL })).toEqual([]);
    },
  );

  it.each(['store:6379', 'http://store', 'redis//store:secret'])('rejects %s without showing it', (url) => {
    expect(rateLimitViolations({ RATE_LIMIT_STORE_URL: url })).toEqual([
      'RATE_LIMIT_STORE_URL must be a redis:// or rediss:// URL',
    ]);
  });
});
