// The library alone, on a server of node:http.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@workspace/testing';
import { Connections, createDrain, type Drain } from '../src/index.ts';

describe('connections', () => {
  const HEAD = 'HTTP/1.1\r\nhost: x\r\n';
  const UNFINISHED = `POST / ${HEAD}content-type: text/plain\r\ncontent-length: 1\r\n\r\n`;
  const answer = { status: 503, text: 'HTTP/1.1 503 Stopping\r\nconnection: close\r\n\r\n' };
  let server: Server;
  let drain: Drain;
  let connections: Connections;
  let port: number;
  let closedForPipelining: number;
  /** requests of which Node has made objects */
  let made: number;

  beforeEach(async () => {
    drain = createDrain();
    closedForPipelining = made = 0;
    connections = new Connections({ drain, onTooManyWaiting: () => (closedForPipelining += 1) });
    server = connections.createServer(
      (request, response) => {
        if (request.url === '/') request.on('end', () => response.end('here')).resume();
        if (request.url !== '/slow') return;
        server.once('finish', (text: string) => response.end(text));
        server.emit('slow');
      },
      { requestTimeout: 5_000 },
    );
    server.on('request', () => (made += 1));
    server.on('clientError', (error, socket) =>
      connections.endUnreadable(socket as Socket, error, () => answer),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  const close = async (): Promise<void> => {
    await connections.prepareClose(() => answer);
    await new Promise((end) => server.close(end));
  };
  afterEach(close);

  const client = async (bytes: string, host = '127.0.0.1', localAddress?: string) => {
    const socket = connect({ port, host, ...(localAddress && { localAddress }) }).setEncoding('utf8');
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
    // Not `once`, which rejects when the connection is reset, as it is while the server has not read everything.
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
    socket.write(bytes);
    return { socket, received: () => text, closed };
  };

  it('give the head of a request and all of it the same time to arrive', () => {
    expect(server).toMatchObject({ requestTimeout: 5_000, headersTimeout: 5_000 });
  });

  it('answer what has begun when the server closes', async () => {
    const silent = await client('');
    const [unfinished] = await Promise.all([client(UNFINISHED), once(server, 'request')]);
    drain.start();
    await close();
    expect(await unfinished.closed).toBe(answer.text);
    expect(await silent.closed).toBe('');
  });

  it('say that they end while draining', async () => {
    drain.start();
    const { socket, closed } = await client(`GET / ${HEAD}\r\n`);
    await once(socket, 'data');
    expect(await closed).toMatch(/connection: close\r\n[^]*here$/i);
  });

  it('have the same bounds on each address', async () => {
    server.maxConnections = 1;
    await connections.listenAlsoOn(['127.0.0.1', '127.0.0.2', '192.0.2.1']);
    const { closed } = await client(`GET /never ${HEAD}\r\n${`GET / ${HEAD}\r\n`.repeat(17)}`, '127.0.0.2');
    const dropped = once(server, 'drop');
    expect(await (await client('', '127.0.0.2')).closed).toBe('');
    await dropped;
    expect([await closed, closedForPipelining]).toEqual(['', 1]);
    const unreadable = once(server, 'clientError');
    const nonsense = await client('nonsense\r\n\r\n', '127.0.0.2');
    await unreadable;
    const [unfinished] = await Promise.all([client(UNFINISHED), once(server, 'request')]);
    await close();
    expect(await unfinished.closed).toBe(answer.text);
    await nonsense.closed;
    await expect(client('', '127.0.0.2')).rejects.toThrow('ECONNREFUSED');
  });

  it('leave room for others when one client takes all that it can, and none of it is lost', async () => {
    connections.limit(8, ({ remoteAddress: network = '' }) =>
      network === '127.0.0.9' ? [] : [{ network, shares: 1 }],
    );
    await connections.listenAlsoOn(['127.0.0.2']);
    let dropped = 0;
    server.on('drop', () => (dropped += 1));
    const served = async (localAddress: string, host?: string) =>
      (await (await client(`GET / ${HEAD}connection: close\r\n\r\n`, host, localAddress)).closed) !== '';
    const flood: Awaited<ReturnType<typeof client>>[] = [];
    for (let opened = 0; opened < 12; opened += 1)
      flood.push(await client('', opened % 2 ? '127.0.0.2' : undefined, '127.0.0.3'));
    await eventually('all but its half are closed', () => dropped === 8);
    for (const host of ['127.0.0.1', '127.0.0.2']) {
      expect([await served('127.0.0.3', host), await served('127.0.0.4', host)]).toEqual([false, true]);
    }
    // A trusted proxy may have all the others.
    for (let opened = 0; opened < 3; opened += 1) await client('', undefined, '127.0.0.9');
    expect(await served('127.0.0.9')).toBe(true);
    // It ends them in three ways: by a reset, by half, and by half with a request that never ends.
    for (const [at, { socket }] of flood.entries()) {
      if (at % 3 === 0) socket.resetAndDestroy();
      else socket.end(at % 3 === 1 ? '' : UNFINISHED, () => socket.destroy());
    }
    await eventually('its share again', () => served('127.0.0.3'));
  });

  it.each(['127.0.0.1', '127.0.0.2'])('on %s are answered before the server is closed', async (host) => {
    await connections.listenAlsoOn(['127.0.0.2']);
    const [slow] = await Promise.all([client(`GET /slow ${HEAD}\r\n`, host), once(server, 'slow')]);
    drain.start();
    let isClosed = false;
    const serverClosed = close().then(() => (isClosed = true));
    await sleep(100);
    expect(isClosed).toBe(false);
    server.emit('finish', 'done');
    await serverClosed;
    expect(await slow.closed).toMatch(/done$/);
  });

  // Node has no documented way to stop its parser: this fails when what `IncomingRequest` does instead stops working.
  it('make Node read no further request from a connection that is closed', async () => {
    const { closed } = await client(`GET /never ${HEAD}\r\n${`GET / ${HEAD}\r\n`.repeat(1_000)}`);
    await closed;
    expect(closedForPipelining).toBe(1);
    expect(made).toBe(18);
  });
});
