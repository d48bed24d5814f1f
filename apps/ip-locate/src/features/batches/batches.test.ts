import type { Service } from '@workspace/service-kit';
import { ALL_FIELDS } from '../../http/lookup/fields.ts';
import { MUNICH, testApp } from '../../../test/app.ts';

let app: Service;
beforeAll(async () => {
  ({ app } = await testApp());
});

describe('batch', () => {
  const batch = (payload: unknown, query = '') =>
    app.inject({ method: 'POST', url: `/batch${query}`, payload: payload as object });

  it('answers in order, each item a record or an error', async () => {
    const reply = await batch(['9.9.9.9', 'nonsense', MUNICH, '10.0.0.1', MUNICH]);
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/json']);
    const items = reply.json<unknown[]>();
    const munich = (await app.inject(`/${MUNICH}/json/`)).json<unknown>();
    expect(items).toHaveLength(5);
    expect(items[0]).toMatchObject({ ip: '9.9.9.9', city: null });
    expect(items[1]).toMatchObject({
      error: true,
      reason: 'Invalid IP Address',
      ip: 'nonsense',
      status: 400,
    });
    expect(items[2]).toEqual(munich);
    expect(items[3]).toMatchObject({ error: true, reserved: true, ip: '10.0.0.1' });
    expect(items[4]).toEqual(munich);
  });

  it('has the fields of the service', async () => {
    const { app: full } = await testApp({ settings: { defaultFields: ALL_FIELDS } });
    const one = (await full.inject(`/${MUNICH}/json/`)).json<object>();
    const reply = await full.inject({ method: 'POST', url: '/batch', payload: [MUNICH] });
    expect([Object.keys(one), reply.json()]).toEqual([ALL_FIELDS, [one]]);
  });

  it('is charged by item', async () => {
    const { app: limited } = await testApp({ settings: { rateLimit: { requests: 3, per: 'minute' } } });
    const ask = (payload: string[]) => limited.inject({ method: 'POST', url: '/batch', payload });
    expect((await ask(['a'])).statusCode).toBe(200);
    expect((await ask(['a', 'b', 'c'])).statusCode).toBe(429);
    const never = await ask(['a', 'b', 'c', 'd']);
    expect([never.statusCode, never.headers['retry-after']]).toEqual([429, undefined]);
    expect(never.json()).toMatchObject({ detail: expect.stringContaining('a request for 4 never is') });
  });

  it('is in the list of paths, and takes POST only', async () => {
    const { paths } = (await app.inject({ url: '/', headers: { accept: 'application/json' } })).json();
    expect(paths).toContain('POST /batch');
    const reply = await app.inject('/batch');
    expect([reply.statusCode, reply.json().type]).toEqual([405, 'urn:problem-type:method-not-allowed']);
    const headers = { origin: 'https://example.org', 'access-control-request-headers': 'content-type' };
    const preflight = await app.inject({ method: 'OPTIONS', url: '/batch', headers });
    expect([preflight.statusCode, preflight.headers['allow']]).toEqual([204, 'POST, OPTIONS']);
  });

  it('takes fields and lang', async () => {
    expect((await batch([MUNICH], '?fields=city&lang=de')).json()).toEqual([{ city: 'München' }]);
  });

  it('delays others by one batch in a turn of the event loop, however many are asked for', async () => {
    let answered = 0;
    const all = Array.from({ length: 64 }, () => batch(Array(100).fill(MUNICH)).then(() => (answered += 1)));
    for (let before = 0; answered < 64; before = answered) {
      await new Promise(setImmediate);
      expect(answered - before).toBeLessThanOrEqual(1);
    }
    await Promise.all(all);
  });

  it('takes none and a hundred', async () => {
    expect((await batch([])).json()).toEqual([]);
    expect((await batch(Array(100).fill(MUNICH))).json()).toHaveLength(100);
  });

  it.each([
    [Array(101).fill(MUNICH), 422, 'batch-too-large'],
    [{ ips: [MUNICH] }, 400, 'invalid-request'],
    [[134744072], 400, 'invalid-request'],
    [['x'.repeat(17_000)], 413, 'body-too-large'],
  ])('rejects what is not a batch (%#)', async (payload, status, code) => {
    const reply = await batch(payload);
    expect(reply.statusCode).toBe(status);
    expect(reply.json()).toMatchObject({ error: true, type: `urn:problem-type:${code}` });
  });
});

describe('a batch of another media type', () => {
  it.each(['application/x-www-form-urlencoded', 'text/plain', 'application/xml', undefined])(
    '%s gets a 415 that names application/json',
    async (type) => {
      const reply = await app.inject({
        method: 'POST',
        url: '/batch',
        payload: '["8.8.8.8"]',
        ...(type !== undefined && { headers: { 'content-type': type } }),
      });
      expect([reply.statusCode, reply.headers['accept']]).toEqual([
        415,
        'application/json, application/x-ndjson, text/csv',
      ]);
      expect(reply.json()).toMatchObject({
        type: 'urn:problem-type:unsupported-media-type',
        detail: expect.stringContaining('application/json'),
      });
    },
  );

  it('does not hide a wrong path or method', async () => {
    const post = async (url: string) =>
      (
        await app.inject({
          method: 'POST',
          url,
          payload: 'a=b',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      ).statusCode;
    expect([await post('/a/b/c'), await post('/json/')]).toEqual([404, 405]);
  });

  it('takes JSON with a charset', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    const reply = await app.inject({ method: 'POST', url: '/batch', payload: '["8.8.8.8"]', headers });
    expect(reply.statusCode).toBe(200);
  });
});
