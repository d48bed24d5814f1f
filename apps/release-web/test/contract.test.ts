import { type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService({ MIRROR_HOSTNAME: 'mirror|1\r\n', MIRROR_ADDRESS: '192.0.2.1' });
});

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers });

describe('the five paths', () => {
  it('mirror-info has eleven fields in one line, whatever the query', async () => {
    const answer = await get('/mirror-info.php?x=1');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.body.split('|')).toEqual([
      'https://releases.example/',
      process.versions.node,
      String(Date.parse('2026-08-13T00:00:00Z') / 1000),
      '0',
      '0',
      'en',
      'manual-noalias',
      '1',
      'releases,feed,branches,pre-releases',
      'mirror1',
      '192.0.2.1',
    ]);
  });

  it('branches.php has every released branch, newest first', async () => {
    const answer = await get('/releases/branches.php');
    expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8');
    expect(answer.body).toMatch(
      /^\[\{"branch":"8\.5","latest":"8\.5\.9","state":"stable","initial_release":"2025-11-20T00:00:00\+00:00","active_support_end":"2027-12-31T00:00:00\+00:00","security_support_end":"2029-12-31T00:00:00\+00:00"\},/,
    );
    expect(answer.json().map(({ branch, state }: Record<string, string>) => [branch, state])).toEqual([
      ['8.5', 'stable'],
      ['8.4', 'stable'],
      ['8.2', 'security'],
      ['8.1', 'eol'],
      ['7.4', 'eol'],
      ['5.4', 'eol'],
      ['4.0', 'eol'],
      ['3.0', null],
    ]);
    expect(answer.json().at(-1)).toEqual({
      branch: '3.0',
      latest: '3.0.x (latest)',
      state: null,
      initial_release: null,
      active_support_end: null,
      security_support_end: '2000-10-20T00:00:00+00:00',
    });
  });

  it.each([
    '/pre-release-builds.php',
    '/pre-release-builds.php?format=json',
    '/pre-release-builds?cachebuster=1',
  ])('%s has records in data order', async (url) => {
    const answer = await get(url);
    expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8');
    expect(answer.json().map((record: { version: string }) => record.version)).toEqual([
      '8.2.27',
      '8.4.25',
      '8.5.10',
      '8.6.0',
    ]);
    expect(Object.keys(answer.json()[0])).toEqual([
      'version',
      'active',
      'release',
      'sha256_gz',
      'sha256_bz2',
      'sha256_xz',
      'date',
      'baseurl',
      'enabled',
      'dev_version',
    ]);
  });

  it('dev_versions are a flat list in either format', async () => {
    const url = '/pre-release-builds.php?only=dev_versions';
    const list = [
      '8.2.27-dev',
      '8.4.25-dev',
      '8.4.25RC1',
      '8.5.10-dev',
      '8.5.10RC1',
      '8.6.0-dev',
      '8.6.0beta1',
    ];
    expect((await get(url)).json()).toEqual(list);
    const serialized = await get(`${url}&format=serialize`);
    expect(serialized.headers['content-type']).toBe('text/plain; charset=UTF-8');
    expect(serialized.body).toMatch(/^a:7:\{i:0;s:10:"8\.2\.27-dev";i:1;s:10:"8\.4\.25-dev";/);
  });

  it('the whole of it can be serialized', async () => {
    const { body } = await get('/pre-release-builds.php?format=serialize');
    expect(body).toMatch(
      /^a:4:\{i:0;a:10:\{s:7:"version";s:6:"8\.2\.27";s:6:"active";b:1;s:7:"release";a:2:\{s:4:"type";s:2:"RC";s:6:"number";i:0;\}/,
    );
  });

  it('the feed is Atom', async () => {
    const answer = await get('/releases/feed.php');
    expect(answer.headers['content-type']).toBe('application/atom+xml');
    expect(answer.body).toContain('<id>http://php.net/releases/8_5_9.php</id>');
    expect(answer.body).toContain('<link rel="self" href="https://releases.example/releases/feed.php"/>');
  });

  it.each([
    ['/relases.atom', '/releases/feed.php'],
    ['/releases.atom?a=b&c=%20', '/releases/feed.php?a=b&c=%20'],
    ['/release-candidates.php?format=json', '/pre-release-builds.php?format=json'],
    ['/release-candidates?only=dev_versions', '/pre-release-builds.php?only=dev_versions'],
  ])('%s redirects, query kept, whatever Host says', async (from, to) => {
    const answer = await get(from, { host: 'evil.example' });
    expect(answer.statusCode).toBe(301);
    expect(answer.headers.location).toBe(`https://releases.example${to}`);
  });
});

describe('problems', () => {
  it.each([
    'format=',
    'format=JSON',
    'format=xml',
    'format=json&format=xml',
    'format=json&format[]=json',
    'format[]=json',
    'format[a]=json',
    'only=',
    'only=all',
    'only[]=dev_versions',
  ])('%s names what is allowed', async (query) => {
    const answer = await get(`/pre-release-builds.php?${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const allowed = query.startsWith('only') ? ['dev_versions'] : ['json', 'serialize'];
    expect(answer.json()).toMatchObject({ type: 'urn:problem-type:unknown-choice', status: 400, allowed });
  });

  it.each([
    ['format=xml&format=json', 'format=json'],
    ['format=json&format=serialize', 'format=serialize'],
    ['format[]=json&format=json', ''],
    ['only=x&only=dev_versions', 'only=dev_versions'],
  ])('of %s the last one counts, as at php.net', async (query, last) => {
    const [answer, same] = await Promise.all(
      [query, last].map((one) => get(`/pre-release-builds.php?${one}`)),
    );
    expect([answer!.statusCode, answer!.body]).toEqual([200, same!.body]);
  });

  it('unknown parameters change neither body nor ETag', async () => {
    const [plain, more] = await Promise.all([
      get('/pre-release-builds.php'),
      get('/pre-release-builds.php?x=y&formats=1'),
    ]);
    expect(more.body).toBe(plain.body);
    expect(more.headers.etag).toBe(plain.headers.etag);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('%s gets 405 and Allow', async (method) => {
    const answer = await service.app.inject({ method, url: '/releases/branches.php' });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  it.each(['/releases/branches.php', '/api/v1/support?version=8.4', '/health', '/nothing'])(
    'a page of another site may send conditional requests to %s',
    async (url) => {
      const headers = {
        origin: 'https://dashboard.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      };
      const preflight = await service.app.inject({ method: 'OPTIONS', url, headers });
      expect([preflight.statusCode, preflight.body]).toEqual([204, '']);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'if-none-match',
        'access-control-max-age': '86400',
      });
      const answer = await get(url, { origin: 'https://dashboard.example' });
      expect(answer.headers['access-control-expose-headers']).toBe('*');
    },
  );

  it('unknown paths get 404', async () => {
    const answer = await get('/releases/nothing.php');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ type: 'urn:problem-type:not-found' });
  });
});

describe('php.net compatibility', () => {
  it('index.php gives the newest of every major version, descending, with what is supported', async () => {
    const answer = await get('/releases/index.php?json');
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.body).toMatch(/^\{"8":\{"announcement":true,"tags":\["security"\],"date":"30 Jul 2026"/);
    expect(
      [...answer.body.matchAll(/"version":"([^"]+)","supported_versions":(\[[^\]]*\])/g)].map(
        ([, ...pair]) => pair,
      ),
    ).toEqual([
      ['8.5.9', '["8.2","8.4","8.5"]'],
      ['7.4.33', '[]'],
      ['5.4.45', '[]'],
      ['4.0.6', '[]'],
      ['3.0.x (latest)', '[]'],
    ]);
  });

  it.each([
    ['json&version=8', '8.5.9'],
    ['json&version=8.4', '8.4.24'],
    ['json&version=7.4.33', '7.4.33'],
    ['json&version=1&version=7', '7.4.33'],
  ])('index.php?%s gives the first match', async (query, version) => {
    const { body } = await get(`/releases/index.php?${query}`);
    expect(JSON.parse(body)).toMatchObject({
      version,
      supported_versions: version[0] === '8' ? ['8.2', '8.4', '8.5'] : [],
    });
    expect(body).toMatch(/"supported_versions":\[[^\]]*\],"version":"[^"]+"\}$/);
  });

  it.each([
    [
      'version=8&max=100',
      [
        '8.5.9',
        '8.4.24',
        '8.2.33',
        '8.4.23',
        '8.5.8',
        '8.2.32',
        '8.1.34',
        '8.5.0',
        '8.4.1',
        '8.2.0',
        '8.1.0',
      ],
    ],
    ['version=8&max=2', ['8.5.9', '8.4.24']],
    ['version=8.4&max=-1', ['8.4.24', '8.4.23', '8.4.1']],
    ['version=8.4&max=1', ['8.4.24']],
    ['version=8.4&max=2abc', ['8.4.24', '8.4.23']],
  ])('index.php?json&%s is keyed by version', async (query, versions) => {
    expect(Object.keys((await get(`/releases/index.php?json&${query}`)).json())).toEqual(versions);
  });

  it.each([
    'version=9',
    'version=',
    'version=x',
    'version=8.4.999',
    'version=8&max=0',
    'version=8&max=x',
    'version=8&max=-2',
  ])('index.php?json&%s is an unknown version, with 200', async (query) => {
    const answer = await get(`/releases/index.php?json&${query}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe('{"error":"Unknown version"}');
  });

  it('index.php?json&version[]=8 is rejected', async () => {
    const answer = await get('/releases/index.php?json&version[]=8');
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'urn:problem-type:unknown-choice']);
  });

  it.each([
    ['json&version=3', '3.0.x (latest)'],
    ['json&version=3.0', '3.0.x (latest)'],
    ['json[]=1&version=8', '8.5.9'],
    ['json&version=8.4RC1', '8.4.24'],
    ['json&version=8%20', '8.5.9'],
    ['json&version=8.4.24.0', '8.4.24'],
  ])('index.php?%s is %s, as PHP reads numbers', async (query, version) => {
    expect((await get(`/releases/index.php?${query}`)).json().version).toBe(version);
  });

  it.each([
    ['max=1e3', 11],
    ['max[]=1', 1],
    ['max=1.9', 1],
  ])('index.php?json&version=8&%s has %i releases, as PHP reads numbers', async (query, count) => {
    const answer = await get(`/releases/index.php?json&version=8&${query}`);
    expect(Object.keys(answer.json())).toHaveLength(count);
  });

  it('index.php serializes, which wins over json', async () => {
    const answer = await get('/releases/?json&serialize&version=9');
    expect(answer.headers['content-type']).toBe('text/plain;charset=UTF-8');
    expect(answer.body).toBe('a:1:{s:5:"error";s:15:"Unknown version";}');
  });

  it('index.php is a page for people', async () => {
    const answer = await get('/releases');
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('<h3><a href="/releases/8_4_24.php">PHP 8.4.24</a></h3>');
  });

  it('active.php has current releases ascending, four weeks beyond their end', async () => {
    const versions = async () => {
      const branches: Record<string, { version: string }> = (await get('/releases/active')).json()['8'];
      return Object.values(branches).map(({ version }) => version);
    };
    expect(await versions()).toEqual(['8.2.33', '8.4.24', '8.5.9']);
    service.set('2027-01-27T23:59:59Z');
    expect(await versions()).toEqual(['8.2.33', '8.4.24', '8.5.9']);
    service.set('2027-01-28T00:00:00Z');
    expect(await versions()).toEqual(['8.4.24', '8.5.9']);
    service.set('2040-01-01T00:00:00Z');
    expect((await get('/releases/active.php')).body).toBe('[]');
    service.set('2026-11-21T12:00:00Z');
  });

  it('states.php has both levels descending', async () => {
    const { body } = await get('/releases/states.php?json');
    expect([...body.matchAll(/"(\d(?:\.\d)?)":\{/g)].map(([, key]) => key)).toEqual([
      '8',
      '8.5',
      '8.4',
      '8.2',
      '8.1',
      '7',
      '7.4',
      '5',
      '5.4',
      '4',
      '4.0',
      '3',
      '3.0',
    ]);
  });
});

describe('the keyed shape', () => {
  it('answers as php.net does', async () => {
    const keyed = await testService({ PRE_RELEASE_SHAPE: 'keyed' });
    const { body } = await keyed.app.inject('/pre-release-builds.php?format=json');
    expect(Object.keys(JSON.parse(body))).toEqual([
      '8.2.27',
      '8.4.25',
      '8.5.10',
      '8.6.0',
      'reported',
      'releases',
    ]);
    expect(JSON.parse(body).releases['8.6.0'].files.xz.path).toBe(
      'https://downloads.php.net/~svpernova09/php-8.6.0beta1.tar.xz',
    );
  });
});
