import { type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});

const get = (url: string) => service.app.inject(url);

describe('the feeds of a branch', () => {
  it('have its releases, newest first, under the ids of the feed of all', async () => {
    const feed = (await get('/releases/8.4/feed.json')).json();
    expect(feed).toMatchObject({
      title: 'PHP 8.4 releases',
      home_page_url: 'https://releases.example/releases/8.4/',
      feed_url: 'https://releases.example/releases/8.4/feed.json',
    });
    const ids = feed.items.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([
      'http://php.net/releases/8_4_24.php',
      'http://php.net/releases/8_4_23.php',
      'http://php.net/releases/8_4_1.php',
    ]);
    const atom = (await get('/releases/8.4/feed.atom')).body;
    expect(atom).toContain('<id>http://php.net/releases/index.php#8.4</id>');
    expect(atom).toContain('<link rel="self" href="https://releases.example/releases/8.4/feed.atom"/>');
    for (const id of ids) expect(atom).toContain(`<id>${id}</id>`);
  });

  it('are found from the page of the branch', async () => {
    expect((await get('/releases/8.4/')).body).toContain(
      '<link rel="alternate" type="application/atom+xml" title="PHP 8.4 releases" href="https://releases.example/releases/8.4/feed.atom">',
    );
  });

  it('are empty before the first release, and a problem for no branch', async () => {
    expect((await get('/releases/8.6/feed.json')).json().items).toEqual([]);
    expect((await get('/releases/9.9/feed.atom')).statusCode).toBe(404);
  });

  it('name the WebSub hub that is set', async () => {
    const hub = 'https://hub.example/';
    const { app } = await testService({ WEBSUB_HUB: hub });
    const bodies = await Promise.all(
      ['/releases/feed.php', '/releases/8.4/feed.atom', '/releases/feed.json', '/releases/8.4/feed.json'].map(
        async (path) => (await app.inject(path)).body,
      ),
    );
    expect(bodies.slice(0, 2).every((xml) => xml.includes(`<link rel="hub" href="${hub}"/>`))).toBe(true);
    for (const json of bodies.slice(2)) expect(JSON.parse(json).hubs).toEqual([{ type: 'WebSub', url: hub }]);
  });
});
