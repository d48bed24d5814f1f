import { type TestService, testService } from './service.ts';

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
  ])('%s redirects to where the file is kept', async (path, target) => {
    const answer = await service.app.inject(path);
    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toBe(target);
  });

  it.each(['/distributions/php-9.9.9.tar.xz', '/distributions/..%2f..%2fetc'])(
    '%s is not there',
    async (path) => {
      expect((await service.app.inject(path)).statusCode).toBe(404);
    },
  );
});
