import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually, openClient, statuses } from '@workspace/testing';
import { startServer, SUBMIT, SUBMIT_HEAD, type TestServer } from './test-server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.stop());

const client = () => openClient(server.http);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('an answered request', () => {
  it('is kept by nothing while its connection stays open', async () => {
    let answered: WeakRef<IncomingMessage> | undefined;
    server.http.once('request', (request) => (answered = new WeakRef(request)));
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

describe('when the server closes', () => {
  it.each([
    ['is answered then', 'content-length: 900', () => server.close(), '503'],
    ['was answered before', 'content-length: 5000', () => undefined, '413'],
  ])('a request that still arrives and %s is not reset', async (_when, length, close, status) => {
    const { socket, received } = await client();
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    await Promise.all([once(server.http, 'request'), socket.write(`${SUBMIT_HEAD}${length}\r\n\r\n`)]);
    void close();
    await once(socket, 'data');
    const closed = server.close();
    for (const part of ['x'.repeat(2000), 'x'.repeat(3000), SUBMIT]) {
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
    const answer = new PassThrough();
    const stalled = await startServer(undefined, { '/': (_request, response) => answer.pipe(response) });
    const { socket } = await openClient(stalled.http);
    socket.pause();
    const [request] = (
      await Promise.all([
        once(stalled.http, 'request'),
        socket.write(`${method} / HTTP/1.1\r\nhost: x\r\n${rest}`),
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
  let quiet: TestServer;
  /** the answer of GET /stream, to be written to */
  let streamed: Promise<PassThrough>;

  beforeEach(async () => {
    const stream = new PassThrough();
    const { promise, resolve } = Promise.withResolvers<PassThrough>();
    streamed = promise;
    quiet = await startServer(
      { connectionTimeout: SILENCE_MS },
      {
        '/64-MiB': (_request, response) => response.end(Buffer.alloc(64 * 1_048_576)),
        '/stream': (_request, response) => resolve(stream.pipe(response) && stream),
      },
    );
  });
  afterEach(() => quiet.stop());

  const open = async () => {
    const socket = connect((quiet.http.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    return { socket, closed, ask: (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`) };
  };

  it('is closed when its answer does not come', async () => {
    const { socket, closed, ask } = await open();
    ask('/unread');
    socket.resume();
    await closed;
  });

  it('is closed when its client does not read', async () => {
    const { ask } = await open();
    const [served] = (await Promise.all([once(quiet.http, 'request'), ask('/64-MiB')]))[0] as [
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
