import { ALL_FIELDS } from '../src/http/lookup/fields.ts';
import { FORMATS } from '../src/http/lookup/formats/formats.ts';
import { networkOf, parseAddress } from '@workspace/ip-addresses';
import type { Service } from '@workspace/service-kit';
import { parse as parseYaml } from 'yaml';
import { XMLParser } from 'fast-xml-parser';
import { MUNICH, testApp } from './app.ts';

const readXml = (text: string): unknown =>
  new XMLParser({ parseTagValue: false, trimValues: false }).parse(text);

const SHORT = {
  ip: MUNICH,
  city: 'Munich',
  region: 'Bavaria',
  country: 'DE',
  postal: '80331',
  latitude: 48.1374,
  longitude: 11.5755,
  timezone: 'Europe/Berlin',
};
/** In ipapi.co's order; the last two are ours. */
const ALL = {
  ip: MUNICH,
  network: '80.0.0.0/8',
  version: 'IPv4',
  city: 'Munich',
  region: 'Bavaria',
  region_code: 'BY',
  country: 'DE',
  country_name: 'Germany',
  country_code: 'DE',
  country_code_iso3: 'DEU',
  country_capital: 'Berlin',
  country_tld: '.de',
  continent_code: 'EU',
  in_eu: true,
  postal: '80331',
  latitude: 48.1374,
  longitude: 11.5755,
  timezone: 'Europe/Berlin',
  utc_offset: '+0100',
  country_calling_code: '+49',
  currency: 'EUR',
  currency_name: 'Euro',
  languages: 'de',
  country_area: 357021,
  country_population: 84119100,
  asn: 'AS3320',
  org: 'Deutsche Telekom AG',
  latlong: '48.1374,11.5755',
  accuracy_radius: 10,
};

let app: Service;
beforeAll(async () => {
  ({ app } = await testApp());
});

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = MUNICH) =>
  app.inject({ url, headers, remoteAddress });

describe('the record', () => {
  it.each([
    `/${MUNICH}/json/`,
    `/${MUNICH}/json`,
    `//${MUNICH}//json//`,
    `/json/${MUNICH}`,
    `/json/${MUNICH}/`,
    `/${MUNICH}`,
    `/${MUNICH}/`,
    `/${MUNICH}/json/?key=secret`,
    `/::ffff:${MUNICH}/json/`,
    `/${encodeURIComponent('::ffff:5001:203')}/json/`,
  ])('is at %s, without redirect', async (url) => {
    const reply = await get(url);
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/json']);
    expect(Object.entries(reply.json<object>())).toEqual(Object.entries(SHORT));
  });

  it.each(['/json/', '/json', '//json/', '/json?key=x'])('of the caller is at %s', async (url) => {
    const reply = await get(url);
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/json']);
    expect(Object.entries(reply.json<object>())).toEqual(Object.entries(SHORT));
  });

  it('has all eight fields when the data knows nothing of the address', async () => {
    const reply = await get('/9.9.9.9/json/');
    expect(reply.statusCode).toBe(200);
    expect(reply.body).toBe(
      '{"ip":"9.9.9.9","city":null,"region":null,"country":null,"postal":null,"latitude":null,"longitude":null,"timezone":null}',
    );
  });

  it('writes IPv6 canonically', async () => {
    const reply = await get('/2A00:0:0:0:0:0:0:1/json/');
    expect(reply.json()).toMatchObject({ ip: '2a00::1', city: 'Munich' });
  });

  it.each([MUNICH, '81.7.0.1', '50.0.5.1', '9.9.9.9'])(
    'is that of %s in NAT64, 6to4 and Teredo',
    async (ip) => {
      const all = async (address: string) =>
        (await get(`/${address}/json/?fields=all`)).json<Record<string, unknown>>();
      const { network, ...inside } = await all(ip);
      const length = Number(String(network).split('/')[1]);
      const { bytes } = parseAddress(ip)!;
      const hex = (octets: Uint8Array) =>
        Buffer.from(octets)
          .toString('hex')
          .replace(/.{4}\B/g, '$&:');
      for (const [text, written] of [
        [`64:ff9b::${ip}`, 96 + length],
        [`2002:${hex(bytes)}::1`, 16 + length],
        [`2001:0:a00:1::${hex(bytes.map((octet) => ~octet))}`, 128],
      ] as const) {
        const address = parseAddress(text)!;
        expect(await all(address.text)).toEqual({
          ...inside,
          ip: address.text,
          version: 'IPv6',
          network: network === null ? null : networkOf(address, written),
        });
      }
    },
  );

  it.each([
    ...['64:ff9b::10.0.0.1', '64:ff9b:1::8.8.8.8', '64:ff9b:1:808:808::'],
    ...['2002:a00:1::1', '2001::f5ff:fffe'],
  ])('is an error for %s, which contains no public address', async (ip) => {
    expect((await get(`/${ip}/json/`)).json()).toMatchObject({ reserved: true, status: 400 });
  });

  it.each(['json', 'csv', 'xml', 'yaml', 'jsonp'])(
    'has the address behind the format or as a parameter, too: %s',
    async (format) => {
      const { body, headers } = await get(`/${MUNICH}/${format}/`);
      for (const url of [
        `/${format}/${MUNICH}`,
        `/${format}/${MUNICH}/`,
        `/${format}?ip=${MUNICH}`,
        `/${format}/?ip=${MUNICH}`,
      ]) {
        const reply = await get(url);
        expect([url, reply.body, reply.headers['cache-control']]).toEqual([
          url,
          body,
          headers['cache-control'],
        ]);
      }
      expect((await get(`/city?ip=${MUNICH}`)).body).toBe('Munich');
      expect((await get('/json?ip=')).statusCode).toBe(400);
    },
  );

  it('answers HEAD with the headers of GET and no body', async () => {
    const [head, body] = [
      await app.inject({ method: 'HEAD', url: `/${MUNICH}/json/` }),
      await get(`/${MUNICH}/json/`),
    ];
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(body.body.length));
    expect(head.headers['etag']).toBe(body.headers['etag']);
  });
});

describe('fields and languages', () => {
  it('has everything in the order of ipapi.co for fields=all', async () => {
    const reply = await get(`/${MUNICH}/json/?fields=all`);
    expect(Object.entries(reply.json<object>())).toEqual(Object.entries(ALL));
  });

  it('gives the chosen fields in the order asked for', async () => {
    const reply = await get(`/${MUNICH}/json/?fields=country_name,ip, city`);
    expect(reply.body).toBe(`{"country_name":"Germany","ip":"${MUNICH}","city":"Munich"}`);
  });

  it.each([
    ['de', 'München', 'Bayern'],
    ['ja', 'ミュンヘン', 'Bavaria'],
    ['pt-BR', 'Munique', 'Bavaria'],
    ['en', 'Munich', 'Bavaria'],
  ])('names places in %s, else in English', async (lang, city, region) => {
    expect((await get(`/${MUNICH}/json/?lang=${lang}`)).json()).toMatchObject({ city, region });
  });

  it('has the fields of DEFAULT_FIELDS where the request names none', async () => {
    const { app: full } = await testApp({ settings: { defaultFields: ALL_FIELDS } });
    const ask = (url: string) => full.inject({ url, remoteAddress: MUNICH });
    for (const url of [`/${MUNICH}/json/`, `/${MUNICH}/json/`, '/json/', `/${MUNICH}/`]) {
      expect(Object.entries((await ask(url)).json<object>())).toEqual(Object.entries(ALL));
    }
    expect((await ask(`/${MUNICH}/json/?fields=city`)).json()).toEqual({ city: 'Munich' });
    const index = await full.inject({
      url: '/',
      remoteAddress: MUNICH,
      headers: { accept: 'application/json' },
    });
    expect(index.json()).toMatchObject({ you: ALL });
  });

  it.each(Object.entries(ALL))('has %s as text', async (field, value) => {
    const expected = value === true ? 'True' : String(value);
    for (const url of [`/${MUNICH}/${field}/`, `/${MUNICH}/${field}`, `/${field}/`]) {
      const reply = await get(url);
      expect([url, reply.body]).toEqual([url, expected]);
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
    }
  });

  it('writes a missing field as None', async () => {
    expect((await get('/9.9.9.9/city/')).body).toBe('None');
  });
});

describe('formats', () => {
  it('csv', async () => {
    const reply = await get(`/${MUNICH}/csv/`);
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(reply.body).toBe(
      `ip,city,region,country,postal,latitude,longitude,timezone\r\n${MUNICH},Munich,Bavaria,DE,80331,48.1374,11.5755,Europe/Berlin\r\n`,
    );
  });

  it('xml', async () => {
    const reply = await get(`/${MUNICH}/xml/?lang=de`);
    expect(reply.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(readXml(reply.body)).toMatchObject({
      root: { ip: MUNICH, city: 'München', latitude: '48.1374' },
    });
  });

  it('xml escapes markup and leaves missing values empty', async () => {
    const reply = await get('/50.0.6.1/xml/');
    expect(readXml(reply.body)).toMatchObject({
      root: { city: '<script>alert("1")</script> & =cmd,\n', country: '' },
    });
  });

  it('yaml, read back by a YAML parser', async () => {
    const reply = await get(`/${MUNICH}/yaml/`);
    expect(reply.headers['content-type']).toBe('application/yaml');
    expect(parseYaml(reply.body)).toEqual(SHORT);
    expect(parseYaml((await get('/50.0.11.1/yaml/')).body, { version: '1.1' })).toMatchObject({
      city: 'Line\u2028Separator',
      country: null,
    });
  });

  it('jsonp', async () => {
    const reply = await get(`/${MUNICH}/jsonp/?callback=geo.$f_1`);
    expect(reply.headers['content-type']).toBe('application/javascript; charset=utf-8');
    expect(reply.body).toBe(`/**/geo.$f_1(${JSON.stringify(SHORT)});`);
    expect((await get('/50.0.11.1/jsonp/')).body).toMatch(/^\/\*\*\/callback\(.*Line\\u2028Separator.*\);$/);
  });

  it.each(['alert(1)', '1a', 'a-b', 'a b', '<x>', 'a'.repeat(65), ''])(
    'jsonp rejects the callback %j',
    async (callback) => {
      const reply = await get(`/${MUNICH}/jsonp/?callback=${encodeURIComponent(callback)}`);
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([400, 'application/json']);
      expect(reply.json()).toMatchObject({ error: true, type: 'urn:problem-type:invalid-callback' });
    },
  );

  it.each(['/127.0.0.1/jsonp/', '/jsonp/127.0.0.1', '/127.0.0.1/%6Asonp'])(
    'jsonp passes problems to the callback, with a status that a script element accepts: %s',
    async (path) => {
      const reply = await get(`${path}?callback=f`);
      expect(reply.statusCode).toBe(200);
      expect(reply.body).toMatch(/^\/\*\*\/f\(\{"error":true,"reason":"Reserved IP Address".*\}\);$/);
    },
  );

  it('a path that does not exist is not found, also if it ends in jsonp', async () => {
    expect((await get('/no/such/jsonp')).statusCode).toBe(404);
  });

  it.each([
    ['text/csv', 'text/csv; charset=utf-8'],
    ['application/xml;q=0.9, application/yaml;q=0.5', 'application/xml; charset=utf-8'],
    ['text/csv; q=0.5, application/xml; q=0.9', 'application/xml; charset=utf-8'],
    ['text/html, */*;q=0.1', 'text/html; charset=utf-8'],
    ['*/*', 'application/json'],
    ['image/png', 'application/json'],
  ])('Accept: %s decides at the bare address', async (accept, type) => {
    const reply = await get(`/${MUNICH}/`, { accept });
    expect([reply.headers['content-type'], reply.headers['vary']]).toEqual([type, 'accept']);
  });

  it('the path decides everywhere else', async () => {
    const reply = await get(`/${MUNICH}/json/`, { accept: 'text/csv' });
    expect([reply.headers['content-type'], reply.headers['vary']]).toEqual(['application/json', undefined]);
  });
});

describe('errors', () => {
  it.each([
    ['/not-an-ip/json/', 'not-an-ip'],
    ['/8.8.8.8%20/json/', '8.8.8.8 '],
    ['/fe80::1%25eth0/json/', 'fe80::1%eth0'],
    ['/fe80::1%eth0/json/', 'fe80::1%eth0'],
    ['/json/fe80::1%eth0?lang=de', 'fe80::1%eth0'],
    ['/json?ip=fe80::1%25eth0', 'fe80::1%eth0'],
    ['/8.8.8.8%0a/csv/', '8.8.8.8\n'],
    ['/%3Cscript%3E/city/', '<script>'],
    ['/1.2.3.4.5/', '1.2.3.4.5'],
  ])('%s is not an address', async (url, ip) => {
    const reply = await get(url);
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([400, 'application/json']);
    expect(reply.json()).toEqual({
      error: true,
      reason: 'Invalid IP Address',
      ip,
      type: 'urn:problem-type:invalid-address',
      title: 'Invalid IP Address',
      status: 400,
      detail: expect.any(String),
      message: expect.any(String),
      requestId: reply.headers['x-request-id'],
    });
  });

  it.each(['127.0.0.1', '10.0.0.1'])('%s is reserved, also when the data has it', async (ip) => {
    const reply = await get(`/${ip}/json/`);
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({ error: true, reason: 'Reserved IP Address', reserved: true });
    expect(reply.json()).toMatchObject({ type: 'urn:problem-type:reserved-address', status: 400 });
  });

  it('mentions TRUST_PROXY when the caller is private', async () => {
    const reply = await get('/json/', {}, '192.168.1.5');
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({
      ip: '192.168.1.5',
      reserved: true,
      detail: expect.stringContaining('TRUST_PROXY'),
    });
  });

  it.each(['10.0.0.7', '127.0.0.1'])('does not advise %s to set what is set', async (caller) => {
    const reply = await get('/json/', {}, caller);
    expect(reply.json()).toMatchObject({ ip: caller, reserved: true });
    expect(reply.body).not.toContain('TRUST_PROXY');
    expect((await get('/', { accept: 'text/html' }, caller)).body).not.toContain('TRUST_PROXY');
  });

  it.each([
    ['GET', '/nothing/', 404, 'not-found'],
    ['GET', `/${MUNICH}/nothing/`, 404, 'not-found'],
    ['GET', '/a/b/c', 404, 'not-found'],
    ['GET', `/${MUNICH}/json/?fields=nothing`, 400, 'unknown-field'],
    ['GET', `/${MUNICH}/json/?fields=`, 400, 'unknown-field'],
    ['GET', `/${MUNICH}/json/?fields=__proto__`, 400, 'unknown-field'],
    ['GET', '/fe80::1%eth0/json/', 400, 'invalid-address'],
    ['GET', '/%zz/json/', 400, 'bad-request'],
    ['GET', '/%ff/json/', 400, 'bad-request'],
    ['POST', `/${MUNICH}/json/`, 405, 'method-not-allowed'],
    ['DELETE', '/json/', 405, 'method-not-allowed'],
  ] as const)('%s %s → %i %s, in the one shape', async (method, url, status, code) => {
    const reply = await app.inject({ method, url, remoteAddress: MUNICH });
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([status, 'application/json']);
    expect(reply.json()).toMatchObject({
      error: true,
      reason: expect.any(String),
      type: `urn:problem-type:${code}`,
      status,
    });
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['unknown', '/nothing/', 404],
    ['unreadable', '/%zz/json/', 400],
    ['long', `/${'x'.repeat(16_385)}/json/?lang=de`, 414],
  ])('gives browsers a page for a path that is %s', async (_what, url, status) => {
    const reply = await app.inject({ url, headers: { accept: 'text/html' } });
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
  });

  it('answers only invalid and reserved addresses with 200 under ERROR_STATUS=200', async () => {
    const { app: strict } = await testApp({ settings: { errorStatus: 200 } });
    const status = async (url: string) => (await strict.inject({ url })).statusCode;
    expect(await status('/x/json/')).toBe(200);
    expect(await status('/127.0.0.1/json/')).toBe(200);
    expect(await status('/nothing')).toBe(404);
    const page = { url: '/?ip=10.0.0.1', headers: { accept: 'text/html' } };
    expect((await strict.inject(page)).statusCode).toBe(400);
  });
});

describe('an invalid address of any length', () => {
  const invalid = (ip: string) => ({ error: true, reason: 'Invalid IP Address', ip: ip.slice(0, 64) });

  it.each([65, 100, 5_000, 15_000])('of %i characters is invalid, and its echo is short', async (length) => {
    const ip = '8.'.repeat(length / 2);
    for (const url of [`/${ip}/json/`, `/json/${ip}`, `/${ip}/csv`, `/${ip}/city`, `/${ip}`]) {
      const reply = await get(url);
      expect([url.slice(-10), reply.statusCode, reply.json()]).toMatchObject([
        url.slice(-10),
        400,
        invalid(ip),
      ]);
      expect(reply.body.length).toBeLessThan(600);
    }
    expect((await get(`/${MUNICH}/${'x'.repeat(length)}`)).statusCode).toBe(404);
    expect((await get(`/${'x'.repeat(length)}`)).statusCode).toBe(404);
  });

  it('keeps characters whole where the echo ends', async () => {
    const { ip } = (await get(`/${'x'.repeat(63)}${encodeURIComponent('😀')}/json`)).json<{ ip: string }>();
    expect(ip).toBe('x'.repeat(63));
  });

  it('on the page, too', async () => {
    const reply = await get(`/?ip=${'8.'.repeat(2_000)}`, { accept: 'text/html' });
    expect([reply.statusCode, reply.body]).toEqual([400, expect.stringContaining('An address is four')]);
    expect(reply.body).not.toContain('8.'.repeat(51));
  });
});

describe('formats', () => {
  it('come from one list: one that is added there has its routes, is described and can be negotiated', async () => {
    const toml = {
      type: 'application/toml',
      write: (record: object) =>
        Object.entries(record)
          .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
          .join(''),
      content: { type: 'string', examples: ['ip = "8.8.8.8"\n'] } as never,
    };
    const formats: Record<string, typeof toml> = FORMATS as never;
    formats['toml'] = toml;
    try {
      const { app: extended } = await testApp();
      const ask = async (url: string, headers = {}) => {
        const { body, headers: answered } = await extended.inject({ url, headers, remoteAddress: MUNICH });
        return [answered['content-type'], body];
      };
      const answer = ['application/toml', `country = "DE"\n`];
      expect(await ask(`/${MUNICH}/toml/?fields=country`)).toEqual(answer);
      expect(await ask('/toml/?fields=country')).toEqual(answer);
      expect(await ask(`/${MUNICH}?fields=country`, { accept: 'application/toml' })).toEqual(answer);
      expect((await ask('/', { accept: 'application/json' }))[1]).toContain('toml');
      expect((await ask('/nothing'))[1]).toContain('toml');
      const { paths } = (await extended.inject('/openapi.json')).json<{ paths: Record<string, unknown> }>();
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/{ip}/toml', '/toml']));
      expect(JSON.stringify(paths['/{name}'])).toContain('application/toml');
    } finally {
      delete formats['toml'];
    }
  });
});

describe('caching, privacy, CORS', () => {
  it('lets anyone store the answer for a named address until the data changes', async () => {
    const reply = await get(`/${MUNICH}/json/`);
    expect(reply.headers).toMatchObject({
      'cache-control': 'public, max-age=3600',
      'x-database-date': '2026-11-01',
      link: '<https://www.maxmind.com/>; rel="license"',
      'access-control-allow-origin': '*',
      // Scripts may read X-Database-Date and X-Location-Source, too.
      'access-control-expose-headers': '*',
    });
    const etag = reply.headers['etag'] as string;
    expect(etag).toMatch(/^W\/"[^"]+"$/);
    const again = await get(`/${MUNICH}/json/`, { 'if-none-match': `"x", ${etag}` });
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
    expect((await get(`/${MUNICH}/json/`, { 'if-none-match': 'W/"other"' })).statusCode).toBe(200);
    expect((await get('/127.0.0.1/json/', { 'if-none-match': etag })).statusCode).toBe(400);
  });

  it('echoes a request id only to clients that sent one: a stored answer would have that of another request', async () => {
    expect((await get(`/${MUNICH}/json/`)).headers['x-request-id']).toBeUndefined();
    expect((await get(`/${MUNICH}/json/`, { 'x-request-id': 'mine' })).headers['x-request-id']).toBe('mine');
    expect((await get('/nothing')).headers['x-request-id']).toEqual(expect.any(String));
  });

  it.each([`/${MUNICH}/jsonp/`, `/${MUNICH}/csv/`, `/${MUNICH}/city/`, '/', '/nothing'])(
    'keeps browsers from guessing what %s is',
    async (url) => {
      expect((await get(url)).headers['x-content-type-options']).toBe('nosniff');
    },
  );

  it.each(['/json/', '/city/', '/xml/', '/'])('forbids storing the caller’s %s', async (url) => {
    const { headers } = await get(url);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(headers['etag']).toBeUndefined();
  });

  it.each([
    ['/', 'GET, HEAD, OPTIONS'],
    ['/8.8.8.8?lang=de', 'GET, HEAD, OPTIONS'],
    ['/csv', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/a/b/c/d', 'GET, HEAD, POST, OPTIONS'],
  ])('answers preflights for %s', async (url, allow) => {
    const reply = await app.inject({
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://example.org', 'access-control-request-headers': 'content-type, x-mine' },
    });
    expect(reply.statusCode).toBe(204);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': '*',
      allow,
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-allow-headers': 'content-type, x-mine',
    });
  });

  it('sets no cookie and logs no address', async () => {
    const { app: quiet, lines } = await testApp();
    for (const url of [
      '/json/',
      `/${MUNICH}/json/`,
      '/127.0.0.1/json/',
      '/1.2.3.4.5/json',
      '/auth',
      '/nothing/',
    ]) {
      const reply = await quiet.inject({
        url,
        remoteAddress: MUNICH,
        headers: { 'x-forwarded-for': '1.2.3.4' },
      });
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
    expect(lines.length).toBeGreaterThan(5);
    expect(JSON.stringify(lines)).not.toMatch(/80\.1\.2\.3|127\.0\.0\.1|1\.2\.3\.4/);
  });
});

describe('the log of addresses', () => {
  it('has a line per answer, with both addresses truncated to their network', async () => {
    const { app: logging, lines } = await testApp({ settings: { logAddresses: true } });
    const ask = async (url: string, remoteAddress: string, forwarded?: string) => {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      await logging.inject({ url, remoteAddress, headers });
      const { caller, requested, route, status } =
        lines.findLast(({ msg }) => msg === 'request answered') ?? {};
      return { caller, requested, route, status };
    };
    const named = { route: '/:ip/json', status: 200 };
    expect(await ask(`/${MUNICH}/json/`, '2a00:1:2:3::4')).toEqual({
      ...named,
      caller: '2a00:1:2::/48',
      requested: '80.1.2.0/24',
    });
    expect(await ask('/2a00::1/json', '10.0.0.1', '81.2.3.4')).toEqual({
      ...named,
      caller: '81.2.3.0/24',
      requested: '2a00::/48',
    });
    expect(await ask('/json/', MUNICH)).toMatchObject({ caller: '80.1.2.0/24', requested: undefined });
    expect(await ask(`/${MUNICH}`, MUNICH)).toMatchObject({ route: '/:name', requested: '80.1.2.0/24' });
    for (const url of [
      `/json/?ip=${MUNICH}`,
      `/city/?ip=${MUNICH}`,
      `/?ip=${MUNICH}`,
      `/${MUNICH}?ip=1.1.1.1`,
    ]) {
      expect([url, (await ask(url, MUNICH)).requested]).toEqual([url, '80.1.2.0/24']);
    }
    // A /48 of 6to4 contains the whole IPv4 address.
    expect(await ask('/64:ff9b::80.1.2.3/json/', '2002:5102:304::1')).toMatchObject({
      caller: '81.2.3.0/24',
      requested: '80.1.2.0/24',
    });
    expect(await ask('/1.2.3/json/', '10.0.0.1', 'unknown')).toEqual({
      route: '/:ip/json',
      status: 400,
      caller: undefined,
      requested: undefined,
    });
    expect(JSON.stringify(lines)).not.toMatch(/80\.1\.2\.3|81\.2\.3\.4|2a00:1:2:3|2a00::1|1\.2\.3"|5102:304/);
  });
});

describe('rate limit', () => {
  it('counts lookups by client, IPv6 by /64', async () => {
    let now = new Date('2026-11-21T12:00:20Z');
    const { app: limited } = await testApp({
      settings: { rateLimit: { requests: 3, per: 'minute' } },
      now: () => now,
    });
    const ask = async (remoteAddress: string) =>
      (await limited.inject({ url: `/${MUNICH}/json`, remoteAddress })).statusCode;
    expect([await ask('2a00::1'), await ask('2a00::2'), await ask('2a00::3')]).toEqual([200, 200, 200]);
    const limitedReply = await limited.inject({ url: `/${MUNICH}/json`, remoteAddress: '2a00::4' });
    expect([limitedReply.statusCode, limitedReply.headers['retry-after']]).toEqual([429, '20']);
    expect(limitedReply.json()).toMatchObject({
      error: true,
      reason: 'RateLimited',
      status: 429,
      detail: 'At most 3 lookups per minute are accepted from one client.',
    });
    expect(await ask('2a00:0:0:1::1')).toBe(200);
    // Through NAT64, all of IPv4 has one /64.
    const translated = ['64:ff9b::80.9.9.1', '64:ff9b::80.9.9.2', '80.9.9.1', '64:ff9b::80.9.9.1'];
    expect(await Promise.all([...translated, '80.9.9.1'].map(ask))).toEqual([200, 200, 200, 200, 429]);
    expect(await ask(MUNICH)).toBe(200);
    expect((await limited.inject({ url: '/health', remoteAddress: '2a00::5' })).statusCode).toBe(200);
    now = new Date('2026-11-21T12:00:40Z');
    expect([await ask('2a00::4'), await ask('2a00::4')]).toEqual([200, 429]);
  });
});
