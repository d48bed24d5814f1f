import { parseRedisUrl } from './redis-address.ts';

describe('the address of a key store in Redis', () => {
  it.each([
    [
      'redis://store',
      { mode: 'single', nodes: [{ host: 'store', port: 6379 }], login: {}, database: 0, tls: false },
    ],
    [
      'rediss://user:p%40ss:word@[::1]:6380/2',
      {
        mode: 'single',
        nodes: [{ host: '::1', port: 6380 }],
        login: { username: 'user', password: 'p@ss:word' },
        database: 2,
        tls: true,
      },
    ],
    [
      'redis+sentinel://:secret@one:26380,two,[::1]:26381/my%20master/3?sentinel_username=s&sentinel_password=t%26u',
      {
        mode: 'sentinel',
        nodes: [
          { host: 'one', port: 26_380 },
          { host: 'two', port: 26_379 },
          { host: '::1', port: 26_381 },
        ],
        masterName: 'my master',
        login: { password: 'secret' },
        sentinelLogin: { username: 's', password: 't&u' },
        database: 3,
        tls: false,
      },
    ],
    [
      'rediss+cluster://user:secret@one:7000,two:7001/',
      {
        mode: 'cluster',
        nodes: [
          { host: 'one', port: 7000 },
          { host: 'two', port: 7001 },
        ],
        login: { username: 'user', password: 'secret' },
        tls: true,
      },
    ],
  ])('is read from %s', (url, address) => {
    expect(parseRedisUrl(url)).toMatchObject(address);
  });

  it('is refused otherwise', () => {
    expect(() => parseRedisUrl('http://store')).toThrow(TypeError);
  });
});
