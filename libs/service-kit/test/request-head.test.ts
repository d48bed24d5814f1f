// What the service adds to connections (@workspace/http-connections): problems, and lines of the log.
import { once } from 'node:events';
import { captureLogger, openClient, statuses } from '@workspace/testing';
import { createService, type Service } from '../src/index.ts';

const HEAD = 'POST /submit HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const WHOLE = `${HEAD}content-length: 2\r\n\r\n{}`;
const SLOW = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';

let app: Service;
/** paths whose handlers ran */
let handled: string[];
let logged: Record<string, unknown>[];
/** answers GET /slow */
let finishSlow: () => void;
let slowBegun: Promise<unknown>;

/** Starts the service whose paths the tests ask. */
const listen = async (requestTimeout: number): Promise<void> => {
  handled = [];
  const { logger, lines } = captureLogger();
  logged = lines;
  app = createService({ logger, fastify: { requestTimeout, bodyLimit: 1000 } });
  app.post('/submit', () => {
    handled.push('/submit');
    return {};
  });
  slowBegun = new Promise((begun) => {
    app.get('/slow', async () => {
      handled.push('/slow');
      const finished = new Promise<void>((resolve) => (finishSlow = resolve));
      begun(undefined);
      await finished;
      return 'slow answer';
    });
  });
  app.get('/at-once', () => 'here');
  await app.listen({ port: 0, host: '127.0.0.1' });
};
// On a busy machine, a request that is sent whole may take long to arrive, too.
beforeEach(() => listen(60_000));
afterEach(() => app.close());

const client = () => openClient(app.server);

describe('a request without a Host, or with several', () => {
  it.each([
    ['HTTP/1.1\r\n', 'The Host header is missing.'],
    ['HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nhost: b\r\n', 'There is more than one Host header.'],
    ['HTTP/1.1\r\nHost: a\r\nHOST: a\r\n', 'There is more than one Host header.'],
    ['HTTP/1.0\r\nHost: a\r\nHost: b\r\n', 'There is more than one Host header.'],
  ])('gets a problem that says so: %j', async (head, detail) => {
    const { socket, received } = await client();
    socket.write(`GET /at-once ${head}\r\n`);
    while (!received().endsWith('}') && !received().endsWith('here')) await once(socket, 'data');
    expect(statuses(received())).toEqual(['400']);
    expect(received()).toContain('"type":"urn:problem-type:bad-request"');
    expect(received()).toContain(`"detail":"${detail}"`);
    socket.destroy();
  });

  it('is served without one in HTTP/1.0', async () => {
    const { socket, received, ended } = await client();
    socket.write('GET /at-once HTTP/1.0\r\n\r\n');
    await ended;
    expect(received()).toMatch(/^HTTP\/1\.1 200 [^]*here$/);
  });
});

describe('a head that breaks HTTP', () => {
  const FIELDS = 'host: x\r\ncontent-type: application/json\r\n';
  const CHUNKED = '2\r\n{}\r\n0\r\n\r\n';
  const CODES: Readonly<Record<string, string>> = {
    400: 'bad-request',
    417: 'expectation-failed',
    431: 'headers-too-large',
    501: 'transfer-coding-not-implemented',
    505: 'http-version-not-supported',
  };
  it.each([
    ['501', `POST /submit HTTP/1.1\r\n${FIELDS}transfer-encoding: gzip, chunked\r\n\r\n${CHUNKED}`],
    [
      '501',
      `POST /submit HTTP/1.1\r\n${FIELDS}transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n${CHUNKED}`,
    ],
    ['501', `GET /unknown HTTP/1.1\r\n${FIELDS}transfer-encoding: x, chunked\r\n\r\n${CHUNKED}`],
    ['400', `POST /submit HTTP/1.1\r\n${FIELDS}transfer-encoding: chunked, chunked\r\n\r\n${CHUNKED}`],
    ['400', `POST /submit HTTP/1.1\r\n${FIELDS}transfer-encoding: identity\r\n\r\n{}`],
    [
      '400',
      `POST /submit HTTP/1.1\r\n${FIELDS}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n${CHUNKED}`,
    ],
    [
      '400',
      `POST /submit HTTP/1.0\r\n${FIELDS}connection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n${CHUNKED}`,
    ],
    [
      '400',
      `GET /at-once HTTP/1.0\r\n${FIELDS}connection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n${CHUNKED}`,
    ],
    ['505', `POST /submit HTTP/2.0\r\n${FIELDS}content-length: 2\r\n\r\n{}`],
    ['505', `GET /at-once HTTP/0.9\r\n${FIELDS}\r\n`],
    ['505', `GET /at-once HTTP/1.2\r\n${FIELDS}\r\n`],
    ['505', `GET /at-once HTTP/3.0\r\n${FIELDS}\r\n`],
    // Node drops the fields that say how long the body is.
    ['431', `POST /submit HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(300)}content-length: 2\r\n\r\n{}`],
    ['431', `GET /at-once HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(200)}\r\n`],
    ['431', `GET /unknown HTTP/1.1\r\n${'a: b\r\n'.repeat(2_000)}host: x\r\n\r\n`],
    ['431', `GET /at-once HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['400', 'GARBAGE\r\n\r\n'],
    ['400', `GET * HTTP/1.1\r\n${FIELDS}\r\n`],
    ['400', `POST * HTTP/1.1\r\n${FIELDS}content-length: 2\r\n\r\n{}`],
    ['400', `GET at-once HTTP/1.1\r\n${FIELDS}\r\n`],
    ['400', `GET x:443 HTTP/1.1\r\n${FIELDS}\r\n`],
    ['400', `GET ftp://x/at-once HTTP/1.1\r\n${FIELDS}\r\n`],
    ['400', 'GET /at-once HTTP/1.1\r\nhost: a b\r\n\r\n'],
    ['400', 'GET /at-once HTTP/1.1\r\nhost: a/b\r\n\r\n'],
    ['400', 'GET /at-once HTTP/1.1\r\nhost: a:port\r\n\r\n'],
    ['400', 'GET /at-once HTTP/1.1\r\nhost: ::1\r\n\r\n'],
    ['417', `POST /submit HTTP/1.1\r\n${FIELDS}expect: banana\r\ncontent-length: 2\r\n\r\n{}`],
    ['417', `GET /at-once HTTP/1.1\r\n${FIELDS}expect: 100-continue, banana\r\n\r\n`],
    ['417', `GET /unknown HTTP/1.1\r\n${FIELDS}expect: 200-ok\r\n\r\n`],
  ])('gets %s, and nothing after it is read: %j', async (status, head) => {
    const { socket, received, ended } = await client();
    socket.write(`${head}GET /at-once HTTP/1.1\r\nhost: x\r\n\r\n`);
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual([status]);
    expect(received()).toContain(`"type":"urn:problem-type:${CODES[status]}"`);
    expect(received()).toMatch(/^connection: close\r$/im);
  });

  it.each([
    ['GET http://other/at-once HTTP/1.1', '200'],
    ['GET HTTP://user@other:8080/at-once?x=1 HTTP/1.1', '200'],
    ['GET http://other HTTP/1.1', '404'],
    ['GET http://other/unknown HTTP/1.1', '404'],
    ['GET /at-once HTTP/1.1\r\ntransfer-encoding: Chunked', '200', '0\r\n\r\n'],
    [`GET /at-once HTTP/1.1${'\r\na: b'.repeat(199)}`, '200'],
    [
      'POST /submit HTTP/1.0\r\nexpect: banana\r\ncontent-type: application/json\r\ncontent-length: 2',
      '200',
      '{}',
    ],
  ])('is not %s: %s', async (head, status, body = '') => {
    const { socket, received } = await client();
    socket.write(`${head}\r\nhost: [::1]:3000\r\n\r\n${body}`);
    await once(socket, 'data');
    socket.destroy();
    expect(statuses(received())).toEqual([status]);
  });
});

describe('a request that takes too long to arrive', () => {
  it('gets 408, which is logged, and is never handled', async () => {
    await app.close();
    await listen(300);
    const began = Date.now();
    const { socket, received, ended } = await client();
    socket.write(`${HEAD}content-length: 2\r\n\r\n{`);
    await once(socket, 'data');
    expect(statuses(received())).toEqual(['408']);
    // RFC 9110, 6.6.1: in every answer of 4xx.
    const [, date] = /^date: (.*)\r$/m.exec(received()) ?? [];
    expect(Date.parse(date!)).toBeGreaterThan(began - 1_000);
    expect(Date.parse(date!)).toBeLessThanOrEqual(Date.now());
    // A client that ignores it sends the rest, and a whole request besides, until the connection is gone.
    socket.write(`}${WHOLE}`);
    await ended;
    socket.end(WHOLE);
    await app.close();
    expect(handled).toEqual([]);
    expect(statuses(received())).toEqual(['408']);
    expect(logged.filter(({ code }) => code !== undefined)).toEqual([
      expect.objectContaining({ code: 'request-timeout', msg: 'request rejected' }),
    ]);
  });
});

describe('a request with "Expect: 100-continue"', () => {
  const expecting = (line: string, ...fields: string[]): string =>
    [`${line} HTTP/1.1`, 'host: x', 'expect: 100-continue', ...fields, '', ''].join('\r\n');

  it.each([
    ['415', 'POST /submit', ['content-type: image/png', 'content-length: 5']],
    ['405', 'PUT /submit', ['content-type: application/json', 'transfer-encoding: chunked']],
    ['400', 'POST /%zz', ['content-length: 5']],
  ])('gets %s at once when its head decides, and the connection ends: %s', async (status, line, fields) => {
    const { socket, received, ended } = await client();
    socket.write(expecting(line, ...fields));
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual([status]);
    expect(received()).toMatch(/^connection: close\r$/im);
  });
});

describe('requests that a client sends ahead of their answers', () => {
  it.each(['POST /submit', 'GET /%zz'])(
    'end their connection when there are too many, and are not dispatched: %s',
    async (line) => {
      const { socket, received, ended } = await client();
      socket.write(SLOW + `${line} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`.repeat(17));
      await ended;
      await app.close();
      expect([received(), handled]).toEqual(['', ['/slow']]);
      expect(logged).toContainEqual(
        expect.objectContaining({ reason: 'too many pipelined requests', msg: 'request rejected' }),
      );
      socket.destroy();
    },
  );

  it('are answered in turn with an unknown expectation, and none after that', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${SLOW}${HEAD}expect: wonders\r\ncontent-length: 2\r\n\r\n{}${WHOLE}`);
    await slowBegun;
    expect(handled).toEqual(['/slow']);
    finishSlow();
    await ended;
    expect(statuses(received())).toEqual(['200', '417']);
    expect(handled).toEqual(['/slow']);
    socket.destroy();
  });
});
