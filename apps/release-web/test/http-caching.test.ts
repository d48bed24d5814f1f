import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type TestService, testService } from './service.ts';

const PATHS = [
  '/releases/feed.php',
  '/releases/branches.php',
  '/pre-release-builds.php',
  '/pre-release-builds.php?format=serialize',
  '/pre-release-builds.php?only=dev_versions',
  '/releases/index.php?json&version=8&max=3',
  '/releases/index.php',
  '/releases/8.4/',
  '/releases/active.php',
  '/releases/states.php',
  '/releases/feed.json',
  '/api/v1/branches',
  '/api/v1/releases',
];

let service: TestService;
beforeAll(async () => {
  service = await testService();
});

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers });

/** Always 200, says the contract. */
const UNCONDITIONAL = ['/mirror-info.php', '/mirror-info'];

describe.each(UNCONDITIONAL)('%s', (url) => {
  it('is 200 with its body, whatever the client already has', async () => {
    const first = await get(url);
    const { etag, 'last-modified': lastModified } = first.headers as Record<string, string>;
    for (const headers of [
      { 'if-none-match': etag! },
      { 'if-none-match': '*' },
      { 'if-modified-since': lastModified! },
      { 'if-modified-since': new Date('2036-01-01').toUTCString() },
    ]) {
      const answer = await get(url, headers);
      expect([answer.statusCode, answer.body]).toEqual([200, first.body]);
      const head = await service.app.inject({ method: 'HEAD', url, headers });
      expect(head.statusCode).toBe(200);
    }
  });
});

describe('data of a publisher whose clock is ahead', () => {
  it('was not modified in the future', async () => {
    const ahead = await testService();
    const modified = async () => (await ahead.app.inject('/releases/branches.php')).headers['last-modified'];
    ahead.set('2026-08-12T23:50:00Z');
    expect(await modified()).toBe('Wed, 12 Aug 2026 23:50:00 GMT');
    ahead.set('2026-08-13T00:00:01Z');
    expect(await modified()).toBe('Thu, 13 Aug 2026 00:00:00 GMT');
  });
});

describe.each(PATHS)('%s', (url) => {
  it('has one body in three forms, each with its own strong ETag', async () => {
    const [plain, gzip, br] = await Promise.all(
      ['identity', 'gzip', 'gzip, br'].map((encoding) => get(url, { 'accept-encoding': encoding })),
    );
    expect(plain!.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(gzip!.rawPayload).equals(plain!.rawPayload)).toBe(true);
    expect(brotliDecompressSync(br!.rawPayload).equals(plain!.rawPayload)).toBe(true);
    const tags = [plain, gzip, br].map((answer) => answer!.headers.etag);
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
  });

  it('answers 304 to its own validators, and keeps them', async () => {
    const first = await get(url);
    const { etag, 'last-modified': lastModified } = first.headers as Record<string, string>;
    for (const headers of [{ 'if-none-match': etag! }, { 'if-modified-since': lastModified! }]) {
      const answer = await get(url, headers);
      expect(answer.statusCode).toBe(304);
      expect(answer.body).toBe('');
      expect(answer.headers).toMatchObject({
        etag,
        'last-modified': lastModified,
        'cache-control': first.headers['cache-control'],
        vary: 'Accept-Encoding',
        'access-control-allow-origin': '*',
      });
      const head = await service.app.inject({ method: 'HEAD', url, headers });
      expect(head.statusCode).toBe(304);
      expect(head.headers).not.toHaveProperty('content-length');
    }
    expect(
      (await get(url, { 'if-none-match': '"other"', 'if-modified-since': lastModified! })).statusCode,
    ).toBe(200);
  });

  it('answers 200 to the validator of another form of it', async () => {
    const { etag } = (await get(url, { 'accept-encoding': 'gzip' })).headers as Record<string, string>;
    for (const encoding of ['br', 'identity']) {
      const answer = await get(url, { 'accept-encoding': encoding, 'if-none-match': etag! });
      expect(answer.statusCode).toBe(200);
    }
  });

  it('answers HEAD with the headers of GET', async () => {
    const [head, full] = await Promise.all([service.app.inject({ method: 'HEAD', url }), get(url)]);
    const { 'x-request-id': _a, date: _b, ...expected } = full.headers;
    expect(head.headers).toMatchObject(expected);
    expect(head.body).toBe('');
  });

  it('is the same whatever the other headers say', async () => {
    const [plain, other] = await Promise.all([
      get(url),
      get(url, {
        host: 'other.example',
        origin: 'https://foreign.example',
        'accept-language': 'de',
        accept: 'text/html',
        cookie: 'a=b',
        'user-agent': 'x',
        'x-forwarded-host': 'evil.example',
      }),
    ]);
    expect(other.rawPayload.equals(plain.rawPayload)).toBe(true);
    expect(other.headers.etag).toBe(plain.headers.etag);
    expect(other.headers['access-control-allow-origin']).toBe('*');
  });
});

describe('a conditional request', () => {
  const MODIFIED = 'Thu, 13 Aug 2026 00:00:00 GMT';

  it.each<[string, (etag: string) => Record<string, string>, number]>([
    ['a list that has the ETag', (etag) => ({ 'if-none-match': `"x" , ${etag}` }), 304],
    ['the ETag as a weak one', (etag) => ({ 'if-none-match': `W/${etag}` }), 304],
    ['any ETag', () => ({ 'if-none-match': '*' }), 304],
    ['another ETag', () => ({ 'if-none-match': '"x"' }), 200],
    ['another ETag, and a date', () => ({ 'if-none-match': '"x"', 'if-modified-since': MODIFIED }), 200],
    ['the date of the last change', () => ({ 'if-modified-since': MODIFIED }), 304],
    ['a later date', () => ({ 'if-modified-since': 'Fri, 14 Aug 2026 00:00:00 GMT' }), 304],
    ['the date of now', () => ({ 'if-modified-since': 'Sat, 21 Nov 2026 12:00:00 GMT' }), 304],
    // Of an answer that was sent while the clock was ahead.
    ['a date to come', () => ({ 'if-modified-since': 'Thu, 31 Dec 2026 00:00:00 GMT' }), 200],
    ['an earlier date', () => ({ 'if-modified-since': 'Wed, 12 Aug 2026 23:59:59 GMT' }), 200],
    ['the date as of RFC 850', () => ({ 'if-modified-since': 'Thursday, 13-Aug-26 00:00:00 GMT' }), 304],
    ['the date as of asctime()', () => ({ 'if-modified-since': 'Thu Aug 13 00:00:00 2026' }), 304],
    ['an earlier one', () => ({ 'if-modified-since': 'Wed Aug 12 23:59:59 2026' }), 200],
    ['a date without a time zone', () => ({ 'if-modified-since': '2026-08-14T00:00:00' }), 200],
    ['something that is not a date', () => ({ 'if-modified-since': 'nonsense' }), 200],
    ['a reload', (etag) => ({ 'if-none-match': etag, 'cache-control': 'no-cache' }), 200],
  ])('with %s', async (_with, headers, status) => {
    service.set('2026-11-21T12:00:00Z');
    const first = await get('/releases/branches.php');
    expect(first.headers['last-modified']).toBe(MODIFIED);
    const answer = await get('/releases/branches.php', headers(String(first.headers.etag)));
    expect(answer.statusCode).toBe(status);
  });
});

describe('the description of the API', () => {
  it('is validated by its ETag alone', async () => {
    const answer = await get('/openapi.json');
    expect(answer.headers).toMatchObject({
      'content-type': 'application/vnd.oai.openapi+json;version=3.1',
      'cache-control': 'public, max-age=300',
    });
    expect(answer.headers['last-modified']).toBeUndefined();
    const known = { 'if-none-match': String(answer.headers.etag) };
    expect((await get('/openapi.json', known)).statusCode).toBe(304);
  });
});

describe('a transition', () => {
  const answerAt = async (instant: string) => {
    service.set(instant);
    const { headers, body } = await get('/releases/branches.php');
    const state = JSON.parse(body).find(({ branch }: { branch: string }) => branch === '8.4').state;
    return { state, etag: headers.etag, modified: headers['last-modified'], cache: headers['cache-control'] };
  };

  it('changes body, ETag and Last-Modified at that second, without a restart', async () => {
    const longBefore = await answerAt('2026-12-01T00:00:00Z');
    const before = await answerAt('2026-12-30T23:59:59Z');
    const at = await answerAt('2026-12-31T00:00:00Z');
    const after = await answerAt('2026-12-31T00:00:01Z');
    expect(before).toEqual({ ...longBefore, cache: 'public, max-age=1, stale-while-revalidate=0' });
    expect(longBefore).toMatchObject({
      state: 'stable',
      cache: 'public, max-age=300',
      modified: 'Thu, 13 Aug 2026 00:00:00 GMT',
    });
    expect(at).toMatchObject({
      state: 'security',
      modified: 'Thu, 31 Dec 2026 00:00:00 GMT',
      cache: 'public, max-age=300',
    });
    expect(at.etag).not.toBe(before.etag);
    expect(after).toEqual(at);
  });

  it('is not delayed by a cache that serves a stale answer while it fetches a new one', async () => {
    expect((await answerAt('2026-12-30T23:50:00Z')).cache).toBe('public, max-age=300');
    // It is stale two seconds before the transition.
    expect((await answerAt('2026-12-30T23:54:58Z')).cache).toBe(
      'public, max-age=300, stale-while-revalidate=0',
    );
  });

  it('is undone when the clock is set back', async () => {
    await answerAt('2027-01-01T00:00:00Z');
    expect((await answerAt('2026-12-01T00:00:00Z')).state).toBe('stable');
  });
});

describe('validators', () => {
  it('are those of every instance', async () => {
    service.set('2026-11-21T12:00:00Z');
    const other = await testService();
    for (const url of PATHS)
      expect((await other.app.inject(url)).headers.etag).toBe((await get(url)).headers.etag);
  });

  it('differ between all representations', async () => {
    const answers = await Promise.all([...PATHS, ...UNCONDITIONAL].map((path) => get(path)));
    const bodies = new Map(
      answers.map(({ body, headers }) => [`${headers['content-type']} ${body}`, headers.etag]),
    );
    expect(new Set(bodies.values()).size).toBe(bodies.size);
  });
});
