import type { Service } from '@workspace/service-kit';
import type { Reloadable } from '@workspace/service-process';
import type { DatabaseEntry, DatabaseInfo } from '../src/application/location-database.ts';
import { UNKNOWN_TRAITS } from '../src/domain/address-traits.ts';
import { UNKNOWN_LOCATION } from '../src/domain/location.ts';
import { ALL_FIELDS } from '../src/http/lookup/fields.ts';
import { MUNICH, testApp, type TestAppOptions } from './app.ts';

let app: Service;
let now: Date;
let clockReads: number;
beforeEach(async () => {
  now = new Date('2026-11-21T12:00:00Z');
  clockReads = 0;
  const clock = () => {
    clockReads++;
    return now;
  };
  ({ app } = await testApp({ now: clock }));
});
afterEach(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers, remoteAddress: MUNICH });
const etagOf = async (url: string, accept?: string) =>
  (await get(url, accept === undefined ? {} : { accept })).headers['etag'] as string;

describe('validators', () => {
  it('differ between the representations of one URL', async () => {
    const types = ['application/json', 'application/xml', 'text/csv', 'application/yaml'];
    const etags = await Promise.all(types.map((type) => etagOf(`/${MUNICH}/`, type)));
    expect(new Set(etags).size).toBe(types.length);
    for (const type of types) {
      const reply = await get(`/${MUNICH}/`, { accept: type, 'if-none-match': etags[0]! });
      expect([type, reply.statusCode, reply.headers['vary']]).toEqual([
        type,
        type === 'application/json' ? 304 : 200,
        'accept',
      ]);
    }
  });

  it('differ between settings that change the answer', async () => {
    const { app: full } = await testApp({ settings: { defaultFields: ALL_FIELDS } });
    const reply = await full.inject(`/${MUNICH}/json/`);
    expect(reply.headers['etag']).not.toBe(await etagOf(`/${MUNICH}/json/`));
  });

  it('differ when `all` stands for more, though the data about it is missing', async () => {
    const { app: withTraits } = await testApp({ anonymous: replaceable<never>(undefined) });
    const url = `/${MUNICH}/json/?fields=all`;
    const replies = [await get(url), await withTraits.inject(url)];
    expect(new Set(replies.map(({ body }) => body)).size).toBe(2);
    expect(new Set(replies.map(({ headers }) => headers['etag'])).size).toBe(2);
  });

  it.each([
    ['exactly', (etag: string) => etag, 304],
    ['in a list', (etag: string) => `"x" , ${etag}`, 304],
    ['without quotes', (etag: string) => etag.slice(3, -1), 200],
  ])('match %s', async (_how, header, status) => {
    for (const url of [`/${MUNICH}/json/`, `/${MUNICH}/csv/`]) {
      const reply = await get(url, { 'if-none-match': header(await etagOf(url)) });
      expect([url, reply.statusCode]).toEqual([url, status]);
    }
  });
});

describe('an answer asked for again and again', () => {
  const thrice = async (url: string, headers: Record<string, string> = {}) => {
    const replies = [await get(url, headers), await get(url, headers), await get(url, headers)];
    return replies.map(({ statusCode, headers, body }) => ({
      statusCode,
      headers: { ...headers, date: undefined },
      body,
    }));
  };

  it.each([
    `/${MUNICH}/json/`,
    `/${MUNICH}/csv/`,
    `/${MUNICH}/city`,
    `/${MUNICH}/json/?fields=city,country_name&lang=de`,
    `/${MUNICH}/jsonp/?callback=show`,
    '/9.9.9.9/json/',
    '/10.0.0.1/json/',
    '/somewhere/json/',
    `/${MUNICH}/json/?fields=planet`,
  ])('%s stays the same', async (url) => {
    const [first, second, third] = await thrice(url, { 'x-request-id': 'again' });
    expect([second, third]).toEqual([first, first]);
  });

  it('is not sent to a client that has it', async () => {
    const etag = await etagOf(`/${MUNICH}/json/`);
    const replies = await thrice(`/${MUNICH}/json/`, { 'if-none-match': etag });
    expect(replies.map(({ statusCode, body }) => [statusCode, body])).toEqual(Array(3).fill([304, '']));
  });
});

/** A source of data whose version a test replaces. */
const replaceable = <T extends object>(current: T | undefined) => ({
  current,
  lastLoad: undefined,
});

describe('an answer made ready from data that has been replaced', () => {
  const seen = async (on: Service) => {
    const url = `/${MUNICH}/json/?fields=city,country,asn,is_bot,domain`;
    const replies = [];
    for (let time = 0; time < 3; time++) replies.push(await on.inject({ url, remoteAddress: MUNICH }));
    const all = replies.map(({ body, headers }) => `${String(headers['etag'])} ${body}`);
    expect(new Set(all).size).toBe(1);
    return all[0]!.split(' {');
  };
  const info = (fingerprint: string): DatabaseInfo => ({
    types: [],
    provider: 'other',
    builtAt: null,
    fingerprint,
  });
  const entry = (city: string): DatabaseEntry => ({
    location: { ...UNKNOWN_LOCATION, city },
    prefixLength: 8,
  });

  it.each<[string, (version: string) => object, (source: Reloadable<never>) => TestAppOptions]>([
    [
      'city',
      (version) => ({ info: info(version), find: () => entry(version) }),
      (locations) => ({ locations }),
    ],
    [
      'ASN',
      (version) => ({ info: info(version), find: () => ({ asn: version.length, org: null }) }),
      (operators) => ({ operators }),
    ],
    [
      'second',
      (version) => ({ info: info(version), domain: () => version }),
      (second) => ({ further: [second] }),
    ],
    [
      'anonymous',
      (version) => ({ info: info(version), find: () => ({ ...UNKNOWN_TRAITS, is_bot: version === 'old' }) }),
      (anonymous) => ({ anonymous }),
    ],
    [
      'overlay',
      (version) => ({
        info: { networks: 1, modifiedAt: null, fingerprint: version },
        find: () => ({ ...entry(version), operator: undefined }),
      }),
      (overlay) => ({ options: [{ name: 'own', open: () => ({ overlay }) }] }),
    ],
  ])('does not survive, nor does its validator: %s', async (_, version, options) => {
    const source = replaceable(version('old'));
    const { app: changing } = await testApp(options(source as unknown as Reloadable<never>));
    const [etag, body] = await seen(changing);
    source.current = version('newer');
    const [newEtag, newBody] = await seen(changing);
    expect([newEtag === etag, newBody === body]).toEqual([false, false]);
    source.current = { ...version('newer') };
    expect(await seen(changing)).toEqual([newEtag, newBody]);
  });
});

describe('utc_offset', () => {
  const urls = [`/${MUNICH}/utc_offset/`, `/${MUNICH}/json/?fields=utc_offset`, `/${MUNICH}/csv/?fields=all`];
  const maxAge = (headers: object) =>
    /max-age=(\d+)/.exec((headers as Record<string, string>)['cache-control']!)?.[1];

  it.each(urls)('%s: a stored answer expires before the offset can change', async (url) => {
    // Berlin leaves summer time at 01:00 UTC.
    now = new Date('2026-10-25T00:59:57.100Z');
    const before = await get(url);
    expect([before.body.includes('+0200'), maxAge(before.headers)]).toEqual([true, '2']);
    now = new Date('2026-10-25T01:00:00Z');
    const after = await get(url, { 'if-none-match': before.headers['etag'] as string });
    expect([after.statusCode, after.body.includes('+0100'), maxAge(after.headers)]).toEqual([
      200,
      true,
      '900',
    ]);
  });

  it.each(urls)('%s: the validator stays the same as long as the offset does', async (url) => {
    const etag = await etagOf(url);
    now = new Date('2026-11-21T13:37:00Z');
    expect((await get(url, { 'if-none-match': etag })).statusCode).toBe(304);
  });

  it('does not shorten the life of answers that do not depend on the time', async () => {
    now = new Date('2026-10-25T00:59:57Z');
    expect(maxAge((await get(`/${MUNICH}/json/?fields=city`)).headers)).toBe('3600');
  });

  it('in the default record: answers kept in memory do not outlive it', async () => {
    const { app: full } = await testApp({ settings: { defaultFields: ALL_FIELDS }, now: () => now });
    const ask = async () => {
      const { headers, body } = await full.inject(`/${MUNICH}/json/`);
      return [JSON.parse(body).utc_offset as string, maxAge(headers)];
    };
    now = new Date('2026-10-25T00:59:30Z');
    expect([await ask(), await ask(), await ask()]).toEqual(Array(3).fill(['+0200', '30']));
    now = new Date('2026-10-25T01:00:00Z');
    expect(await ask()).toEqual(['+0100', '900']);
  });
});

it.each([
  `/${MUNICH}/json/`,
  `/${MUNICH}/json/?fields=all`,
  `/${MUNICH}/xml/?fields=all`,
  '/json/?fields=all',
  '/auth?fields=all',
])('%s reads the clock once', async (url) => {
  await get(url);
  clockReads = 0;
  await get(url);
  expect(clockReads).toBeLessThanOrEqual(1);
});
