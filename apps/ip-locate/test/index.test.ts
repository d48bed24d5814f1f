import type { Service } from '@workspace/service-kit';
import type { LocationDatabase } from '../src/application/location-database.ts';
import { fixed, MUNICH, testApp } from './app.ts';

let app: Service;
beforeAll(async () => {
  ({ app } = await testApp());
});

const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8';
const get = (url: string, accept: string | undefined, remoteAddress = MUNICH) =>
  app.inject({ url, remoteAddress, headers: accept === undefined ? {} : { accept } });
const page = (url: string, remoteAddress?: string) => get(url, HTML, remoteAddress);

describe('the index for programs', () => {
  it.each([undefined, '*/*', 'text/plain'])(
    'is the address of the caller as text for Accept: %s',
    async (accept) => {
      const reply = await get('/', accept);
      expect([reply.statusCode, reply.headers['content-type'], reply.body]).toEqual([
        200,
        'text/plain; charset=utf-8',
        `${MUNICH}\n`,
      ]);
    },
  );

  it('is the private address of a private caller too', async () => {
    expect((await get('/', '*/*', '192.168.1.5')).body).toBe('192.168.1.5\n');
  });

  it('is JSON where that is asked for', async () => {
    const reply = await get('/', 'application/json');
    expect(reply.headers).toMatchObject({ 'content-type': 'application/json', vary: 'accept' });
    expect(reply.json()).toMatchObject({
      service: 'ip-locate',
      you: { ip: MUNICH, city: 'Munich' },
      attributions: [{ url: 'https://www.maxmind.com/' }],
    });
  });
});

describe('the index for people', () => {
  it('is the location of the caller on a map, with attribution and the date of the data', async () => {
    const { headers, body } = await page('/');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+'; /),
    });
    expect(body).toContain('<h1>Munich, Bavaria, Germany</h1>');
    expect(body).toContain(`Your address is <code>${MUNICH}</code>`);
    expect(body).toContain('aria-label="Map with Munich, Bavaria, Germany marked"');
    // 11.5755° east and 48.1374° north, ten units a degree from the upper left corner of the world.
    expect(body).toContain('<circle class="dot" cx="1916" cy="419"');
    expect(body).toContain("<a href='https://www.maxmind.com/'>");
    expect(body).toContain('Data of 2026-11-01.');
    expect(body).toContain(`<code class="command">curl -sL localhost:80/${MUNICH}/json/</code>`);
  });

  it('explains to a private caller what to do', async () => {
    const { statusCode, body } = await page('/', '192.168.1.5');
    expect(statusCode).toBe(200);
    expect(body).toContain('<h1>Your address is private</h1>');
    expect(body).toContain('192.168.1.5');
    expect(body).toContain('href="./?ip=8.8.8.8"');
    expect(body).toContain('TRUST_PROXY');
    expect(body).not.toContain('<svg');
  });

  it.each(['127.0.0.1', '::1', '127.3.2.1'])('tells a visitor on the same machine, %s', async (address) => {
    for (const body of [(await page('/', address)).body, (await page(`/?ip=${address}`)).body]) {
      expect(body).toContain('<h1>Your own machine</h1>');
      expect(body).toContain(`<code>${address}</code>`);
      expect(body).toContain('?ip=8.8.8.8');
    }
    // A proxy on this machine looks so, unless it is trusted.
    expect((await page('/', address)).body.includes('TRUST_PROXY')).toBe(address === '127.3.2.1');
  });

  it('says that data is old, and how old, once it is', async () => {
    const at = async (now: string) => {
      const { app: dated } = await testApp({ now: () => new Date(now) });
      const { body } = await dated.inject({ url: '/', headers: { accept: HTML }, remoteAddress: MUNICH });
      return /id="stale">.*datetime="2026-11-01">(.*)<\/p>/.exec(body)?.[1];
    };
    expect(await at('2026-12-01T00:00:00Z')).toBeUndefined();
    expect(await at('2027-02-01T00:00:00Z')).toBe(
      '1 Nov 2026</time>, 92 days ago. Networks may have moved since.',
    );
  });

  it('leads from a location to a street map, and prints without forms', async () => {
    const { body } = await page('/');
    expect(body).toContain(
      'https://www.openstreetmap.org/?mlat=48.1374&amp;mlon=11.5755#map=9/48.1374/11.5755',
    );
    expect(body).toMatch(/@media print \{[^}]*form/);
  });

  it('looks up another address', async () => {
    const { body } = await page('/?ip=%2081.7.0.1%20');
    expect(body).toContain('<h1>81.7.0.1</h1>');
    expect(body).toContain('Village 7');
    expect(body).toContain('value="81.7.0.1"');
  });

  it.each([
    ['/?ip=9.9.9.9', 200, 'No location on record for this address.'],
    ['/?ip=10.0.0.1', 400, '<h1>10.0.0.1 is in a reserved range: private use</h1>'],
    ['/?ip=nonsense', 400, 'An address is four decimal numbers'],
    ['/?ip=8.8.8.999', 400, '999 is too large: the numbers of an IPv4 address go up to 255'],
    ['/?ip=127.0.0.999', 400, '999 is too large: the numbers of an IPv4 address go up to 255'],
    ['/?ip=127.nonsense', 400, 'An address is four decimal numbers'],
    ['/?ip=8.8.08.8', 400, '08 begins with 0, which some systems read as octal'],
    ['/?ip=fe80::1%25eth0', 400, 'Write an IPv6 address without a zone'],
  ])('%s says why there is no location', async (url, status, text) => {
    const { statusCode, body } = await page(url);
    expect([statusCode, body.includes(text), body.includes('<svg')]).toEqual([status, true, false]);
  });

  it.each([
    ['/10.0.0.1', '10.0.0.1'],
    ['/?ip=$(reboot)', '8.8.8.8'],
  ])('%s keeps the address in the examples, unless it is none', async (url, ip) => {
    expect((await page(url)).body).toContain(
      `<code class="command">curl -sL localhost:80/${ip}/json/</code>`,
    );
  });

  it.each(['/81.7.0.1', '/81.7.0.1/', '/::ffff:81.7.0.1'])(
    'is at the address itself, too: %s',
    async (url) => {
      const { statusCode, headers, body } = await page(url);
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, no-store',
        vary: 'accept',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      expect(body).toContain('Village 7');
      // Links lead to the root, also below a path of a proxy.
      const form = /<form action="([^"]+)"/.exec(body)![1]!;
      expect(new URL(form, `http://host/geo${url}`).pathname).toBe('/geo/');
    },
  );

  it.each([
    ['/10.0.0.1', 400, '10.0.0.1 is in a reserved range: private use', 'No location · HTTP status 400'],
    ['/10.0.0.1/json/', 400, '10.0.0.1 is in a reserved range: private use', 'No location'],
    ['/1.2.3', 400, 'An address is four decimal numbers', 'No location'],
    ['/no/such/page', 404, 'There is nothing at /no/such/page', 'Not found'],
    ['/nothing', 404, 'Not found', 'The path must end in one of'],
    ['/8.8.8.8/json/?fields=nothing', 400, 'Unknown field', 'nothing'],
  ])('%s is a problem with the form to go on with', async (url, status, title, text) => {
    const { statusCode, headers, body } = await page(url);
    expect([statusCode, headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(body).toContain(`<h1>${title}`);
    expect(body).toContain(text);
    expect(body).toContain('docs">API</a> <a href="');
    const form = /<form action="([^"]+)"/.exec(body)![1]!;
    expect(new URL(form, `http://host/geo${url}`).pathname).toBe('/geo/');
    expect((await get(url, '*/*')).headers['content-type']).toBe('application/json');
    expect((await get(url, '*/*')).statusCode).toBe(status);
  });

  it('looks up many, in their order, at most a hundred', async () => {
    const list = `${MUNICH}\r\n10.0.0.1, nonsense;81.7.0.1`;
    const { body } = await page(`/?addresses=${encodeURIComponent(list)}`);
    expect(body).toContain('<h1>Addresses: 4</h1>');
    const cells = [...body.matchAll(/<tr><td>.*?<code>(.*?)<\/code>(.*?)<\/tr>/g)].map(([, ip, rest]) => [
      ip,
      rest
        ?.replace(/<[^>]*>/g, ' ')
        .trim()
        .split(/\s{2,}/)[0],
    ]);
    expect(cells).toEqual([
      [MUNICH, 'Munich'],
      ['10.0.0.1', expect.stringContaining('private use')],
      ['nonsense', expect.stringContaining('four decimal numbers')],
      ['81.7.0.1', 'Village 7'],
    ]);
    const [, csv] = /<a download="locations.csv" href="data:text\/csv;charset=utf-8,([^"]+)"/.exec(body)!;
    expect(decodeURIComponent(csv!).split('\r\n')).toEqual([
      'ip,city,region,country,error',
      `${MUNICH},Munich,Bavaria,Germany,`,
      '10.0.0.1,,,,10.0.0.1 is in a reserved range: private use.',
      expect.stringMatching(/^nonsense,,,,"?An address is four decimal numbers/),
      expect.stringMatching(/^81\.7\.0\.1,Village 7,/),
      '',
    ]);
    const many = (await page(`/?addresses=${'1.1.1.1+'.repeat(103)}`)).body;
    expect(many).toContain('Only the first 100 addresses are shown; 3 more were left out.');
  });

  it('escapes what the data and the visitor say', async () => {
    expect((await page('/?ip=50.0.6.1')).body).toContain('&lt;script&gt;alert(&quot;1&quot;)');
    const xss = encodeURIComponent('"><script>alert(1)</script>');
    for (const url of [`/?ip=${xss}`, `/?addresses=${xss}`])
      expect((await page(url)).body).not.toContain('<script');
    const host = await app.inject({
      url: '/',
      headers: { accept: HTML, host: '"><script>' },
      remoteAddress: MUNICH,
    });
    expect(host.body).not.toContain('<script');
  });

  it('counts against the rate limit, each address once', async () => {
    const { app: limited } = await testApp({ settings: { rateLimit: { requests: 3, per: 'minute' } } });
    const status = async (url: string) =>
      (await limited.inject({ url, headers: { accept: HTML }, remoteAddress: MUNICH })).statusCode;
    expect([await status('/?addresses=1.1.1.1+1.1.1.2'), await status('/'), await status('/')]).toEqual([
      200, 200, 429,
    ]);
  });

  it('is there without a database', async () => {
    const { app: empty } = await testApp({ locations: fixed<LocationDatabase>(undefined) });
    const reply = await empty.inject({ url: '/', headers: { accept: HTML }, remoteAddress: MUNICH });
    expect(reply.statusCode).toBe(200);
    expect(reply.body).toContain('No database loaded');
  });

  describe('in a language', () => {
    const inLanguage = async (url: string, accepted?: string, remoteAddress = MUNICH) =>
      (
        await app.inject({
          url,
          remoteAddress,
          headers: { accept: HTML, ...(accepted !== undefined && { 'accept-language': accepted }) },
        })
      ).body;

    it.each([
      ['/', undefined, 'en', 'Munich, Bavaria, Germany', 'Your address is'],
      ['/', 'xx, de-AT;q=0.9, en;q=0.8', 'de', 'München, Bayern, Deutschland', 'Ihre Adresse ist'],
      ['/', 'tlh, *', 'en', 'Munich, Bavaria, Germany', 'Your address is'],
      ['/?lang=fr', 'de', 'fr', 'Munich, Bavière, Allemagne', 'Votre adresse est'],
      [`/${MUNICH}/?lang=ja`, 'de', 'ja', 'ミュンヘン, バイエルン州, ドイツ', '自律システム'],
      [`/?ip=${MUNICH}`, 'pt', 'pt-BR', 'Munique, Baviera, Alemanha', 'Sistema autônomo'],
      [`/?addresses=${MUNICH}`, 'zh-TW', 'zh-CN', 'Munich', '<th scope="col">城市</th>'],
      ['/?lang=ru', undefined, 'ru', 'Германия', 'Ваш адрес'],
    ])('%s, Accept-Language %s: %s, names and texts alike', async (url, accepted, lang, place, text) => {
      const body = await inLanguage(url, accepted);
      expect(body).toContain(`<html lang="${lang}">`);
      expect(body).toContain(place.split(', ')[0]);
      expect(body).toContain(text);
      expect(body).toContain(`<option value="${lang}" lang="${lang}" selected>`);
    });

    it('that links and forms carry on, once it was chosen', async () => {
      const chosen = await inLanguage('/?ip=81.7.0.1&lang=de', 'fr');
      expect(chosen.match(/<input type="hidden" name="lang" value="de">/g)).toHaveLength(2);
      expect(chosen).toContain('href="./81.7.0.1/csv/?lang=de"');
      // The switch shows the same again.
      expect(/<form class="language"[^]*?<\/form>/.exec(chosen)![0]).toContain(
        '<input type="hidden" name="ip" value="81.7.0.1">',
      );
      expect(await inLanguage('/?ip=81.7.0.1', 'fr')).not.toMatch(/name="lang" value|lang=fr[&"]/);
    });

    it('names countries on the map in it', async () => {
      expect(await inLanguage('/', 'de')).toMatch(/<text[^>]*>Frankreich<\/text>/);
      expect(await inLanguage('/', 'ja')).toMatch(/<text[^>]*>ドイツ<\/text>/);
    });

    it.each(['/?ip=8.8.8.999', '/no/such/path'])('but English about a problem: %s', async (url) => {
      const body = await inLanguage(url, 'de');
      expect(body).toContain('<html lang="en">');
      expect(body).not.toContain('Suchen');
    });

    it('also to a visitor on the same machine, and to a private caller', async () => {
      expect(await inLanguage('/', 'de', '127.0.0.1')).toContain('<h1>Ihr eigener Rechner</h1>');
      expect(await inLanguage('/', 'de', '192.168.1.5')).toContain('<h1>Ihre Adresse ist privat</h1>');
    });
  });
});
