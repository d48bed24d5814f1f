import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { appUnderTest, ONE_BUY, post } from './app-under-test.ts';

const AUTH_TOKENS = 'alice:0123456789abcdef,bob:fedcba9876543210';
const ALICE = { authorization: 'Bearer 0123456789abcdef' };
const BOB = { authorization: 'Bearer fedcba9876543210' };
const KEY = { 'idempotency-key': 'k' };

describe('bearer tokens', () => {
  it('are not asked for unless configured', async () => {
    const { app } = appUnderTest();
    expect((await post(app, ONE_BUY)).statusCode).toBe(202);
  });

  it('admit their principals only, before the body is read', async () => {
    const { app, log } = appUnderTest({ AUTH_TOKENS });
    expect((await post(app, ONE_BUY, ALICE)).statusCode).toBe(202);
    const none = await post(app, '[');
    expect([none.statusCode, none.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    const wrong = await post(app, ONE_BUY, { authorization: 'Bearer 0123456789abcdeX' });
    expect([wrong.statusCode, wrong.headers['www-authenticate']]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    expect(wrong.json()).toMatchObject({ type: 'urn:problem-type:unauthorized' });
    expect((await app.inject('/health')).statusCode).toBe(200);
    expect(log.records).toHaveLength(1);
  });

  it('keep the keys of principals apart', async () => {
    const { app, log } = appUnderTest({ AUTH_TOKENS });
    await post(app, ONE_BUY, { ...ALICE, ...KEY });
    expect((await post(app, ONE_BUY, { ...BOB, ...KEY })).headers['idempotent-replayed']).toBeUndefined();
    expect((await post(app, ONE_BUY, { ...ALICE, ...KEY })).headers['idempotent-replayed']).toBe('true');
    expect(new Set(log.records.map(({ key }) => key)).size).toBe(2);
  });

  it('never reach the record', async () => {
    const { app, log } = appUnderTest({ AUTH_TOKENS });
    await post(app, ONE_BUY, ALICE);
    expect(JSON.stringify(log.records[0]?.headers)).not.toContain('0123456789abcdef');
  });
});

describe('the rate limit', () => {
  it('answers 429 with Retry-After, to each principal separately', async () => {
    const { app } = appUnderTest({ AUTH_TOKENS, RATE_LIMIT: '2/minute' });
    const statuses = [];
    for (const who of [ALICE, ALICE, ALICE, BOB]) statuses.push((await post(app, ONE_BUY, who)).statusCode);
    expect(statuses).toEqual([202, 202, 429, 202]);
    const limited = await post(app, ONE_BUY, ALICE);
    expect(limited.headers['retry-after']).toBe('30');
    expect(limited.json()).toMatchObject({ type: 'urn:problem-type:rate-limited' });
  });

  const from = (address: string) => ({ 'x-forwarded-for': address });
  it.each([
    // The proxy is not trusted: everything comes from one address.
    [{}, '192.0.2.1', '192.0.2.2', 429],
    [{ TRUST_PROXY: 'loopback' }, '192.0.2.1', '192.0.2.2', 202],
    [{ TRUST_PROXY: '127.0.0.0/8' }, '192.0.2.1', '192.0.2.1', 429],
    // A household has a /64 of IPv6 addresses.
    [{ TRUST_PROXY: 'loopback' }, '2001:db8::1', '2001:db8::ffff:2', 429],
    [{ TRUST_PROXY: 'loopback' }, '2001:db8::1', '2001:db8:0:1::1', 202],
    [{ TRUST_PROXY: 'loopback' }, '192.0.2.1', '::ffff:192.0.2.1', 429],
    // Whatever is left of the nearest untrusted entry was written by the client.
    [{ TRUST_PROXY: 'loopback' }, '192.0.2.9, 192.0.2.1', '192.0.2.8, 192.0.2.1', 429],
    [{ TRUST_PROXY: 'loopback' }, 'unknown', 'something else', 429],
  ])(
    'counts networks of clients where there are no tokens: %j, %s, %s',
    async (env, first, second, expected) => {
      const { app } = appUnderTest({ ...env, RATE_LIMIT: '1/hour' });
      expect((await post(app, ONE_BUY, from(first))).statusCode).toBe(202);
      expect((await post(app, ONE_BUY, from(second))).statusCode).toBe(expected);
    },
  );

  it('reads the header that the proxy sends the address in', async () => {
    const { app } = appUnderTest({
      TRUST_PROXY: 'loopback',
      CLIENT_IP_HEADER: 'x-real-ip',
      RATE_LIMIT: '1/hour',
    });
    const statuses = [];
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) {
      statuses.push((await post(app, ONE_BUY, { 'x-real-ip': address })).statusCode);
    }
    expect(statuses).toEqual([202, 202, 429]);
  });
});

describe('compressed bodies', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('are taken as %s and published unpacked', async (encoding, compress) => {
    const { app, log } = appUnderTest();
    const answer = await post(app, compress(ONE_BUY), { 'content-encoding': encoding });
    expect(answer.statusCode).toBe(202);
    expect(log.records[0]?.value.toString()).toBe(ONE_BUY);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('of %s that unpack beyond the limit get 413', async (encoding, compress) => {
    const { app } = appUnderTest();
    const bomb = compress(Buffer.alloc(5_000_000, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    expect((await post(app, bomb, { 'content-encoding': encoding })).statusCode).toBe(413);
  });

  it.each([
    ['not gzip', Buffer.from(ONE_BUY), 'gzip', 400],
    ['half a gzip', gzipSync(ONE_BUY).subarray(0, 20), 'gzip', 400],
    ['not br', Buffer.from('definitely not brotli at all'), 'br', 400],
    ['deflate', deflateSync(ONE_BUY), 'deflate', 415],
    ['gzip in gzip', gzipSync(gzipSync(ONE_BUY)), 'gzip, gzip', 415],
  ])('rejects %s', async (_what, body, encoding, status) => {
    const { app, log } = appUnderTest();
    const answer = await post(app, body, { 'content-encoding': encoding });
    expect(answer.json()).toMatchObject({ status, detail: expect.stringContaining('Content-Encoding') });
    expect(log.records).toEqual([]);
  });
});

describe('an Idempotency-Key that is needed', () => {
  it('is asked for before the body is read', async () => {
    const { app } = appUnderTest({ IDEMPOTENCY_KEY_REQUIRED: 'true' });
    const rejected = await post(app, 'this would be malformed');
    expect(rejected.statusCode).toBe(400);
    expect(rejected.json()).toMatchObject({ type: 'urn:problem-type:idempotency-key-missing' });
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(202);
  });
});

describe('a full queue', () => {
  it('rejects before the body is read, but still replays', async () => {
    const { app, log } = appUnderTest();
    const first = await post(app, ONE_BUY, KEY);
    log.isFull = () => true;
    const rejected = await post(app, 'this would be 400');
    expect(rejected.statusCode).toBe(503);
    expect(rejected.headers['retry-after']).toBe('1');
    expect(rejected.json()).toMatchObject({ type: 'urn:problem-type:queue-full', outcome: 'not-published' });
    expect((await post(app, ONE_BUY, KEY)).body).toBe(first.body);
  });
});
