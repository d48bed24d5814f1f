import { once } from 'node:events';
import type { Socket } from 'node:net';
import { eventually, openClient, statuses } from '@workspace/testing';
import { SLOW, startServer, SUBMIT, SUBMIT_HEAD, type TestServer } from './test-server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.stop());

const client = () => openClient(server.http);

describe('a request that takes too long to arrive', () => {
  it.each([
    ['headers that stop half-way', SUBMIT_HEAD, 'content-length: 2\r\n\r\n{}'],
    ['a body that stops half-way', `${SUBMIT_HEAD}content-length: 2\r\n\r\n{`, '}'],
    ['a connection that sends nothing', '', SUBMIT],
  ])('gets 408 and is never dispatched: %s', async (_what, first, rest) => {
    await server.close();
    server = await startServer({ requestTimeout: 300 });
    const { socket, received, ended } = await client();
    socket.write(first);
    await once(socket, 'data');
    expect(statuses(received())).toEqual(['408']);
    // A client that ignores it sends the rest, and a whole request besides, until the connection is gone.
    socket.write(rest + SUBMIT);
    await ended;
    socket.end(SUBMIT);
    // Returns once the connection is gone: what was ever dispatched has been dispatched by then.
    await server.close();
    expect(server.handled).toEqual([]);
    expect(statuses(received())).toEqual(['408']);
  });

  /** Ends the wait for a request of which a part is there. */
  const giveUpSoon = () => Object.assign(server.http, { headersTimeout: 300, requestTimeout: 300 });

  it('does not answer for the whole request before it, and is never dispatched', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${SLOW}${SUBMIT_HEAD}`);
    await server.slowBegun;
    giveUpSoon();
    await once(server.http, 'clientError');
    expect(received()).toBe('');
    socket.write('content-length: 2\r\n\r\n{}');
    server.finishSlow();
    await ended;
    socket.destroy();
    await server.close();
    expect(received()).toContain('slow answer');
    expect(statuses(received())).toEqual(['200']);
    expect(server.handled).toEqual(['/slow']);
  });

  it('leaves all whole requests before it their answers', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${SLOW}${SUBMIT}${SUBMIT_HEAD}`);
    await server.slowBegun;
    giveUpSoon();
    await once(server.http, 'clientError');
    expect(received()).toBe('');
    server.finishSlow();
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual(['200', '200']);
    expect(server.handled).toEqual(['/slow', '/submit']);
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
  const POST = 'POST /large HTTP/1.1\r\nhost: x\r\n';
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
    await server.close();
    // All but `setInterval` and `performance`, by which the rate is measured.
    jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] });
    server = await startServer();
    serverSockets = new Set();
    server.http.on('connection', (socket: Socket) => serverSockets.add(socket));
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
      [`${SLOW}${POST}content-length: 50000\r\n\r\n`, 1],
      ['POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 50000\r\n\r\n', 1],
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
    await send(steady, 44_996);
    expect(await after(9_000, clients)).toEqual(['408', '408', '408', '100,408', '', '', '200', '']);
    steady.socket.write('{}');
    server.finishSlow();
    await eventually('answers', () => statuses(steady.received() + clients[5]!.received()).length === 2);
    // From its turn on, it has as long as the others.
    await after(1_000, clients);
    await after(10_000, clients);
    await clients[5]!.ended;
    expect(await after(0, clients)).toEqual(['408', '408', '408', '100,408', '200', '200,408', '200', '']);
    for (const { socket } of clients) socket.destroy();
  });
});
