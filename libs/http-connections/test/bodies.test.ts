import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, openClient, statuses } from '@workspace/testing';
import { bodyOf, SLOW, startServer, SUBMIT, SUBMIT_HEAD, type TestServer } from './test-server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.stop());

const client = () => openClient(server.http);

describe('a request that is answered before it has arrived', () => {
  it('keeps its connection when the rest comes soon', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${SUBMIT_HEAD}content-length: 5000\r\n\r\n`);
    await once(socket, 'data');
    socket.write('x'.repeat(5000));
    socket.write(SUBMIT);
    await Promise.race([ended, once(socket, 'data')]);
    expect(statuses(received())).toEqual(['413', '200']);
    socket.destroy();
  });

  it('keeps its connection while the rest comes slowly', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${SUBMIT_HEAD}content-length: 30000\r\n\r\n`);
    for (let sent = 0; sent < 30; sent += 1) {
      await sleep(50);
      socket.write('x'.repeat(1000));
    }
    socket.write(SUBMIT);
    await Promise.race([ended, eventually('second answer', () => statuses(received()).length === 2)]);
    expect(statuses(received())).toEqual(['413', '200']);
    socket.destroy();
  });

  it('ends it, if that was asked for, without a reset while the rest comes, and serves nothing more', async () => {
    const { socket, received, ended } = await client();
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    const closed = once(socket, 'close').catch(() => undefined);
    socket.write(`${SUBMIT_HEAD}connection: close\r\ncontent-length: 5000\r\n\r\n`);
    await ended;
    for (const part of ['x'.repeat(2000), 'x'.repeat(3000), SUBMIT]) {
      socket.write(part);
      await sleep(20);
    }
    socket.end();
    await closed;
    expect([statuses(received()), errors, server.handled]).toEqual([['413'], [], []]);
  });

  it('loses it, without a second answer, when the rest is not HTTP', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${SUBMIT_HEAD}transfer-encoding: chunked\r\n\r\n7d0\r\n${'x'.repeat(2000)}`);
    await once(socket, 'data');
    socket.write('\r\nnot the size of a chunk\r\n');
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual(['413']);
  });

  it('loses it, without a second answer, when the rest does not end', async () => {
    const { socket, received, ended } = await client();
    socket.write(`${SUBMIT_HEAD}content-length: 5000000000\r\n\r\n`);
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
  const expecting = (line: string, length: string): string =>
    [`${line} HTTP/1.1`, 'host: x', 'expect: 100-continue', length, '', ''].join('\r\n');

  it.each([
    ['413', 'POST /submit', 'content-length: 5000'],
    ['413', 'POST /submit', 'content-length: 50000'],
    ['404', 'POST /unknown', 'content-length: 5'],
    ['404', 'POST /unknown', 'transfer-encoding: chunked'],
    ['200', 'GET /at-once', 'content-length: 5'],
  ])('gets %s at once when its head decides, and the connection ends: %s', async (status, line, length) => {
    const { socket, received, ended } = await client();
    socket.write(expecting(line, length));
    await ended;
    socket.destroy();
    expect(statuses(received())).toEqual([status]);
    expect(received()).toMatch(/^connection: close\r$/im);
  });

  it.each(['content-length: 2', 'transfer-encoding: chunked'])(
    'is asked for its body when that is read, and keeps its connection: %s',
    async (length) => {
      const { socket, received } = await client();
      socket.write(expecting('POST /submit', length));
      await once(socket, 'data');
      expect(received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(length.endsWith('chunked') ? '2\r\n{}\r\n0\r\n\r\n' : '{}');
      socket.write(SUBMIT);
      while (statuses(received()).length < 3) await once(socket, 'data');
      expect(statuses(received())).toEqual(['100', '200', '200']);
      socket.destroy();
    },
  );

  it('waits for its turn behind other requests', async () => {
    const { socket, received } = await client();
    socket.write(SLOW);
    socket.write(expecting('POST /submit', 'content-length: 2'));
    await server.slowBegun;
    expect(received()).toBe('');
    server.finishSlow();
    while (statuses(received()).length < 2) await once(socket, 'data');
    socket.write('{}');
    while (statuses(received()).length < 3) await once(socket, 'data');
    expect(statuses(received())).toEqual(['200', '100', '200']);
    socket.destroy();
  });
});

describe('a long body', () => {
  /** Sends bodies of 1 MiB. @returns the most bytes that were read of each in one iteration of the event loop, and the answers */
  const send = async (count: number, answer: 'at its end' | 'at once') => {
    const most = new Map<IncomingMessage, number>();
    const read = await startServer(undefined, {
      '/': (request, response) => {
        let inIteration = 0;
        let length = 0;
        request.on('data', (chunk: Buffer) => {
          if (inIteration === 0) setImmediate(() => (inIteration = 0));
          inIteration += chunk.length;
          length += chunk.length;
          most.set(request, Math.max(most.get(request) ?? 0, inIteration));
        });
        if (answer === 'at once') response.end('0');
        else request.on('end', () => response.end(String(length)));
      },
    });
    const ask = async (): Promise<string[]> => {
      const { socket } = await openClient(read.http);
      const answers: string[] = [];
      // Twice: what a body leaves behind must not keep the next one from being read.
      for (const body of ['x'.repeat(1_048_576), 'y'.repeat(1_048_576)]) {
        socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
        const [text] = (await once(socket, 'data')) as [string];
        answers.push(bodyOf(text));
      }
      socket.destroy();
      return answers;
    };
    const answers = await Promise.all(Array.from({ length: count }, ask));
    await read.close();
    return { most: Math.max(...most.values()), answers: answers.flat() };
  };

  it('is read a part in each iteration of the event loop, whole', async () => {
    const { most, answers } = await send(8, 'at its end');
    expect(answers).toEqual(Array(16).fill('1048576'));
    expect(most).toBeLessThanOrEqual(2 * 65_536);
  });

  it('that is answered before it has arrived, is read and dropped, and its connection is kept', async () => {
    expect((await send(8, 'at once')).answers).toEqual(Array(16).fill('0'));
  });
});

describe('a body in tiny chunks', () => {
  const CHUNKED = 'HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
  const tiny = (count: number): string => `${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`;

  it('reaches its reader in few chunks, whole and in order', async () => {
    let chunks = 0;
    const read = await startServer(undefined, {
      '/': (request, response) => {
        let text = '';
        request
          .on('data', (chunk: Buffer) => {
            chunks += 1;
            text += String(chunk);
          })
          .on('end', () => response.end(text));
      },
    });
    const text = Array.from({ length: 20_000 }, (_, at) => String(at % 10)).join('');
    const body = text.replaceAll(/./g, '1\r\n$&\r\n');
    const { socket, received } = await openClient(read.http);
    socket.write(`POST / ${CHUNKED}${body}0\r\n\r\n`);
    while (!received().endsWith(text.slice(-1_000))) await once(socket, 'data');
    expect(bodyOf(received())).toBe(text);
    expect(chunks).toBeLessThan(200);
    socket.destroy();
    await read.close();
  });

  it.each(['GET /at-once', 'POST /unknown'])('that is not read is dropped: %s', async (line) => {
    const { socket, received } = await client();
    const [request] = (
      await Promise.all([once(server.http, 'request'), socket.write(`${line} ${CHUNKED}${tiny(5)}`)])
    )[0] as [IncomingMessage];
    socket.write(`${line} ${CHUNKED}${tiny(50_000)}${SUBMIT}`);
    while (server.handled.length === 0) await once(socket, 'data');
    while (statuses(received()).length < 3) await once(socket, 'data');
    expect(request.complete).toBe(true);
    expect(statuses(received())[2]).toBe('200');
    socket.destroy();
  });
});
