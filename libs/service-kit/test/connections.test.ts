import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { captureLogger, eventually } from '@workspace/testing';
import { createService, type Service } from '../src/index.ts';

const HEAD = 'POST /submit HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const WHOLE = `${HEAD}content-length: 2\r\n\r\n{}`;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

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
  app.post('/large', { bodyLimit: 100_000 }, () => 'large');
  app.addContentTypeParser('text/echo', (_request, _body, done) => done(null));
  app.post('/echo', ({ raw }, reply) => reply.send(raw));
  app.get('/unread', () => new Promise(() => undefined));
  await app.listen({ port: 0, host: '127.0.0.1' });
};
// On a busy machine, a request that is sent whole may take long to arrive, too.
beforeEach(() => listen(60_000));
afterEach(() => app.close());

/** A client that continues to write after the service's last answer. */
const client = async (): Promise<{ socket: Socket; received: () => string; ended: Promise<unknown> }> => {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8');
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
  const ended = new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  return { socket, received: () => text, ended };
};

const statuses = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!);

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

describe('an answered request', () => {
  it('is kept by nothing while its connection stays open', async () => {
    let answered: WeakRef<IncomingMessage> | undefined;
    app.server.once('request', (request) => (answered = new WeakRef(request)));
    const { socket } = await client();
    socket.write('GET /at-once HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    await eventually('collection of the request', () => {
      collectGarbage();
      return answered !== undefined && answered.deref() === undefined;
    });
    socket.destroy();
  });
});

describe('a request that takes too long to arrive', () => {
  it.each([
    ['headers that stop half-way', HEAD, 'content-length: 2\r\n\r\n{}'],
    ['a body that stops half-way', `${HEAD}content-length: 2\r\n\r\n{`, '}'],
    ['a connection that sends nothing', '', WHOLE],
  ])('gets 408 and is never dispatched: %s', async (_what, first, rest) => {
    await app.close();
    await listen(300);
    const began = Date.now();
    const { socket, received, ended } = await client();
    socket.write(first);
    await once(socket, 'data');
    expect(statuses(received())).toEqual(['408']);
    // RFC 9110, 6.6.1: in every answer of 4xx.
    const [, date] = /^date: (.*)\r$/m.exec(received()) ?? [];
    expect(Date.parse(date!)).toBeGreaterThan(began - 1_000);
    expect(Date.parse(date!)).toBeLessThanOrEqual(Date.now());
    // A client that ignores it sends the rest, and a whole request besides, until the connection is gone.
    socket.write(rest + WHOLE);
    await ended;
    socket.end(WHOLE);
    // Returns once the connection is gone: what was ever dispatched has been dispatched by then.
    await app.close();
    expect(handled).toEqual([]);
    expect(statuses(received())).toEqual(['408']);
    expect(logged.filter(({ code }) => code !== undefined)).toEqual([
      expect.objectContaining({ code: 'request-timeout', msg: 'request rejected' }),
    ]);
  });

  /** Ends the wait for a request of which a part is there. */
  const giveUpSoon = () => Object.assign(app.server, { headersTimeout: 300, requestTimeout: 300 });

  it('does not answer for the whole request before it, and is never dispatched', async () => {
    const { socket, received, ended } = await client();
    socket.write(`GET /slow HTTP/1.1\r\nhost: x\r\n\r\n${HEAD}`);
    await slowBegun;
    giveUpSoon();
    await once(app.server, 'clientError');
    expect(received()).toBe('');
    socket.write('content-length: 2\r\n\r\n{}');
    finishSlow();
    await ended;
    socket.destroy();
    await app.close();
    expect(received()).toContain('slow answer');
    expect(statuses(received())).toEqual(['200']);
    expect(handled).toEqual(['/slow']);
  });

  it('leaves all whole requests before it their answers', async () => {
    const { socket, received, ended } = await client();
    socket.write(`GET /slow HTTP/1.1\r\nhost: x\r\n\r\n${WHOLE}${HEAD}`);
    await slowBegun;
    giveUpSoon();
    await once(app.server, 'clientError');
    expect(received()).toBe('');
    finishSlow();
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual(['200', '200']);
    expect(handled).toEqual(['/slow', '/submit']);
  });
});

describe('a body that arrives slowly', () => {
  const REAL_TIMERS = [
    'nextTick',
    'queueMicrotask',
    'setTimeout',
    'clearTimeout',
    'setImmediate',
    'clearImmediate',
    'Date',
  ] as const;
  const POST = 'POST /large HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  /** Lets time pass. @returns the statuses of the clients, once what they sent has been looked at */
  const after = async (milliseconds: number, clients: Awaited<ReturnType<typeof client>>[]) => {
    jest.advanceTimersByTime(milliseconds);
    // Answers come on the same event loop as that of this probe.
    const probe = await client();
    probe.socket.write('GET /at-once HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await probe.ended;
    probe.socket.destroy();
    return clients.map(({ received }) => statuses(received()).join());
  };
  const send = async ({ socket }: { socket: Socket }, bytes: number): Promise<void> => {
    const read = () => [...serverSockets].reduce((sum, one) => sum + one.bytesRead, 0);
    const before = read();
    socket.write(' '.repeat(bytes));
    await eventually('bytes at the server', () => read() >= before + bytes);
  };
  let serverSockets: Set<Socket>;

  beforeEach(async () => {
    await app.close();
    // All but `setInterval` and `performance`, by which the rate is measured.
    jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] });
    await listen(60_000);
    serverSockets = new Set();
    app.server.on('connection', (socket: Socket) => serverSockets.add(socket));
  });
  afterEach(() => jest.useRealTimers());

  it('gets 408 when it brings less than 5,000 bytes in 10 s, whatever came before', async () => {
    const heads = [
      [`${POST}content-length: 50000\r\n\r\n`, 0],
      [`${POST}content-length: 50000\r\n\r\n`, 49_990],
      [`${POST}transfer-encoding: chunked\r\n\r\n9000\r\n`, 1],
      [`${POST}expect: 100-continue\r\ncontent-length: 50000\r\n\r\n`, 1],
      // Those from here on are not cut off: one keeps up, one waits for its turn, one is being answered, one is not read.
      [`${POST}content-length: 50000\r\n\r\n`, 1],
      [`GET /slow HTTP/1.1\r\nhost: x\r\n\r\n${POST}content-length: 50000\r\n\r\n`, 1],
      ['POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: text/echo\r\ncontent-length: 50000\r\n\r\n', 1],
      ['GET /unread HTTP/1.1\r\nhost: x\r\ncontent-length: 50000\r\n\r\n', 0],
    ] as const;
    const clients: Awaited<ReturnType<typeof client>>[] = [];
    for (const [head, bytes] of heads) {
      const one = await client();
      one.socket.write(head);
      await send(one, bytes);
      clients.push(one);
    }
    const steady = clients[4]!;
    const waiting = ['', '', '', '100', '', '', '200', ''];
    expect(await after(1_000, clients)).toEqual(waiting);
    for (const one of clients.slice(0, -1)) await send(one, 1);
    expect(await after(9_000, clients)).toEqual(waiting);
    await send(steady, 5_000);
    await after(1_000, clients);
    await Promise.all(clients.slice(0, 4).map(({ ended }) => ended));
    expect(await after(0, clients)).toEqual(['408', '408', '408', '100,408', '', '', '200', '']);
    expect(clients[0]!.received()).toContain('"type":"urn:problem-type:request-timeout"');
    await send(steady, 44_996);
    expect(await after(9_000, clients)).toEqual(['408', '408', '408', '100,408', '', '', '200', '']);
    steady.socket.write('{}');
    finishSlow();
    await eventually('answers', () => statuses(steady.received() + clients[5]!.received()).length === 2);
    // From its turn on, it has as long as the others.
    await after(1_000, clients);
    await after(10_000, clients);
    await clients[5]!.ended;
    expect(await after(0, clients)).toEqual(['408', '408', '408', '100,408', '200', '200,408', '200', '']);
    for (const { socket } of clients) socket.destroy();
  });
});

describe('a request that is answered before it has arrived', () => {
  it('keeps its connection when the rest comes soon', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${HEAD}content-length: 5000\r\n\r\n`);
    await once(socket, 'data');
    socket.write('x'.repeat(5000));
    socket.write(WHOLE);
    await Promise.race([ended, once(socket, 'data')]);
    expect(statuses(received())).toEqual(['413', '200']);
    socket.destroy();
  });

  it('keeps its connection while the rest comes slowly', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${HEAD}content-length: 30000\r\n\r\n`);
    for (let sent = 0; sent < 30; sent += 1) {
      await sleep(50);
      socket.write('x'.repeat(1000));
    }
    socket.write(WHOLE);
    await Promise.race([ended, eventually('second answer', () => statuses(received()).length === 2)]);
    expect(statuses(received())).toEqual(['413', '200']);
    socket.destroy();
  });

  it('ends it, if that was asked for, without a reset while the rest comes, and serves nothing more', async () => {
    const { socket, received, ended } = await client();
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    const closed = once(socket, 'close').catch(() => undefined);
    socket.write(`${HEAD}connection: close\r\ncontent-length: 5000\r\n\r\n`);
    await ended;
    for (const part of ['x'.repeat(2000), 'x'.repeat(3000), WHOLE]) {
      socket.write(part);
      await sleep(20);
    }
    socket.end();
    await closed;
    expect([statuses(received()), errors, handled]).toEqual([['413'], [], []]);
  });

  it('loses it, without a second answer, when the rest is not HTTP', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n7d0\r\n${'x'.repeat(2000)}`);
    await once(socket, 'data');
    socket.write('\r\nnot the size of a chunk\r\n');
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual(['413']);
  });

  it('loses it, without a second answer, when the rest does not end', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${HEAD}content-length: 5000000000\r\n\r\n`);
    await once(socket, 'data');
    const chunk = 'x'.repeat(65_536);
    let written = 0;
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
    };
    socket.on('drain', pour);
    pour();
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual(['413']);
    expect(written).toBeLessThan(1_000_000_000);
  });
});

describe('a request with "Expect: 100-continue"', () => {
  const expecting = (line: string, ...fields: string[]): string =>
    [`${line} HTTP/1.1`, 'host: x', 'expect: 100-continue', ...fields, '', ''].join('\r\n');

  it.each([
    ['413', 'POST /submit', ['content-type: application/json', 'content-length: 5000']],
    ['413', 'POST /submit', ['content-type: application/json', 'content-length: 50000']],
    ['415', 'POST /submit', ['content-type: image/png', 'content-length: 5']],
    ['404', 'POST /unknown', ['content-type: application/json', 'content-length: 5']],
    ['405', 'PUT /submit', ['content-type: application/json', 'transfer-encoding: chunked']],
    ['400', 'POST /%zz', ['content-length: 5']],
    ['200', 'GET /at-once', ['content-length: 5']],
  ])('gets %s at once when its head decides, and the connection ends: %s', async (status, line, fields) => {
    const { socket, received, ended } = await client();
    socket.write(expecting(line, ...fields));
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual([status]);
    expect(received()).toMatch(/^connection: close\r$/im);
  });

  it.each(['content-length: 2', 'transfer-encoding: chunked'])(
    'is asked for its body when that is read, and keeps its connection: %s',
    async (length) => {
      const { socket, received } = await client();
      socket.write(expecting('POST /submit', 'content-type: application/json', length));
      await once(socket, 'data');
      expect(received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(length.endsWith('chunked') ? '2\r\n{}\r\n0\r\n\r\n' : '{}');
      socket.write(WHOLE);
      while (statuses(received()).length < 3) await once(socket, 'data');
      expect(statuses(received())).toEqual(['100', '200', '200']);
      socket.destroy();
    },
  );

  it('waits for its turn behind other requests', async () => {
    const { socket, received } = await client();
    socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.write(expecting('POST /submit', 'content-type: application/json', 'content-length: 2'));
    await slowBegun;
    expect(received()).toBe('');
    finishSlow();
    while (statuses(received()).length < 2) await once(socket, 'data');
    socket.write('{}');
    while (statuses(received()).length < 3) await once(socket, 'data');
    expect(statuses(received())).toEqual(['200', '100', '200']);
    socket.destroy();
  });
});

describe('CONNECT', () => {
  it.each([
    ['gets an answer', '', '400'],
    ['leaves the requests before it their answers', 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n', '200'],
  ])('%s, and ends the connection', async (_what, before, status) => {
    const { socket, received, ended } = await client();
    socket.write(`${before}CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n`);
    if (before) {
      await slowBegun;
      finishSlow();
    }
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual([status]);
  });
});

describe('requests that a client sends ahead of their answers', () => {
  const SLOW = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';

  it('are dispatched one after another, and answered in their order', async () => {
    const { socket, received, ended } = await client();
    socket.write(SLOW + WHOLE.repeat(16));
    await slowBegun;
    // Answered on another connection: by then the requests of the first one have been read.
    const other = await client();
    other.socket.write(WHOLE);
    await once(other.socket, 'data');
    expect(handled).toEqual(['/slow', '/submit']);
    finishSlow();
    while (handled.length < 18) await once(socket, 'data');
    while (statuses(received()).length < 17) await once(socket, 'data');
    expect(received()).toMatch(/^[^{]*slow answer/);
    socket.destroy();
    other.socket.destroy();
    await ended;
  });

  it.each(['POST /submit', 'GET /%zz', 'GET /unknown'])(
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

  it('are not dispatched once their client has gone', async () => {
    const { socket } = await client();
    const [served] = (await Promise.all([once(app.server, 'request'), socket.write(SLOW + WHOLE)]))[0] as [
      IncomingMessage,
    ];
    const closed = new Promise((resolve) => served.socket.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
    finishSlow();
    await app.close();
    expect(handled).toEqual(['/slow']);
  });
});

describe('a client that closes its side after its requests', () => {
  const REQUESTS = `GET /slow HTTP/1.1\r\nhost: x\r\n\r\n${WHOLE}`;

  it.each([
    ['while the service runs', () => undefined],
    ['when the service closes', () => void app.close()],
  ])('gets all answers, and then the end: %s', async (_when, next) => {
    const { socket, received, ended } = await client();
    const [served] = (await Promise.all([once(app.server, 'request'), socket.end(REQUESTS)]))[0] as [
      IncomingMessage,
    ];
    await Promise.all([slowBegun, once(served.socket, 'end')]);
    next();
    finishSlow();
    await ended;
    expect(statuses(received())).toEqual(['200', '200']);
    expect(received()).toMatch(/slow answer[^]*{}$/);
  });
});

describe('a long body', () => {
  /** Sends bodies of 1 MiB. @returns the most bytes that were read of each in one turn of the event loop, and the answers */
  const send = async (count: number, answer: 'at its end' | 'at once') => {
    const read = createService({ logger: captureLogger().logger, fastify: { bodyLimit: 2_097_152 } });
    const most = new Map<IncomingMessage, number>();
    read.addContentTypeParser('text/plain', (_request: unknown, payload: IncomingMessage, done) => {
      let inTurn = 0;
      let length = 0;
      payload.on('data', (chunk: Buffer) => {
        if (inTurn === 0) setImmediate(() => (inTurn = 0));
        inTurn += chunk.length;
        length += chunk.length;
        most.set(payload, Math.max(most.get(payload) ?? 0, inTurn));
      });
      if (answer === 'at once') done(null, 0);
      else payload.on('end', () => done(null, length));
    });
    read.post('/', ({ body }) => ({ length: body }));
    await read.listen({ port: 0, host: '127.0.0.1' });
    const { port } = read.server.address() as AddressInfo;
    const ask = async (): Promise<string[]> => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      const answers: string[] = [];
      // Twice: what a body leaves behind must not keep the next one from being read.
      for (const body of ['x'.repeat(1_048_576), 'y'.repeat(1_048_576)]) {
        socket.write(
          `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
        const [text] = (await once(socket, 'data')) as [string];
        answers.push(text.split('\r\n\r\n')[1]!);
      }
      socket.destroy();
      return answers;
    };
    const answers = await Promise.all(Array.from({ length: count }, ask));
    await read.close();
    return { most: Math.max(...most.values()), answers: answers.flat() };
  };

  it('is read a part in each turn of the event loop, whole', async () => {
    const { most, answers } = await send(8, 'at its end');
    expect(answers).toEqual(Array(16).fill('{"length":1048576}'));
    expect(most).toBeLessThanOrEqual(2 * 65_536);
  });

  it('that is answered before it has arrived, is read and dropped, and its connection is kept', async () => {
    expect((await send(8, 'at once')).answers).toEqual(Array(16).fill('{"length":0}'));
  });
});

describe('a body in tiny chunks', () => {
  const CHUNKED = 'HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n';
  const tiny = (count: number): string => `${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`;

  it('reaches its reader in few chunks, whole and in order', async () => {
    let chunks = 0;
    const read = createService({ logger: captureLogger().logger });
    read.addContentTypeParser('text/plain', async (_request: unknown, payload: IncomingMessage) => {
      let text = '';
      for await (const chunk of payload) {
        chunks += 1;
        text += String(chunk);
      }
      return text;
    });
    read.post('/', ({ body }) => body);
    await read.listen({ port: 0, host: '127.0.0.1' });
    const text = Array.from({ length: 20_000 }, (_, at) => String(at % 10)).join('');
    const body = text.replaceAll(/./g, '1\r\n$&\r\n');
    const socket = connect((read.server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (part: string) => (received += part));
    socket.write(`POST / ${CHUNKED}${body}0\r\n\r\n`);
    while (!received.endsWith(text.slice(-1_000))) await once(socket, 'data');
    expect(received.split('\r\n\r\n')[1]).toBe(text);
    expect(chunks).toBeLessThan(200);
    socket.destroy();
    await read.close();
  });

  it.each(['GET /at-once', 'POST /unknown'])('that is not read is dropped: %s', async (line) => {
    const { socket, received } = await client();
    const [request] = (
      await Promise.all([once(app.server, 'request'), socket.write(`${line} ${CHUNKED}${tiny(5)}`)])
    )[0] as [IncomingMessage];
    socket.write(`${line} ${CHUNKED}${tiny(50_000)}${WHOLE}`);
    while (handled.length === 0) await once(socket, 'data');
    while (statuses(received()).length < 3) await once(socket, 'data');
    expect(request.complete).toBe(true);
    expect(statuses(received())[2]).toBe('200');
    socket.destroy();
  });
});

describe('when the service closes', () => {
  it.each([
    ['is answered then', 'content-length: 900', () => app.close(), '503'],
    ['was answered before', 'content-length: 5000', () => undefined, '413'],
  ])('a request that still arrives and %s is not reset', async (_when, length, close, status) => {
    const { socket, received } = await client();
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    await Promise.all([once(app.server, 'request'), socket.write(`${HEAD}${length}\r\n\r\n`)]);
    void close();
    await once(socket, 'data');
    const closed = app.close();
    for (const part of ['x'.repeat(2000), 'x'.repeat(3000), WHOLE]) {
      await sleep(5);
      socket.write(part);
    }
    socket.end();
    await closed;
    expect([statuses(received()).slice(0, 1), errors]).toEqual([[status], []]);
  });

  it.each([
    ['whose request does not arrive any more', 'POST', 'transfer-encoding: chunked\r\n\r\n1\r\nx\r\n', 10],
    ['that its client does not read', 'GET', '\r\n', 16 * 1_048_576],
  ])('an answer is broken off %s', async (_what, method, rest, bytes) => {
    const stalled = createService({ logger: captureLogger().logger });
    stalled.addContentTypeParser('text/plain', (_request, payload, done) => done(null, payload));
    const answer = new PassThrough();
    stalled.route({ method: ['GET', 'POST'], url: '/', handler: () => answer });
    await stalled.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((stalled.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).pause();
    const [request] = (
      await Promise.all([
        once(stalled.server, 'request'),
        socket.write(`${method} / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n${rest}`),
      ])
    )[0] as [IncomingMessage];
    answer.write(Buffer.alloc(bytes));
    const closed = once(request.socket, 'close');
    await stalled.close();
    await closed;
    socket.destroy();
  });
});

describe('a connection without any traffic', () => {
  const SILENCE_MS = 1_000;
  let quiet: Service;
  /** the answer of GET /stream, to be written to */
  let streamed: Promise<PassThrough>;

  beforeEach(async () => {
    const { logger } = captureLogger();
    quiet = createService({ logger, fastify: { connectionTimeout: SILENCE_MS } });
    quiet.get('/never', () => new Promise(() => undefined));
    quiet.get('/large', () => Buffer.alloc(64 * 1_048_576));
    quiet.get('/at-once', () => 'here');
    streamed = new Promise((resolve) => {
      quiet.get('/stream', () => {
        const stream = new PassThrough();
        resolve(stream);
        return stream;
      });
    });
    await quiet.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => quiet.close());

  const open = async () => {
    const socket = connect((quiet.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    return { socket, closed, ask: (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`) };
  };

  it('is closed when its answer does not come', async () => {
    const { socket, closed, ask } = await open();
    ask('/never');
    socket.resume();
    await closed;
  });

  it('is closed when its client does not read', async () => {
    const { ask } = await open();
    const [served] = (await Promise.all([once(quiet.server, 'request'), ask('/large')]))[0] as [
      IncomingMessage,
    ];
    await once(served.socket, 'close');
    expect(served.socket.bytesWritten).toBeGreaterThan(1_048_576);
  });

  it('stays open while something moves, and between requests', async () => {
    const { socket, ask } = await open();
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const [stream] = await Promise.all([streamed, ask('/stream')]);
    for (let round = 0; round < 5; round += 1) {
      await sleep(SILENCE_MS / 3);
      stream.write(`${round}`);
    }
    stream.end('end');
    await eventually('the end', () => text.includes('end'));
    await sleep(2 * SILENCE_MS);
    ask('/at-once');
    await eventually('answer', () => text.endsWith('here'));
    socket.destroy();
  });
});
