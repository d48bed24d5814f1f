import { once } from 'node:events';
import { connect } from 'node:net';
import { appUnderTest, ONE_BUY, post } from './app-under-test.ts';

const OTHER_HOSTS = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  'notlocalhost',
  '127.0.0.1.evil.example',
  '128.0.0.1',
  '0.0.0.0',
  '[::2]',
];
/** No hosts at all: they are rejected everywhere, with 400. */
const NO_HOSTS = [
  '127.0.0.1@evil.example',
  'evil.example#127.0.0.1',
  'localhost:3000.evil.example',
  '[::1].evil.example',
];
const LOOPBACK_HOSTS = [
  'localhost',
  'LOCALHOST:3000',
  '127.0.0.1',
  '127.8.9.10:3000',
  '[::1]',
  '[::1]:65535',
];

/** The first line of the answer to these bytes. */
const firstLine = async (url: string, bytes: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
  socket.write(bytes);
  const [text] = (await once(socket, 'data')) as [string];
  socket.destroy();
  return text.split('\r\n', 1)[0]!;
};

describe('ops-intake on loopback without authentication', () => {
  it.each(NO_HOSTS)('rejects %j, which is no host', async (host) => {
    const { app, log } = appUnderTest({ CONSOLE: 'true' });
    expect((await post(app, ONE_BUY, { host })).statusCode).toBe(400);
    for (const url of ['/', '/console/events', '/health', '/openapi.json', '/nowhere']) {
      expect((await app.inject({ url, headers: { host } })).statusCode).toBe(400);
    }
    expect(log.records).toHaveLength(0);
  });

  it.each(OTHER_HOSTS)(
    'rejects the host %j: a site may have changed its address to 127.0.0.1',
    async (host) => {
      const { app, log } = appUnderTest({ CONSOLE: 'true' });
      const answer = await post(app, ONE_BUY, { host });
      expect([answer.statusCode, answer.json().type]).toEqual([421, 'urn:problem-type:misdirected-request']);
      for (const url of ['/', '/console/events', '/health', '/openapi.json', '/nowhere']) {
        expect((await app.inject({ url, headers: { host } })).statusCode).toBe(421);
      }
      expect(log.records).toHaveLength(0);
    },
  );

  it.each([
    ['http://evil.example/health/live', 'localhost', 421],
    ['http://localhost/health/live', 'localhost', 200],
    // RFC 9112, 3.2.2: the host of the target counts.
    ['http://localhost/health/live', 'evil.example', 200],
    ['/health/live', '', 421],
  ])('judges the host of the request target %s before the header Host: %s', async (target, host, status) => {
    const { app } = appUnderTest();
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const bytes = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
    expect(await firstLine(url, bytes)).toContain(` ${status} `);
  });

  it.each([
    'https://evil.example',
    'http://localhost.evil.example:3000',
    'null',
    'file://',
    'http://127.0.0.1@evil.example',
  ])('rejects the origin %s, which a browser sends for another site', async (origin) => {
    const { app, log } = appUnderTest();
    const answer = await post(app, ONE_BUY, { origin });
    expect([answer.statusCode, answer.json().type]).toEqual([403, 'urn:problem-type:cross-origin-request']);
    expect(log.records).toHaveLength(0);
  });

  it.each(LOOPBACK_HOSTS)('accepts the host %s, and pages of it', async (host) => {
    const { app } = appUnderTest();
    expect((await post(app, ONE_BUY, { host })).statusCode).toBe(202);
    expect((await post(app, ONE_BUY, { host, origin: `http://${host}` })).statusCode).toBe(202);
  });

  it.each<Record<string, string>>([
    { ALLOW_ANONYMOUS: 'true' },
    { HOST: '0.0.0.0', ALLOW_ANONYMOUS: 'true' },
    { AUTH_TOKENS: 'alice:0123456789abcdef' },
  ])('accepts any name with %j', async (env) => {
    const { app } = appUnderTest(env);
    const authorization = 'Bearer 0123456789abcdef';
    const headers = { host: 'ops.example', origin: 'https://ops.example', authorization };
    expect((await post(app, ONE_BUY, headers)).statusCode).toBe(202);
  });

  it('describes both answers only where they occur', async () => {
    for (const [env, described] of [
      [{}, true],
      [{ ALLOW_ANONYMOUS: 'true' }, false],
    ] as const) {
      const { app } = appUnderTest(env);
      const { responses } = (await app.inject('/openapi.json')).json().paths['/health'].get;
      expect(['403', '421'].map((status) => status in responses)).toEqual([described, described]);
      await app.close();
    }
  });
});
