import { createHash } from 'node:crypto';
import { copyOfFixture, editData, type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});

const get = (url: string) => service.app.inject(url);

describe('the page of releases', () => {
  it('is also what the bare host answers', async () => {
    const [front, page] = await Promise.all([get('/'), get('/releases/')]);
    expect(front.statusCode).toBe(200);
    expect(front.body).toBe(page.body);
    expect(front.body).toContain('<link rel="canonical" href="https://releases.example/releases/">');
  });

  it('runs its own script and style only, and fetches nothing', async () => {
    const { headers, body } = await get('/releases/');
    const hash = (name: string) => {
      const text = new RegExp(`<${name}>([^]*?)</${name}>`).exec(body)![1]!;
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    };
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src ${hash('script')}; style-src ${hash('style')}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(body).not.toMatch(/ style=| on\w+=/);
    expect(body).toContain('<a href="/releases/">PHP releases</a> <small class="muted">1.2.3</small>');
    expect(body).toContain('<a href="/docs">API</a></nav>');
  });

  it('says which branches are supported and what happens next', async () => {
    const { body } = await get('/releases/');
    expect(body).toContain('PHP 8.5 and PHP 8.4 are in active support. PHP 8.2 gets security fixes only.');
    expect(body).toContain(
      '<strong><time datetime="2026-12-31">31 Dec 2026</time></strong> <span class="muted small">in 40 days</span>',
    );
    expect(body).toMatch(
      /PHP 8\.4<\/a> gets only security fixes from then on\..*PHP 8\.2<\/a> is no longer supported\./,
    );
    service.set('2026-12-31T00:00:00Z');
    expect((await get('/releases/')).body).toContain(
      'PHP 8.5 is in active support. PHP 8.4 gets security fixes only.',
    );
    service.set('2026-11-21T12:00:00Z');
  });

  it('leads to feeds and the pages of branches', async () => {
    const { body } = await get('/releases/');
    for (const [type, path] of [
      ['application/atom+xml', '/releases/feed.php'],
      ['application/feed+json', '/releases/feed.json'],
    ]) {
      expect(body).toContain(`<link rel="alternate" type="${type}" title="`);
      expect(body).toContain(`href="https://releases.example${path}">`);
    }
    const branches: { branch: string }[] = (await get('/releases/branches.php')).json();
    for (const { branch } of branches) expect(body).toContain(`href="/releases/${branch}/"`);
  });

  it('shows builds to test with their files and digests', async () => {
    const { body } = await get('/releases/');
    expect(body).toContain('<h3>PHP 8.6.0beta1</h3>');
    expect(body).toMatch(
      /href="https:\/\/downloads\.php\.net\/~svpernova09\/php-8\.6\.0beta1\.tar\.xz">php-8\.6\.0beta1\.tar\.xz<\/a>.*SHA-256 <code id="hash-php-8\.6\.0beta1\.tar\.xz">[0-9a-f]{64}</,
    );
    expect(body).not.toContain('8.2.27RC0');
  });

  it('changes at midnight, because it shows today', async () => {
    const before = await get('/releases/');
    service.set('2026-11-22T00:00:00Z');
    const after = await get('/releases/');
    service.set('2026-11-21T23:59:00Z');
    const late = await get('/releases/');
    service.set('2026-11-21T12:00:00Z');
    expect(late.headers['etag']).toBe(before.headers['etag']);
    expect(late.headers['cache-control']).toBe('public, max-age=60, stale-while-revalidate=0');
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
    expect(after.headers['last-modified']).toBe('Sun, 22 Nov 2026 00:00:00 GMT');
    expect(after.body).toContain('Today, 22 Nov 2026');
  });
});

describe('the page of all releases', () => {
  it('leads to the page of each of them, once, by branch', async () => {
    const { body } = await get('/releases/all');
    const { items } = (await get('/api/v1/releases?limit=100')).json();
    const linked = [...body.matchAll(/<th scope="row"><a href="(\/releases\/[\d_]+\.php)">/g)].map(
      ([, path]) => `https://releases.example${path}`,
    );
    const pages = items.map(({ page }: { page: string }) => page);
    expect(linked.sort()).toEqual(pages.filter((page: string) => page.endsWith('.php')).sort());
    expect(body.indexOf('>PHP 8.5</a>')).toBeLessThan(body.indexOf('>PHP 8.4</a>'));
    expect(body).not.toContain('>PHP 8.6</a>');
    expect(body).toContain('<a href="#php-5.4">5.4</a>');
  });

  it.each(['/supported-versions', '/eol', '/downloads'])('php.net’s %s leads to it', async (path) => {
    for (const url of [`${path}.php`, path, `${path}.php?os=linux`]) {
      const { statusCode, headers } = await get(url);
      const [page, part] = headers.location!.replace('https://releases.example', '').split('#');
      expect([url, statusCode, page]).toEqual([url, 301, '/releases/']);
      expect((await get(page!)).body).toContain(` id="${part}"`);
    }
  });
});

describe('the page of a branch', () => {
  it('says how long it is supported, and lists its releases', async () => {
    const { statusCode, headers, body } = await get('/releases/8.4/');
    expect(statusCode).toBe(200);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body).toContain('<h1>PHP 8.4<span class="tag stable">Active support</span></h1>');
    expect(body).toContain('<dt>Active support ends</dt><dd><time datetime="2026-12-31">31 Dec 2026</time>');
    expect(
      [...body.matchAll(/<th scope="row"><a href="[^"]+">([^<]+)/g)].map(([, version]) => version),
    ).toEqual(['8.4.24', '8.4.23', '8.4.1']);
  });

  it('sends users of a branch without support to the newest one', async () => {
    const { body } = await get('/releases/7.4/');
    expect(body).toContain('PHP 7.4 is no longer supported: its support ended on');
    expect(body).toContain('Upgrade to <a href="/releases/8.5/">PHP 8.5</a>.');
  });

  it.each([
    ['2026-08-13T12:00:00Z', 'today'],
    ['2026-11-21T12:00:00Z', '3 months ago'],
  ])('shows the builds to come with their age, however old they are (%s)', async (instant, age) => {
    service.set(instant);
    const [development, supported, all] = await Promise.all(
      ['/releases/8.6/', '/releases/8.4/', '/releases/'].map(async (path) => (await get(path)).body),
    );
    service.set('2026-11-21T12:00:00Z');
    const date = `<time datetime="2026-08-13">13 Aug 2026</time>, ${age}`;
    expect(development).toContain(
      `PHP 8.6 is in development. Its newest build is <a href="#testing">8.6.0beta1</a> of ${date}.`,
    );
    for (const [body, version] of [
      [development, '8.6.0beta1'],
      [supported, '8.4.25RC1'],
      [all, '8.6.0beta1'],
      [all, '8.4.25RC1'],
    ])
      expect(body).toContain(`<h3>PHP ${version}</h3><span class="muted">${date}</span>`);
  });

  it('has a slash at its end', async () => {
    const { statusCode, headers } = await get('/releases/8.4');
    expect([statusCode, headers.location]).toEqual([301, 'https://releases.example/releases/8.4/']);
  });

  it.each(['/releases/9.9/', '/releases/8/', '/releases/8.4.24/'])('%s is not there', async (path) => {
    expect((await get(path)).statusCode).toBe(404);
  });
});

describe('the page of a release', () => {
  it('is where the feed leads to', async () => {
    const feed = (await service.app.inject('/releases/feed.json')).json();
    // News comes before it.
    const [path] = feed.items.flatMap(
      ({ url }: { url: string }) => /\/releases\/\d+_\d+_\d+\.php$/.exec(url)?.[0] ?? [],
    );
    const answer = await service.app.inject(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('<h1>PHP 8.5.9<');
    expect(answer.body).toContain('d735459c2cbaeb0673d416c33d372d9ff261d562f6b29da48f3e6aeaeca083af');
  });

  it.each([
    ['3.0', '3.0.x (latest)', '/releases/3.0/'],
    ['4.0', '4.0.6', '/releases/4_0_6.php'],
    ['5.4', '5.4.45', '/releases/5_4_45.php'],
  ])('is where the feed of %s and the API lead to, whoever announced it', async (branch, version, page) => {
    const feed = (await get(`/releases/${branch}/feed.json`)).json();
    const release = (await get(`/api/v1/releases/${encodeURIComponent(version)}`)).json();
    expect([feed.items[0].url, release.item.page]).toEqual(Array(2).fill(`https://releases.example${page}`));
    expect((await get(page)).statusCode).toBe(200);
    // The ids of Atom are addresses.
    expect(feed.items[0].id).toBe(new URL(feed.items[0].id).href);
  });

  it('says which algorithm a digest is of', async () => {
    expect((await service.app.inject('/releases/8_5_9.php')).body).toContain('SHA-256 <code');
    expect((await service.app.inject('/releases/5_4_0.php')).body).toContain('MD5 <code');
  });

  it('says in which part of its life its branch is', async () => {
    expect((await service.app.inject('/releases/8_4_24.php')).body).toContain(
      'PHP 8.4 is in active support through <time datetime="2026-12-30">30 Dec 2026</time> and gets security fixes through <time datetime="2028-12-30">30 Dec 2028</time>.',
    );
    expect((await service.app.inject('/releases/8_2_33.php')).body).toContain(
      'PHP 8.2 gets only security fixes, through <time datetime="2026-12-30">30 Dec 2026</time>.',
    );
    service.set('2026-12-31T00:00:00Z');
    expect((await service.app.inject('/releases/8_4_24.php')).body).toContain(
      'PHP 8.4 gets only security fixes, through <time datetime="2028-12-30">30 Dec 2028</time>.',
    );
    service.set('2026-11-21T12:00:00Z');
  });

  it('leads on to the newest of its branch, and says when there is no support', async () => {
    expect((await service.app.inject('/releases/8_5_0.php')).body).toContain(
      '<a href="/releases/8_5_9.php">PHP 8.5.9</a>',
    );
    expect((await service.app.inject('/releases/7_4_33.php')).body).toContain(
      'PHP 7.4 is no longer supported',
    );
  });

  const BRANCH_4 = '<a href="/releases/8.4/">All releases of PHP 8.4</a>';
  const JSON_OF = (version: string) => `<a href="/api/v1/releases/${version}">This release as JSON</a>`;
  const FPM = 'variants end in <code>-cli</code>, <code>-fpm</code>,';
  it.each<[path: string, shown: string[], absent: string[]]>([
    [
      '/releases/8_4_24.php',
      [
        `<nav class="pages" aria-label="Other releases"><a href="/releases/8_4_23.php" rel="prev">Previous: 8.4.23</a> ${BRANCH_4} ${JSON_OF('8.4.24')}</nav>`,
        '<a href="https://www.php.net/releases/8_4_24.php">Release notes</a>',
        '<a href="https://www.php.net/ChangeLog-8.php#8.4.24">Changelog of PHP 8.4.24</a>',
        `<a href="https://hub.docker.com/_/php/tags?name=8.4.24"><code>php:8.4.24</code></a> and, until the next release, <code>php:8.4</code>; ${FPM}`,
        'For Windows: <a href="https://windows.php.net/download/">PHP at windows.php.net</a>.',
      ],
      [' MB<'],
    ],
    [
      '/releases/8_4_23.php',
      [
        `<a href="/releases/8_4_1.php" rel="prev">Previous: 8.4.1</a> <a href="/releases/8_4_24.php" rel="next">Next: 8.4.24</a> ${BRANCH_4}`,
        `<code>php:8.4.23</code></a>, which is not built again; ${FPM}`,
      ],
      ['<code>php:8.4<'],
    ],
    [
      '/releases/7_4_33.php',
      ['<a href="https://www.php.net/ChangeLog-7.php#7.4.33">'],
      ['php:7', 'windows.php.net'],
    ],
    [
      '/releases/8_5_9.php',
      [
        'has to show the fingerprint of a release manager’s key (see <a href="https://www.php.net/gpg-keys.php#gpg-8.5">',
        'php-keyring.gpg&apos; | gpg --import\n',
        '\ngpg --verify &apos;php-8.5.9.tar.xz.asc&apos; &apos;php-8.5.9.tar.xz&apos;</code>',
      ],
      [],
    ],
    [
      '/releases/4_0_6.php',
      ['<a href="https://www.php.net/ChangeLog-4.php#4.0.6">'],
      ['Release notes', 'gpg'],
    ],
  ])('%s leads to what there is about it, and to nothing else', async (path, shown, absent) => {
    const { body } = await get(path);
    for (const text of shown) expect(body).toContain(text);
    for (const text of absent) expect(body).not.toContain(text);
  });

  it.each(['/releases/8_4_999.php', '/releases/8_4.php', '/releases/8_4_24'])(
    '%s is not there',
    async (path) => {
      expect((await service.app.inject(path)).statusCode).toBe(404);
    },
  );

  it.each([
    ['/distributions/php-8.5.9.tar.xz', 'https://www.php.net/distributions/php-8.5.9.tar.xz'],
    ['/distributions/php-8.5.0.tar.gz', 'https://www.php.net/distributions/php-8.5.0.tar.gz'],
    ['/distributions/php-8.5.9.tar.xz.asc', 'https://www.php.net/distributions/php-8.5.9.tar.xz.asc'],
    ['/distributions/php-8.6.0beta1.tar.xz', 'https://downloads.php.net/~svpernova09/php-8.6.0beta1.tar.xz'],
    [
      '/distributions/php-8.6.0beta1.tar.gz.asc',
      'https://downloads.php.net/~svpernova09/php-8.6.0beta1.tar.gz.asc',
    ],
  ])('%s redirects to where the file is kept', async (path, target) => {
    const answer = await service.app.inject(path);
    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toBe(target);
  });

  it.each([
    '/distributions/php-9.9.9.tar.xz',
    '/distributions/php-9.9.9.tar.xz.asc',
    '/distributions/php-8.2.27RC0.tar.xz',
    '/distributions/php-8.5.9.tar.xz.asc.asc',
    '/distributions/.asc',
    '/distributions/..%2f..%2fetc',
  ])('%s is not there', async (path) => {
    expect((await service.app.inject(path)).statusCode).toBe(404);
  });
});

describe('the page of a release that was corrected', () => {
  it('says when and why, and what was published before', async () => {
    const folder = await copyOfFixture();
    const to = 'a'.repeat(64);
    let before = '';
    await editData(folder, '8.4', (branch) => {
      const [gz] = branch.current!.published.source as { sha256: string }[];
      before = gz!.sha256;
      branch.audit.push({
        at: '2026-08-27T09:00:00Z',
        action: 'correct',
        version: '8.4.24',
        reason: 'digest of <another> build',
        changes: [{ pointer: '/published/source/0/sha256', from: before, to }],
      });
      branch.updated = '2026-08-27T09:00:00Z';
      gz!.sha256 = to;
    });
    const corrected = await testService({}, { folder });
    const { body } = await corrected.app.inject('/releases/8_4_24.php');
    const { item } = (await corrected.app.inject('/api/v1/releases/8.4.24')).json();
    const other = (await corrected.app.inject('/releases/8_4_23.php')).body;
    expect(body).toContain(
      '<strong>Corrected on <time datetime="2026-08-27">27 Aug 2026</time>:</strong> digest of &lt;another&gt; build',
    );
    expect(body).toContain(`SHA-256 of php-8.4.24.tar.gz: was <code>${before}</code>, is <code>${to}</code>`);
    expect(other).not.toContain('Corrected');
    expect(item.corrections).toEqual([
      { date: '2026-08-27', reason: 'digest of <another> build', changed: ['/published/source/0/sha256'] },
    ]);
  });
});

describe('a problem in a browser', () => {
  const inBrowser = (url: string) =>
    service.app.inject({ url, headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });

  it.each([
    ['/releases/9.9/', 404, 'There is no PHP 9.9', '/releases/8.4/', '/releases/8.6/'],
    ['/releases/7.99/', 404, 'There is no PHP 7.99', '/releases/8.4/', '/releases/7.4/'],
    ['/releases/8_4_99.php', 404, 'There is no PHP 8.4.99', '/releases/8_4_24.php', '/releases/8.4/'],
    [
      '/releases/8.4.24/',
      404,
      'There is nothing at /releases/8.4.24/',
      '/releases/8_4_24.php',
      '/releases/8.4/',
    ],
    ['/no/such/page', 404, 'There is nothing at /no/such/page', '/releases/8_5_9.php', '/releases/'],
    ['/api/v1/releases?limit=0', 400, 'limit must be at least 1', '/api/v1/releases?limit=50', '/docs'],
    [
      '/api/v1/support?version=abc',
      400,
      'version must be like 8.4.20',
      '/api/v1/support?version=8.4.20',
      '/docs',
    ],
    ['/api/v1/support', 400, 'version is missing', '/api/v1/support?version=8.4.20', '/docs'],
    [
      '/api/v1/releases?since=x',
      400,
      'since must be a valid date',
      '/api/v1/releases?since=2026-08-13',
      '/docs',
    ],
    [
      '/api/v1/releases/latest?branch=9.9',
      404,
      'There is no PHP 9.9',
      '/api/v1/releases/latest?branch=8.4',
      '/docs',
    ],
    [
      '/api/v1/releases?cursor=2020-01-01_9.9.9',
      400,
      'No page of this list has this cursor',
      '/api/v1/releases?cursor=2026-07-30_8.4.24',
      '/docs',
    ],
    [
      '/api/v1/changes?since=zz',
      400,
      'since must be like 2026-08-13',
      '/api/v1/changes?since=2026-08-13',
      '/docs',
    ],
    ['/api/v1/branches/abc', 400, 'branch must be like 8.4', '/api/v1/branches/8.4', '/docs'],
    [
      '/pre-release-builds.php?format=xml',
      400,
      'format must be one of: json, serialize',
      '/pre-release-builds.php?format=json',
      '/releases/',
    ],
    [
      '/releases/index.php?json&version[]=8',
      400,
      'version takes one value, not a list',
      '/releases/index.php?json=1&amp;version=8.4',
      '/releases/',
    ],
    [
      '/distributions/nope',
      404,
      'nope belongs to no release or build on record',
      '/distributions/php-8.4.24.tar.xz',
      '/releases/',
    ],
    ['/api/v1/keyring.asc', 404, 'No public keys are on record', null, '/docs'],
    [
      '/api/v1/releases?security=x',
      400,
      'security must be boolean',
      '/api/v1/releases?security=true',
      '/docs',
    ],
    ['/%ff', 400, 'Bad request', '/releases/8_5_9.php', '/releases/'],
  ])('%s says what is wrong, with an example and one way on', async (url, status, heading, example, way) => {
    const { statusCode, headers, body } = await inBrowser(url);
    expect(statusCode).toBe(status);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(/<h1>(.*)<\/h1>/.exec(body)![1]).toBe(heading);
    const [main] = /<main[^]*<\/main>/.exec(body)!;
    const targets = [...main.matchAll(/<a href="([^"]+)"/g)].map(([, target]) => target!);
    expect(targets).toEqual(example === null ? [way] : [example, way]);
    for (const target of targets)
      expect((await get(target.replace('&amp;', '&'))).statusCode).toBeLessThan(400);
    const json = await get(url);
    expect(json.headers['content-type']).toBe('application/problem+json');
    expect(json.statusCode).toBe(status);
  });
});
