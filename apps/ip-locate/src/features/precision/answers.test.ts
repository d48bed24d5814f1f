import { digestOfToken, parseApiKeyFile } from '@workspace/service-kit/access-tokens';
import { openOverlay } from '../overlay/overlay-file.ts';
import { parseRuleFiles } from '../../domain/access/rules-text.ts';
import { FULL } from '../../application/locate.ts';
import { openedAccessRules } from '../access-rules/index.ts';
import { openedApiKeys } from '../api-keys/index.ts';
import type { ApiKeySettings } from '../api-keys/keys.ts';
import { openedOverlay } from '../overlay/index.ts';
import { PRECISIONS as BY_NAME } from './precision.ts';
import { FLAG_FIELDS } from '../../http/lookup/fields.ts';
import { fixed, MUNICH, openAsn, openCity, testApp, type TestAppOptions } from '../../../test/app.ts';

const PRECISIONS = ['country', 'region', 'city', 'full'] as const;
type Precision = (typeof PRECISIONS)[number];

/** Everything that Munich's record has below the country. */
const FINE = /M(ü|\\u00fc|u)nich|München|Bavaria|Bayern|BY|80331|48\.1|11\.[56]|Europe\/Berlin|\+0100/;
/** ... and below the region. */
const LOCAL = /M(ü|\\u00fc|u)nich|München|80331|48\.1|11\.[56]|Europe\/Berlin|\+0100/;

const KEYS = Object.fromEntries(PRECISIONS.map((precision) => [precision, `key-of-${precision}-0123456789`]));
const PLAIN = 'key-without-a-precision';

const keysOf = (text: string): ApiKeySettings => {
  const parsed = parseApiKeyFile(text, PRECISIONS);
  if ('violation' in parsed) throw new Error(parsed.violation);
  return { keys: () => parsed.keys, required: false };
};
const lineOf = (key: string, words = '') =>
  `${digestOfToken(key).toString('hex').slice(0, 8)}:${digestOfToken(key).toString('hex')} ${words}`;
const PLAIN_LINE = lineOf(PLAIN);
const apiKeys = () =>
  keysOf([PLAIN_LINE, ...PRECISIONS.map((one) => lineOf(KEYS[one] as string, `0 ${one}`))].join('\n'));

/** The same for all: to verify it takes longer than a test. */
const data = Promise.all([openCity(), openAsn()]).then(([city, asn]) => ({
  locations: fixed(city),
  operators: fixed(asn),
}));

const at = async (precision: Precision | undefined, options: TestAppOptions = {}) => {
  const { app, lines } = await testApp({
    ...(await data),
    ...options,
    settings: { logAddresses: true },
    opened: {
      precision: { precisions: { common: BY_NAME.get(precision ?? 'full') ?? FULL, named: BY_NAME } },
      ...options.opened,
    },
  });
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers, remoteAddress: MUNICH });
  return { app, lines, get };
};

const FORMATS = ['json', 'csv', 'xml', 'yaml', 'jsonp'];
/** Every way to a location. */
const URLS = [
  ...FORMATS.flatMap((format) => [`/${MUNICH}/${format}/?fields=all`, `/${format}/?fields=all&lang=de`]),
  `/json/${MUNICH}`,
  `/${MUNICH}?fields=all`,
  ...['city', 'region', 'postal', 'latitude', 'latlong', 'timezone', 'utc_offset', 'accuracy_radius'].flatMap(
    (field) => [`/${MUNICH}/${field}/`, `/${field}/`],
  ),
  '/auth?fields=all',
  '/',
  `/?ip=${MUNICH}`,
  `/?addresses=${MUNICH}+2a00::1`,
];

describe.each([
  ['country', FINE],
  ['region', LOCAL],
] as const)('PRECISION=%s', (precision, forbidden) => {
  it.each(['application/json', 'text/html', 'application/xml', '*/*'])(
    'tells nothing finer on any path, to a client that accepts %s',
    async (accept) => {
      const { get } = await at(precision);
      const { app: full } = await at(undefined);
      let finer = 0;
      for (const url of URLS) {
        // Thrice: answers that are asked for again are kept.
        for (let time = 0; time < 3; time++) {
          const { statusCode, headers, body } = await get(url, { accept });
          const geo = Object.entries(headers).filter(([name]) => name.startsWith('x-geo-'));
          const text = `${body}${JSON.stringify(geo)}`.replaceAll('map of Natural Earth', '');
          expect([url, statusCode]).toEqual([url, 200]);
          expect([url, forbidden.exec(text)?.[0]]).toEqual([url, undefined]);
        }
        const { headers, body } = await full.inject({ url, headers: { accept }, remoteAddress: MUNICH });
        if (forbidden.test(body + JSON.stringify(headers))) finer++;
      }
      expect(finer).toBeGreaterThan(URLS.length / 2);
    },
  );

  it('tells nothing finer in batches and streams', async () => {
    const { app } = await at(precision);
    for (const [type, payload] of [
      ['application/json', JSON.stringify([MUNICH])],
      ['application/x-ndjson', `"${MUNICH}"\n`],
      ['text/csv', `ip\n${MUNICH}\n`],
    ] as const) {
      const reply = await app.inject({
        method: 'POST',
        url: '/batch?fields=all',
        headers: { 'content-type': type },
        payload,
      });
      expect([type, reply.statusCode, forbidden.exec(reply.body)?.[0]]).toEqual([type, 200, undefined]);
      expect(reply.body).toContain('Germany');
    }
  });
});

it.each([
  ['country', [null, null, null, 'DE', null, null, null, null, null, 'Deutsche Telekom AG']],
  ['region', [null, 'Bavaria', 'BY', 'DE', null, null, null, null, null, 'Deutsche Telekom AG']],
  ['city', ['Munich', 'Bavaria', 'BY', 'DE', null, 48.1, 11.6, 'Europe/Berlin', 18, 'Deutsche Telekom AG']],
  [
    undefined,
    ['Munich', 'Bavaria', 'BY', 'DE', '80331', 48.1374, 11.5755, 'Europe/Berlin', 10, 'Deutsche Telekom AG'],
  ],
] as const)('PRECISION=%s leaves of a record what is no finer', async (precision, record) => {
  const { get } = await at(precision);
  const fields = 'city,region,region_code,country,postal,latitude,longitude,timezone,accuracy_radius,org';
  const reply = await get(`/${MUNICH}/json/?fields=${fields}`);
  expect(Object.values(reply.json())).toEqual(record);
});

it('a network of the overlay is told no more precisely', async () => {
  const bytes = Buffer.from(
    'network,city,country,latitude,longitude\n10.0.0.0/8,Berlin (Mitte),DE,52.52,13.405\n',
  );
  const overlay = fixed(await openOverlay([{ name: 'overlay.csv', bytes }]));
  const seen = async (precision: Precision) => {
    const { get } = await at(precision, { opened: { overlay: openedOverlay(overlay) } });
    const reply = await get('/10.1.2.3/json/?fields=city,country,latlong,source');
    return reply.json<object>();
  };
  expect(await seen('country')).toEqual({ city: null, country: 'DE', latlong: null, source: 'overlay' });
  expect(await seen('city')).toEqual({
    city: 'Berlin',
    country: 'DE',
    latlong: '52.5,13.4',
    source: 'overlay',
  });
});

it('access rules decide the same at every precision', async () => {
  const parsed = await parseRuleFiles([{ name: 'rules', text: 'deny DE\n' }], FLAG_FIELDS);
  if ('violation' in parsed) throw new Error(parsed.violation);
  for (const precision of PRECISIONS) {
    const { get } = await at(precision, {
      opened: { 'access-rules': openedAccessRules(fixed(parsed)) },
    });
    expect([precision, (await get('/auth')).statusCode]).toEqual([precision, 403]);
    expect([precision, (await get('/auth?deny=in_eu')).statusCode]).toEqual([precision, 403]);
  }
});

it('the log has the same at every precision', async () => {
  const logged = async (precision: Precision) => {
    const { lines, get } = await at(precision);
    await get(`/${MUNICH}/json/`, { 'x-request-id': 'same' });
    return lines
      .filter(({ msg }) => msg === 'request answered')
      .map(({ ms: _ms, time: _time, ...line }) => line);
  };
  const full = await logged('full');
  expect(full).toMatchObject([{ caller: '80.1.2.0/24', requested: '80.1.2.0/24' }]);
  for (const precision of PRECISIONS) expect(await logged(precision)).toEqual(full);
});

describe('by API key', () => {
  const cities = { country: null, region: null, city: 'Munich', full: 'Munich' };
  const postals = { country: null, region: null, city: null, full: '80331' };

  it('each key gets its own precision, whatever others asked for before, and revalidates only that', async () => {
    const { get } = await at('region', { opened: { 'api-keys': openedApiKeys(apiKeys()) } });
    const url = `/${MUNICH}/json/?fields=city,region,postal`;
    const etags = new Set<string>();
    for (let round = 0; round < 4; round++) {
      for (const one of PRECISIONS) {
        const headers = { 'x-api-key': KEYS[one] as string };
        const reply = await get(url, headers);
        const region = one === 'country' ? null : 'Bavaria';
        expect([one, reply.json()]).toEqual([one, { city: cities[one], region, postal: postals[one] }]);
        const etag = reply.headers['etag'] as string;
        etags.add(etag);
        for (const other of PRECISIONS) {
          const again = await get(url, { 'x-api-key': KEYS[other] as string, 'if-none-match': etag });
          expect([one, other, again.statusCode]).toEqual([one, other, one === other ? 304 : 200]);
        }
      }
      for (const headers of [{}, { 'x-api-key': PLAIN }]) {
        expect((await get(url, headers)).json()).toEqual({ city: null, region: 'Bavaria', postal: null });
      }
    }
    expect(etags.size).toBe(PRECISIONS.length);
  });

  it('counts on every path', async () => {
    const { app, get } = await at('country', { opened: { 'api-keys': openedApiKeys(apiKeys()) } });
    for (const url of [...URLS.filter((one) => !one.startsWith('/auth')), `/?ip=${MUNICH}`]) {
      const separator = url.includes('?') ? '&' : '?';
      for (const accept of ['application/json', 'text/html']) {
        const without = (await get(url, { accept })).body;
        const withKey = (await get(`${url}${separator}key=${KEYS['full']}`, { accept })).body;
        expect([url, FINE.test(without), FINE.test(withKey) || url.includes('radius')]).toEqual([
          url,
          false,
          true,
        ]);
      }
    }
    for (const [type, payload] of [
      ['application/json', JSON.stringify([MUNICH])],
      ['application/x-ndjson', `"${MUNICH}"\n`],
      ['text/csv', `ip\n${MUNICH}\n`],
    ] as const) {
      const post = (key?: string) =>
        app.inject({
          method: 'POST',
          url: '/batch',
          headers: { 'content-type': type, ...(key !== undefined && { 'x-api-key': key }) },
          payload,
        });
      const [without, withKey] = [await post(), await post(KEYS['full'])];
      expect([type, FINE.test(without.body), FINE.test(withKey.body)]).toEqual([type, false, true]);
    }
  });

  it('is not for proxies: they have no keys', async () => {
    const { get } = await at('country', { opened: { 'api-keys': openedApiKeys(apiKeys()) } });
    const reply = await get('/auth?fields=city,country', { 'x-api-key': KEYS['full']! });
    expect([reply.headers['x-geo-city'], reply.headers['x-geo-country']]).toEqual(['', 'DE']);
  });

  it('an answer that caches may store says that it varies by key, and nothing when no key has a precision', async () => {
    const { get } = await at(undefined, { opened: { 'api-keys': openedApiKeys(apiKeys()) } });
    const headersOf = async (url: string, headers = {}) => (await get(url, headers)).headers;
    expect(await headersOf(`/${MUNICH}/json/`)).toMatchObject({
      'cache-control': 'public, max-age=3600',
      vary: 'authorization, x-api-key',
    });
    expect(await headersOf(`/${MUNICH}/`)).toMatchObject({ vary: 'accept, authorization, x-api-key' });
    expect(await headersOf(`/${MUNICH}/json/`, { 'x-api-key': KEYS['city'] })).toMatchObject({
      'cache-control': 'private, max-age=3600',
      vary: 'authorization, x-api-key',
    });
    const { get: ask } = await at(undefined, {
      opened: { 'api-keys': openedApiKeys(keysOf(PLAIN_LINE)) },
    });
    for (const headers of [{}, { 'x-api-key': PLAIN }]) {
      expect((await ask(`/${MUNICH}/json/`, headers)).headers).not.toHaveProperty('vary');
    }
  });

  it('follows the file of keys', async () => {
    let now = apiKeys();
    const { get } = await at('country', {
      opened: { 'api-keys': openedApiKeys({ keys: () => now.keys(), required: false }) },
    });
    const city = async () =>
      (await get(`/${MUNICH}/json/`, { 'x-api-key': KEYS['city']! })).json<{ city: string | null }>().city;
    expect([await city(), await city()]).toEqual(['Munich', 'Munich']);
    now = keysOf(lineOf(KEYS['city']!));
    expect([await city(), await city()]).toEqual([null, null]);
    expect((await get(`/${MUNICH}/json/`)).headers).not.toHaveProperty('vary');
  });
});
