import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { openClient, statuses } from '@workspace/testing';
import { SLOW, startServer, SUBMIT, type TestServer } from './test-server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.stop());

const client = () => openClient(server.http);

describe('CONNECT', () => {
  it.each([
    ['gets an answer', '', '400'],
    ['leaves the requests before it their answers', SLOW, '200'],
  ])('%s, and ends the connection', async (_what, before, status) => {
    const { socket, received, ended } = await client();
    socket.write(`${before}CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n`);
    if (before) {
      await server.slowBegun;
      server.finishSlow();
    }
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual([status]);
  });
});

describe('requests that a client sends ahead of their answers', () => {
  it('are dispatched one after another, and answered in their order', async () => {
    const { socket, received, ended } = await client();
    socket.write(SLOW + SUBMIT.repeat(16));
    await server.slowBegun;
    // Answered on another connection: by then the requests of the first one have been read.
    const other = await client();
    other.socket.write(SUBMIT);
    await once(other.socket, 'data');
    expect(server.handled).toEqual(['/slow', '/submit']);
    server.finishSlow();
    while (server.handled.length < 18) await once(socket, 'data');
    while (statuses(received()).length < 17) await once(socket, 'data');
    expect(received()).toMatch(/^[^{]*slow answer/);
    socket.destroy();
    other.socket.destroy();
    await ended;
  });

  it.each(['POST /submit', 'GET /unknown'])(
    'end their connection when there are too many, and are not dispatched: %s',
    async (line) => {
      const { socket, received, ended } = await client();
      socket.write(SLOW + `${line} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`.repeat(17));
      await ended;
      await server.close();
      expect([received(), server.handled, server.closedForPipelining()]).toEqual(['', ['/slow'], 1]);
      socket.destroy();
    },
  );

  it('are not dispatched once their client has gone', async () => {
    const { socket } = await client();
    const [served] = (await Promise.all([once(server.http, 'request'), socket.write(SLOW + SUBMIT)]))[0] as [
      IncomingMessage,
    ];
    const closed = new Promise((resolve) => served.socket.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
    server.finishSlow();
    await server.close();
    expect(server.handled).toEqual(['/slow']);
  });
});

describe('a client that closes its side after its requests', () => {
  const REQUESTS = `${SLOW}${SUBMIT}`;

  it.each([
    ['while the server runs', () => undefined],
    ['when the server closes', () => void server.close()],
  ])('gets all answers, and then the end: %s', async (_when, next) => {
    const { socket, received, ended } = await client();
    const [served] = (await Promise.all([once(server.http, 'request'), socket.end(REQUESTS)]))[0] as [
      IncomingMessage,
    ];
    await Promise.all([server.slowBegun, once(served.socket, 'end')]);
    next();
    server.finishSlow();
    await ended;
    expect(statuses(received())).toEqual(['200', '200']);
    expect(received()).toMatch(/slow answer[^]*{}$/);
  });
});
