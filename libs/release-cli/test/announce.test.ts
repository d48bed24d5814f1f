import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { cli } from './run-cli.ts';

function* endless() {
  for (;;) yield ' '.repeat(65_536);
}

/** A site with a JSON feed, and a hub that records its notifications. */
describe('announce', () => {
  let server: Server;
  let url: string;
  let hubs: unknown;
  let hubStatus: number;
  const notified: URLSearchParams[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/hub' && request.method === 'POST') {
        void text(request).then((body) => {
          notified.push(new URLSearchParams(body));
          response.writeHead(hubStatus, { location: '/hub' });
          // The rest never comes.
          if (hubStatus === 200) response.write('thank you');
          else response.end();
        });
      } else if (request.url === '/endless/releases/feed.json') {
        response.on('error', () => undefined);
        Readable.from(endless())
          .on('error', () => undefined)
          .pipe(response);
      } else if (request.url === '/releases/feed.json') {
        response.end(
          JSON.stringify({
            feed_url: 'https://releases.example/releases/feed.json',
            hubs,
            items: [{ _release: { version: '8.5.9' } }, {}],
          }),
        );
      } else response.writeHead(404).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    notified.length = 0;
    hubStatus = 204;
    hubs = [{ type: 'WebSub', url: `${url}/hub` }];
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const announce = (...args: string[]) => cli('/nowhere', ['announce', ...args]);

  it('notifies the hub of every feed, by its public address', async () => {
    const { code } = await announce(`${url}/`);
    expect(code).toBe(0);
    expect(notified.map((form) => Object.fromEntries(form))).toEqual(
      [
        'api/v1/changes',
        ...['feed.php', 'feed.json', '8.5/feed.atom', '8.5/feed.json'].map((path) => `releases/${path}`),
      ]
        .map((path) => `https://releases.example/${path}`)
        .map((topic) => ({ 'hub.mode': 'publish', 'hub.topic': topic, 'hub.url': topic })),
    );
  });

  it('does not wait for the words of a hub', async () => {
    hubStatus = 200;
    expect(await announce(url)).toMatchObject({ code: 0 });
    expect(notified).toHaveLength(5);
  });

  it.each([301, 302, 303, 307, 308])('takes no redirect (%d) for a notification', async (redirect) => {
    hubStatus = redirect;
    expect(await announce(url)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('/hub: use that address'),
    });
  });

  it('stops reading a feed that does not end', async () => {
    expect(await announce(`${url}/endless`)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('the answer is larger than 20 MiB'),
    });
  });

  it('is rejected when the feeds name no hub', async () => {
    hubs = undefined;
    expect(await announce(url)).toMatchObject({ code: 1, notes: expect.stringContaining('set WEBSUB_HUB') });
  });

  it('is rejected when the hub rejects it', async () => {
    hubStatus = 500;
    expect(await announce(url)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('/hub: status 500'),
    });
  });

  it.each([
    ['http://127.0.0.1:1', 1, 'http://127.0.0.1:1/releases/feed.json'],
    ['releases.example', 2, 'The site must be an address'],
  ])('%s is rejected', async (site, code, reason) => {
    expect(await announce(site)).toMatchObject({ code, notes: expect.stringContaining(reason) });
  });
});
