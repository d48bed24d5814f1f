import { METHODS } from 'node:http';
import type { Service } from '@workspace/service-kit';
import type { LocationDatabase } from '../../application/location-database.ts';
import { ALL_FIELDS, BY_NAME_ONLY } from '../../http/lookup/fields.ts';
import { fixed, MUNICH, testApp } from '../../../test/app.ts';

let app: Service;
beforeAll(async () => {
  ({ app } = await testApp());
});

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = MUNICH) =>
  app.inject({ url, headers, remoteAddress });

describe('the location in headers, for proxies', () => {
  const EVERY_HEADER = [
    ...[...ALL_FIELDS, ...BY_NAME_ONLY].map((name) => `x-geo-${name.replaceAll('_', '-')}`),
    'x-geo-error',
  ].sort();
  const geoHeadersOf = (headers: object) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-geo-')));

  it('has no body, and values are percent-encoded where they are not ASCII', async () => {
    const reply = await get('/auth?lang=de&fields=all');
    expect([reply.statusCode, reply.body]).toEqual([200, '']);
    expect(reply.headers).toMatchObject({
      'x-geo-ip': MUNICH,
      'x-geo-country': 'DE',
      'x-geo-city': 'M%C3%BCnchen',
      'x-geo-timezone': 'Europe/Berlin',
      'x-geo-utc-offset': '+0100',
    });
    expect(reply.headers['cache-control']).toBe('private, no-store');
  });

  it.each([
    ['127.0.0.1', 'reserved-address'],
    ['192.168.0.9', 'reserved-address'],
  ])('never denies access: %s', async (peer, code) => {
    const reply = await get('/auth', {}, peer);
    expect([reply.statusCode, reply.headers['x-geo-error']]).toEqual([200, code]);
  });

  it('has every header in every answer, empty when it is not known, so that none from outside is left', async () => {
    const { app: empty } = await testApp({ locations: fixed<LocationDatabase>(undefined) });
    const ask = async (url: string, peer = MUNICH, on = app) =>
      geoHeadersOf((await on.inject({ url, remoteAddress: peer })).headers);
    const answers = {
      default: await ask('/auth'),
      two: await ask('/auth?fields=city,asn'),
      unknown: await ask('/auth?fields=all', '9.9.9.9'),
      reserved: await ask('/auth', '192.168.0.9'),
      withoutData: await ask('/auth', MUNICH, empty),
    };
    for (const headers of Object.values(answers)) expect(Object.keys(headers).sort()).toEqual(EVERY_HEADER);
    const known = (headers: object) =>
      Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
    expect(known(answers.two)).toEqual({ 'x-geo-city': 'Munich', 'x-geo-asn': 'AS3320' });
    expect(known(answers.unknown)).toMatchObject({ 'x-geo-ip': '9.9.9.9', 'x-geo-version': 'IPv4' });
    expect(known(answers.reserved)).toEqual({ 'x-geo-error': 'reserved-address' });
    expect(known(answers.withoutData)).toEqual({ 'x-geo-error': 'no-database' });
  });

  it.each([
    '/',
    '/shop?fields=nonsense&lang=de&fields=city',
    '/%zz/%E0%A4%A',
    '//double//slash//',
    '/8.8.8.8/json/',
    `/${'x'.repeat(12_000)}`,
  ])("answers below /auth whatever the visitor's path is: %.30s", async (path) => {
    const expected = geoHeadersOf((await get('/auth')).headers);
    const reply = await get(`/auth${path}`);
    expect([reply.statusCode, geoHeadersOf(reply.headers)]).toEqual([200, expected]);
  });

  it.each(METHODS.filter((method) => method !== 'CONNECT'))(
    'answers %s, whatever the body is',
    async (method) => {
      const ask = (url: string, headers: Record<string, string>, payload?: string) =>
        app.inject({
          method: method as 'POST',
          url,
          headers,
          remoteAddress: MUNICH,
          ...(payload && { payload }),
        });
      const replies = [
        await ask('/auth', {}),
        await ask('/auth/shop', { 'content-type': 'application/json', 'content-length': '0' }),
        await ask('/auth/shop', { 'content-type': 'application/json' }, '{nonsense'),
        await ask('/auth/shop', { 'content-type': 'no/such;;=type' }, 'x'.repeat(100_000)),
        await ask('/auth/shop', {}, 'x'),
      ];
      expect(replies.map(({ statusCode, headers }) => [statusCode, headers['x-geo-country']])).toEqual(
        Array(5).fill([200, 'DE']),
      );
    },
  );

  it('has the fields of DEFAULT_FIELDS where the request names none', async () => {
    const { app: full } = await testApp({ settings: { defaultFields: ALL_FIELDS } });
    const { headers } = await full.inject({ url: '/auth', remoteAddress: MUNICH });
    expect(headers).toMatchObject({ 'x-geo-in-eu': 'true' });
  });

  it('leaves other paths their methods', async () => {
    const reply = await app.inject({ method: 'PROPFIND' as 'GET', url: '/json' });
    expect([reply.statusCode, reply.headers['allow']]).toEqual([405, 'GET, HEAD']);
    const { paths } = (await get('/openapi.json')).json<{ paths: Record<string, object> }>();
    expect(Object.keys(paths['/auth'] ?? {})).toContain('get');
  });
});
