import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyOfFixture, type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.app.close());

describe('the page of all releases', () => {
  it('is where the bare host leads to', async () => {
    const { statusCode, headers } = await service.app.inject({ url: '/', headers: { host: 'evil.example' } });
    expect([statusCode, headers.location]).toEqual([302, 'https://releases.example/releases/']);
  });

  it('runs and fetches nothing but its own picture', async () => {
    const { headers, body } = await service.app.inject('/releases/');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).toContain(`content="default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'"`);
  });

  it('shows builds to test with their files and digests', async () => {
    const { body } = await service.app.inject('/releases/');
    expect(body).toContain('<h3>8.6.0beta1</h3>');
    expect(body).toMatch(
      /href="https:\/\/downloads\.php\.net\/~svpernova09\/php-8\.6\.0beta1\.tar\.xz">php-8\.6\.0beta1\.tar\.xz<\/a><\/td><td><small>SHA-256<\/small> <code>[0-9a-f]{64}</,
    );
    expect(body).not.toContain('8.2.27RC0');
  });
});

describe('the page of a release', () => {
  it('is where the feed leads to', async () => {
    const feed = (await service.app.inject('/releases/feed.json')).json();
    const [path] = feed.items.map(({ url }: { url: string }) => url.replace('https://releases.example', ''));
    const answer = await service.app.inject(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('<h1>PHP 8.5.9</h1>');
    expect(answer.body).toContain('d735459c2cbaeb0673d416c33d372d9ff261d562f6b29da48f3e6aeaeca083af');
  });

  it('says which algorithm a digest is of', async () => {
    expect((await service.app.inject('/releases/8_5_9.php')).body).toContain('<small>SHA-256</small> <code>');
    expect((await service.app.inject('/releases/5_4_0.php')).body).toContain('<small>MD5</small> <code>');
  });

  it('says in which part of its life its branch is', async () => {
    expect((await service.app.inject('/releases/8_4_24.php')).body).toContain(
      'PHP 8.4 is in active support until 2026-12-31 and gets security fixes until 2028-12-31.',
    );
    expect((await service.app.inject('/releases/8_2_33.php')).body).toContain(
      'PHP 8.2 gets only security fixes, until 2026-12-31.',
    );
    service.set('2026-12-31T00:00:00Z');
    expect((await service.app.inject('/releases/8_4_24.php')).body).toContain(
      'PHP 8.4 gets only security fixes, until 2028-12-31.',
    );
    service.set('2026-11-21T12:00:00Z');
  });

  it('leads on to the newest of its branch, and says when there is no support', async () => {
    expect((await service.app.inject('/releases/8_5_0.php')).body).toContain(
      '<a href="/releases/8_5_9.php">8.5.9</a>',
    );
    expect((await service.app.inject('/releases/7_4_33.php')).body).toContain(
      'PHP 7.4 is no longer supported.',
    );
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
    const file = join(folder, 'branches/8.4.json');
    const branch = JSON.parse(await readFile(file, 'utf8'));
    const [gz] = branch.current.published.source;
    const to = 'a'.repeat(64);
    branch.audit.push({
      at: '2026-08-27T09:00:00Z',
      action: 'correct',
      version: '8.4.24',
      reason: 'digest of <another> build',
      changes: [{ pointer: '/published/source/0/sha256', from: gz.sha256, to }],
    });
    branch.updated = '2026-08-27T09:00:00Z';
    const before = gz.sha256;
    gz.sha256 = to;
    await writeFile(file, JSON.stringify(branch));
    const corrected = await testService({}, { folder });
    const { body } = await corrected.app.inject('/releases/8_4_24.php');
    const { item } = (await corrected.app.inject('/api/v1/releases/8.4.24')).json();
    const other = (await corrected.app.inject('/releases/8_4_23.php')).body;
    await corrected.app.close();
    await rm(folder, { recursive: true });
    expect(body).toContain('<strong>Corrected on 2026-08-27:</strong> digest of &lt;another&gt; build');
    expect(body).toContain(`SHA-256 of php-8.4.24.tar.gz: was <code>${before}</code>, is <code>${to}</code>`);
    expect(other).not.toContain('Corrected');
    expect(item.corrections).toEqual([
      { date: '2026-08-27', reason: 'digest of <another> build', changed: ['/published/source/0/sha256'] },
    ]);
  });
});
