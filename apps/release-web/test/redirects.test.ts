import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { testService } from './service.ts';

describe('redirects of bytes that no header may hold', () => {
  it.each(['?\u00e9=\u00ff', '?a="<>', '?x=%0d%0aset-cookie:a', '?%ff', '?'])(
    '%j is no failure of ours',
    async (query) => {
      const { app, lines } = await testService();
      const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
      const socket = connect(port, '127.0.0.1');
      socket.end(
        Buffer.from(`GET /relases.atom${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 'latin1'),
      );
      const answer = await text(socket);
      await app.close();
      expect(answer).toMatch(/^HTTP\/1\.1 (301|400) /);
      expect(answer).not.toMatch(/^set-cookie/im);
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});

describe('redirects of a service that does not know its public address', () => {
  it.each([
    ['/relases.atom?a=b', '/releases/feed.php?a=b'],
    ['/release-candidates.php?format=json', '/pre-release-builds.php?format=json'],
  ])('%s leads to %s on the host that was asked, whatever PORT is', async (from, to) => {
    const { app } = await testService({ PUBLIC_BASE_URL: '', PORT: '8080' });
    const { headers } = await app.inject({ url: from, headers: { host: 'evil.example' } });
    await app.close();
    expect(headers.location).toBe(to);
  });

  it('has links to the port it listens on', async () => {
    const { app } = await testService({ PUBLIC_BASE_URL: '', PORT: '8080' });
    expect((await app.inject('/mirror-info.php')).body).toMatch(/^http:\/\/localhost:8080\/\|/);
    expect((await app.inject('/releases/feed.php')).body).toContain(
      'href="http://localhost:8080/releases/feed.php"',
    );
    await app.close();
  });
});

describe('a public URL with a path', () => {
  it.each(['https://releases.example/php', 'https://releases.example/php/'])(
    '%s is rejected, because the pages have links to paths such as /releases/',
    async (url) => {
      await expect(testService({ PUBLIC_BASE_URL: url })).rejects.toThrow(
        `PUBLIC_BASE_URL must be an http:// or https:// URL in ASCII without a login or any of ?# or a path`,
      );
    },
  );

  it.each(['https://releases.example//', 'https://Releases.Example:443'])(
    '%s is written in one way everywhere',
    async (url) => {
      const { app } = await testService({ PUBLIC_BASE_URL: url });
      const { headers } = await app.inject('/relases.atom');
      expect(headers.location).toBe('https://releases.example/releases/feed.php');
      expect((await app.inject('/mirror-info.php')).body).toMatch(/^https:\/\/releases\.example\/\|/);
      await app.close();
    },
  );
});
