import { digestOfToken, parseApiKeyFile } from '@workspace/service-kit/access-tokens';
import { createClientAddress } from '@workspace/service-kit/client-address';
import { parseRateLimit } from '@workspace/service-kit/rate-limit';
import { openedApiKeys } from './index.ts';
import type { ApiKeySettings } from './keys.ts';
import { MUNICH, testApp } from '../../../test/app.ts';

const ACME = 'acme-0123456789abcdef';
const PARTNER = 'partner-0123456789abcdef';
const STAFF = 'staff-0123456789abcdef';
const lineOf = (name: string, key: string, limit = '') =>
  `${name}:${digestOfToken(key).toString('hex')} ${limit}`;
const FILE = [lineOf('acme', ACME), lineOf('partner', PARTNER, '3/hour'), lineOf('staff', STAFF, '0')];

const keysOf = (lines: readonly string[]) => {
  const parsed = parseApiKeyFile(lines.join('\n'));
  if ('violation' in parsed) throw new Error(parsed.violation);
  return parsed.keys;
};
const apiKeys = (required = false): ApiKeySettings => {
  const keys = keysOf(FILE);
  return { keys: () => keys, required };
};

const withKeys = (keys: ApiKeySettings) => ({ 'api-keys': openedApiKeys(keys) });

const PATH = `/${MUNICH}/json/`;
const rateLimit = parseRateLimit({ RATE_LIMIT: '2/hour' });
/** Keys beside a limit of two lookups an hour for everyone else. */
const open = (required = false) =>
  testApp({ settings: { ...(rateLimit && { rateLimit }) }, opened: withKeys(apiKeys(required)) });

type App = Awaited<ReturnType<typeof testApp>>['app'];
const statuses = async (app: App, times: number, request: object) => {
  const found: number[] = [];
  for (let time = 0; time < times; time++) {
    found.push((await app.inject({ url: PATH, remoteAddress: MUNICH, ...request })).statusCode);
  }
  return found;
};

describe('an API key', () => {
  it.each([
    ['?key=', { url: `${PATH}?key=${PARTNER}` }],
    ['X-API-Key', { headers: { 'x-api-key': PARTNER } }],
    ['a bearer token', { headers: { authorization: `Bearer ${PARTNER}` } }],
    ['a header, whatever the URL says', { url: `${PATH}?key=leftover`, headers: { 'x-api-key': PARTNER } }],
  ])('is taken from %s, and has the limit of its line', async (_where, request) => {
    const { app } = await open();
    expect(await statuses(app, 4, request)).toEqual([200, 200, 200, 429]);
  });

  it('has a quota in the form of ipapi.co, and asking does not use it up', async () => {
    const { app } = await open();
    const quota = async (key?: string) => {
      const { statusCode, headers, body } = await app.inject(
        `/quota/${key === undefined ? '' : `?key=${key}`}`,
      );
      expect([headers['content-type'], statusCode === 200 && headers['cache-control']]).toEqual([
        'application/json',
        statusCode === 200 && 'private, no-store',
      ]);
      return JSON.parse(body);
    };
    expect(await quota()).toEqual({ available: 'API key needed' });
    expect(await quota(STAFF)).toEqual({ available: 'unlimited' });
    expect(await quota('wrong-0123456789abcdef')).toMatchObject({ error: true, reason: 'Invalid Key' });
    for (const available of ['3', '2', '1', '0', '0']) {
      expect([await quota(PARTNER), await quota(PARTNER)]).toEqual([{ available }, { available }]);
      await app.inject(`${PATH}?key=${PARTNER}`);
    }
    const { app: keyless } = await testApp();
    expect((await keyless.inject('/quota/')).json()).toEqual({ available: 'API key needed' });
  });

  it('counts apart from the address it is used at, and together at all addresses', async () => {
    const { app } = await open();
    expect(await statuses(app, 3, {})).toEqual([200, 200, 429]);
    const withKey = { headers: { 'x-api-key': ACME } };
    expect(await statuses(app, 1, withKey)).toEqual([200]);
    const other = await app.inject({ url: PATH, remoteAddress: '80.9.9.9', ...withKey });
    expect([other.statusCode, other.headers['ratelimit']]).toEqual([200, '"lookups";r=0;t=3600']);
    expect(await statuses(app, 1, withKey)).toEqual([429]);
    expect(await statuses(app, 1, { headers: { 'x-api-key': PARTNER } })).toEqual([200]);
  });

  it('without a limit gets no headers about one', async () => {
    const { app } = await open();
    expect(await statuses(app, 5, { headers: { 'x-api-key': STAFF } })).toEqual(Array(5).fill(200));
    const { headers } = await app.inject({ url: PATH, headers: { 'x-api-key': STAFF } });
    expect(headers).not.toHaveProperty('ratelimit');
  });

  it.each([
    ['wrong', {}, { headers: { 'x-api-key': 'nonsense' } }, 403],
    ['wrong and each time another', {}, undefined, 403],
    ['missing where one is required', { required: true }, {}, 401],
  ])(
    'that is %s counts by address, with or without a limit',
    async (_, { required = false }: { required?: boolean }, request, status) => {
      for (const settings of [{}, { ...(rateLimit && { rateLimit }) }]) {
        const { app } = await testApp({ settings, opened: withKeys(apiKeys(required)) });
        const fail = async (remoteAddress: string, at: number) =>
          (
            await app.inject({
              url: PATH,
              remoteAddress,
              ...(request ?? { headers: { 'x-api-key': `guess ${at}` } }),
            })
          ).statusCode;
        const found: number[] = [];
        for (let at = 0; at < 61; at++) found.push(await fail(MUNICH, at));
        expect(found).toEqual([...Array<number>(60).fill(status), 429]);
        expect(await fail('80.9.9.9', 0)).toBe(status);
        // A valid key is what it is, wherever others fail.
        expect(await statuses(app, 1, { headers: { 'x-api-key': ACME } })).toEqual([200]);
      }
    },
  );

  it.each([
    ['in this process', undefined],
    // It cannot be asked.
    ['also in a store', { take: async () => undefined, close: () => undefined }],
  ])(
    'is not needed: lookups of a /56 count together, four times as many as of a /64, %s',
    async (_, store) => {
      const { app } = await testApp({
        settings: { rateLimit: { requests: 5, per: 'minute' } },
        rateLimitStore: store,
      });
      const found: unknown[] = [];
      for (let at = 0; at < 21; at++) {
        const remoteAddress = `2a00:0:0:${at.toString(16)}::1`;
        const { statusCode, headers } = await app.inject({ url: PATH, remoteAddress });
        found.push([statusCode, headers['ratelimit-policy'], String(headers['ratelimit']).slice(0, 13)]);
      }
      expect(found).toEqual([
        ...Array<unknown>(20).fill([200, '"lookups";q=5;w=60', '"lookups";r=4']),
        [429, '"lookups";q=20;w=60', '"lookups";r=0'],
      ]);
    },
  );

  it('that is unknown is an error as at ipapi.co', async () => {
    const { app } = await open();
    for (const url of [
      `${PATH}?key=nonsense`,
      `${PATH}?key=a&key=b`,
      `/${MUNICH}/city/?key=x`,
      '/json/?key=x',
    ]) {
      const reply = await app.inject({ url, remoteAddress: MUNICH });
      expect([url, reply.statusCode]).toEqual([url, 403]);
      expect(reply.json()).toMatchObject({
        error: true,
        reason: 'Invalid Key',
        type: 'urn:problem-type:invalid-key',
      });
      expect(reply.headers['cache-control']).toBe('no-store');
    }
  });

  it('is not needed unless API_KEY_REQUIRED says so', async () => {
    const { app: optional } = await open();
    expect(await statuses(optional, 1, {})).toEqual([200]);
    const { app } = await open(true);
    for (const request of [{}, { url: `${PATH}?key=` }, { headers: { authorization: 'Basic eDp5' } }]) {
      const reply = await app.inject({ url: PATH, ...request });
      expect([reply.statusCode, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(reply.json()).toMatchObject({ type: 'urn:problem-type:key-required' });
    }
    expect(await statuses(app, 1, { headers: { 'x-api-key': ACME } })).toEqual([200]);
    // What is no lookup needs no key; nginx's visitors have none.
    for (const url of ['/', '/health', '/auth', '/openapi.json']) {
      expect([url, (await app.inject({ url, remoteAddress: MUNICH })).statusCode]).not.toEqual([url, 401]);
    }
  });

  it('pays for each address of a batch, and for each line of a stream', async () => {
    const { app } = await open(true);
    const post = (type: string, payload: string, key?: string) =>
      app.inject({
        method: 'POST',
        url: '/batch',
        headers: { 'content-type': type, ...(key !== undefined && { 'x-api-key': key }) },
        payload,
      });
    const array = JSON.stringify([MUNICH, MUNICH]);
    const lines = `"${MUNICH}"\n"${MUNICH}"\n`;
    expect((await post('application/json', array)).statusCode).toBe(401);
    expect((await post('application/x-ndjson', lines)).statusCode).toBe(401);
    expect((await post('application/json', array, PARTNER)).statusCode).toBe(200);
    expect((await post('application/x-ndjson', lines, PARTNER)).statusCode).toBe(429);
    expect((await post('application/x-ndjson', lines, STAFF)).statusCode).toBe(200);
  });

  it('makes an answer private, which is public without one', async () => {
    const { app } = await open();
    const cacheControl = async (request: object) =>
      (await app.inject({ url: PATH, ...request })).headers['cache-control'];
    expect(await cacheControl({})).toBe('public, max-age=3600');
    expect(await cacheControl({ headers: { 'x-api-key': STAFF } })).toBe('private, max-age=3600');
    expect(await cacheControl({ url: `${PATH}?key=${STAFF}` })).toBe('private, max-age=3600');
    const etag = (await app.inject({ url: PATH, headers: { 'x-api-key': STAFF } })).headers['etag'] as string;
    const again = await app.inject({ url: PATH, headers: { 'x-api-key': STAFF, 'if-none-match': etag } });
    expect([again.statusCode, again.headers['cache-control']]).toEqual([304, 'private, max-age=3600']);
  });

  it('is gone when its line is', async () => {
    let keys = keysOf(FILE);
    const { app } = await testApp({ opened: withKeys({ keys: () => keys, required: false }) });
    expect(await statuses(app, 1, { headers: { 'x-api-key': ACME } })).toEqual([200]);
    keys = keysOf(FILE.slice(1));
    expect(await statuses(app, 1, { headers: { 'x-api-key': ACME } })).toEqual([403]);
  });

  it('is never logged, whatever goes wrong', async () => {
    const { app, lines } = await testApp({
      opened: withKeys(apiKeys()),
      settings: {
        logAddresses: true,
        clientAddressOf: createClientAddress({ TRUST_PROXY: '' }),
      },
    });
    const secret = 'a-key-that-is-unknown';
    for (const key of [secret, ACME]) {
      const headers = { 'x-api-key': key, authorization: `Bearer ${key}` };
      for (const path of [
        PATH,
        '/',
        '/nothing/at/all',
        '/%zz/json/',
        `/${'9'.repeat(200)}/json/`,
        '/batch',
        '/json',
      ]) {
        for (const method of ['GET', 'POST', 'DELETE'] as const) {
          await app.inject({ method, url: `${path}?key=${key}&fields=nonsense`, headers });
          await app.inject({ method, url: `${path}?key=${key}` });
        }
      }
    }
    expect(lines.length).toBeGreaterThan(20);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${secret}|${ACME}`));
  });
});

describe('the description of API keys', () => {
  it.each([
    [undefined, undefined],
    [false, [{}, { keyParameter: [] }, { keyHeader: [] }, { bearer: [] }]],
    [true, [{ keyParameter: [] }, { keyHeader: [] }, { bearer: [] }]],
  ])('when they are required: %j', async (required, security) => {
    const { app } = await testApp(required === undefined ? {} : { opened: withKeys(apiKeys(required)) });
    const document = (await app.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, { security?: object[]; responses: object }>>;
      components: { securitySchemes?: object };
    }>();
    for (const path of ['/{ip}/json', '/json', '/{name}', '/{ip}/{field}', '/']) {
      expect(document.paths[path]!['get']!.security).toEqual(security);
    }
    expect(document.paths['/batch']!['post']!.security).toEqual(security);
    expect(document.paths['/health']!['get']!.security).toBeUndefined();
    const { responses } = document.paths['/json']!['get']!;
    expect(['401', '403', '429'].filter((status) => status in responses)).toEqual(
      required === undefined ? [] : required ? ['401', '403', '429'] : ['403', '429'],
    );
    expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(
      security ? ['keyParameter', 'keyHeader', 'bearer'] : [],
    );
  });
});

describe('the page with an API key', () => {
  const page = (app: App, url: string) =>
    app.inject({ url, remoteAddress: MUNICH, headers: { accept: 'text/html' } });

  it('carries the key on in its links and forms', async () => {
    const { app } = await open(true);
    for (const url of ['/', `/${MUNICH}`, `/?ip=${MUNICH}`, `/?addresses=${MUNICH}`]) {
      const { body } = await page(app, `${url}${url.includes('?') ? '&' : '?'}key=${STAFF}`);
      const links = [...body.matchAll(/href="(\.\/[^"]*)"/g)].map(([, link]) =>
        link!.replaceAll('&amp;', '&'),
      );
      expect(links.length).toBeGreaterThan(4);
      for (const link of links) {
        expect([
          link,
          (await page(app, new URL(link, 'http://host/').pathname + new URL(link, 'http://host/').search))
            .statusCode,
        ]).toEqual([link, 200]);
      }
      expect(body.match(/<form/g)).toHaveLength(3);
      expect(body.match(new RegExp(`<input type="hidden" name="key" value="${STAFF}">`, 'g'))).toHaveLength(
        3,
      );
    }
  });

  it('describes no keys where none is in use', async () => {
    const { app } = await testApp();
    expect((await page(app, `/?key=${STAFF}`)).body).not.toContain(STAFF);
  });
});
