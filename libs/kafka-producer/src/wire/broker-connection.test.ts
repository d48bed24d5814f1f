import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { type BrokerConnection, openBrokerConnection } from './broker-connection.ts';
import { frameCollector } from './response-frames.ts';
import { systemRuntime } from './runtime.ts';

const API_VERSIONS = 18;

const framed = (correlationId: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeInt32BE(4 + body.length, 0);
  head.writeInt32BE(correlationId, 4);
  return Buffer.concat([head, body]);
};

/** ApiVersions, version 0: no error; Produce 3 to 13, Metadata 0 to 13, InitProducerId 0 to 5. */
const versionsAnswer = Buffer.from([
  ...[0, 0, 0, 0, 0, 3],
  ...[0, 0, 0, 3, 0, 13],
  ...[0, 3, 0, 0, 0, 13],
  ...[0, 22, 0, 0, 0, 5],
]);

/** A request of API key 99 without a body. */
const frameOf = (correlationId: number): Buffer => {
  const frame = Buffer.alloc(14);
  frame.writeInt32BE(10, 0);
  frame.writeInt16BE(99, 4);
  frame.writeInt32BE(correlationId, 8);
  frame.writeInt16BE(-1, 12);
  return frame;
};

const TLS_HANDSHAKE = 22;
const PSK_KEY = Buffer.alloc(16);
/** Both sides of a TLS connection with a shared key, which needs no certificate. */
const PSK = {
  ciphers: 'PSK',
  maxVersion: 'TLSv1.2',
  pskCallback: () => ({ psk: PSK_KEY, identity: 'test' }),
  checkServerIdentity: () => undefined,
} as const satisfies tls.ConnectionOptions;

describe('a connection to a broker', () => {
  let server: Server;
  let sockets: Socket[];
  /** how connections ended that did not end in good order */
  let failures: Error[];
  /** what the broker does with requests of ours */
  let onRequest: (correlationId: number, socket: Socket) => void;
  let silent: boolean;
  beforeEach(async () => {
    sockets = [];
    silent = false;
    onRequest = () => undefined;
    failures = [];
    const answer = (socket: Socket): void => {
      const collect = frameCollector((frame) => {
        const id = frame.readInt32BE(4);
        if (silent) return;
        if (frame.readInt16BE(0) === API_VERSIONS) socket.write(framed(id, versionsAnswer));
        else onRequest(id, socket);
      });
      socket.on('data', collect).on('error', (error) => failures.push(error));
    };
    const secure = tls.createServer({ ...PSK, pskCallback: () => PSK_KEY }, answer);
    server = createServer((socket) => {
      sockets.push(socket);
      // A TLS connection begins with a handshake record, a Kafka request with the first byte of its length.
      socket.once('readable', () => {
        const first = socket.read() as Buffer;
        socket.unshift(first);
        if (first[0] === TLS_HANDSHAKE) secure.emit('connection', socket);
        else answer(socket);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const open = (
    more: { requestTimeoutMs?: number; signal?: AbortSignal; ssl?: tls.ConnectionOptions } = {},
  ): Promise<BrokerConnection> => {
    const { port } = server.address() as AddressInfo;
    const { requestTimeoutMs = 5_000, signal = new AbortController().signal, ssl } = more;
    const tlsOptions = ssl && { ssl: async () => ssl };
    const settings = { clientId: 'test', connectionTimeoutMs: 5_000, requestTimeoutMs, ...tlsOptions };
    return openBrokerConnection({ host: '127.0.0.1', port }, settings, signal);
  };

  const untilClosed = async (): Promise<void> => {
    while (!sockets[0]!.closed) await new Promise(setImmediate);
  };

  it('knows the versions that the broker supports, and gives each request its answer', async () => {
    const waiting: [number, Socket][] = [];
    onRequest = (id, socket) => {
      waiting.push([id, socket]);
      if (waiting.length < 2) return;
      for (const [one, to] of waiting.reverse()) to.write(framed(one, Buffer.from(`answer ${one}`)));
    };
    const connection = await open();
    expect(connection.versionOf('Produce')).toBe(7);
    const ids: number[] = [];
    const send = () =>
      connection.send((id) => {
        ids.push(id);
        return frameOf(id);
      }, 5_000);
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(String)).toEqual(ids.map((id) => `answer ${id}`));
    expect(new Set(ids).size).toBe(2);
    connection.close(new Error('done'));
  });

  it('ends when it breaks inside an answer, and the next one begins afresh', async () => {
    onRequest = (id, socket) => {
      const answer = framed(id, Buffer.from('half of this is lost'));
      socket.write(answer.subarray(0, 12), () => socket.destroy());
    };
    const first = await open();
    await expect(first.send(frameOf, 5_000)).rejects.toThrow(/closed the connection/);
    expect(first.ended).toBeDefined();
    const neverMade = jest.fn(frameOf);
    await expect(first.send(neverMade, 5_000)).rejects.toThrow(/closed the connection/);
    expect(neverMade).not.toHaveBeenCalled();

    onRequest = (id, socket) => socket.write(framed(id, Buffer.from('whole')));
    const second = await open();
    expect(String(await second.send(frameOf, 5_000))).toBe('whole');
    second.close(new Error('done'));
  });

  it('gives requests more time while a quota has the broker read nothing', async () => {
    const answerSoon = (id: number, socket: Socket): void =>
      void setTimeout(() => socket.write(framed(id, Buffer.from('late'))), 2_000);
    onRequest = answerSoon;
    const connection = await open({ requestTimeoutMs: 1_000 });
    // It is already on its way.
    const waiting = connection.send(frameOf, 1_000);
    connection.throttled(60_000);
    expect(String(await waiting)).toBe('late');
    expect(String(await connection.send(frameOf, 1_000))).toBe('late');
    connection.close(new Error('done'));

    /** InitProducerId, version 1. */
    const producerId = Buffer.alloc(16);
    producerId.writeInt32BE(60_000, 0);
    onRequest = (id, socket) => socket.write(framed(id, producerId));
    const other = await open({ requestTimeoutMs: 1_000 });
    await other.request('InitProducerId', { transactionalId: null, transactionTimeout: 1 });
    onRequest = answerSoon;
    expect(String(await other.send(frameOf, 1_000))).toBe('late');
    other.close(new Error('done'));
  });

  it('ends when what comes is not Kafka', async () => {
    onRequest = (_id, socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    const connection = await open();
    await expect(connection.send(frameOf, 5_000)).rejects.toThrow(/is not Kafka/);
  });

  it('is not opened to a broker that accepts connections and stays silent', async () => {
    silent = true;
    await expect(open({ requestTimeoutMs: 20 })).rejects.toThrow(/did not answer within 20 ms/);
  });

  describe.each([
    ['TCP', undefined],
    ['TLS', PSK],
  ])('over %s', (_what, ssl) => {
    it.each([
      ['no answer came', async (connection: BrokerConnection) => connection.send(frameOf, 20)],
      [
        'the service is closed',
        async (connection: BrokerConnection, closing: AbortController) => {
          const sent = connection.send(frameOf, 5_000);
          closing.abort();
          return sent;
        },
      ],
      [
        'the broker has closed its side',
        async (connection: BrokerConnection) => {
          onRequest = () => sockets[0]!.end();
          return connection.send(frameOf, 5_000);
        },
      ],
    ])('is reset when %s: the kernel must not deliver later what the broker has not', async (_why, end) => {
      const closing = new AbortController();
      const connection = await open({ signal: closing.signal, ...(ssl && { ssl }) });
      await expect(end(connection, closing)).rejects.toThrow();
      await untilClosed();
      expect(failures[0]).toMatchObject({ code: 'ECONNRESET' });
    });

    it('is closed in good order when nothing is waited for', async () => {
      onRequest = (id, socket) => socket.write(framed(id, Buffer.from('whole')));
      const connection = await open(ssl && { ssl });
      await connection.send(frameOf, 5_000);
      connection.close(new Error('done'));
      await untilClosed();
      expect(failures).toEqual([]);
    });
  });

  it('opens no socket, which nothing would close, while the certificate cannot be used', async () => {
    await expect(open({ ssl: { cert: 'no certificate' } })).rejects.toThrow(/PEM/i);
    await open();
    expect(sockets.length).toBe(1);
  });

  it('can be ended while it opens', async () => {
    silent = true;
    const closing = new AbortController();
    const opening = open({ signal: closing.signal });
    const connected = once(server, 'connection');
    await connected;
    closing.abort();
    await expect(opening).rejects.toThrow('closed');
  });

  it('is not opened, nor kept, once the service is closed', async () => {
    const closed = new AbortController();
    closed.abort();
    await expect(open({ signal: closed.signal })).rejects.toThrow();
    expect(sockets).toEqual([]);
    const closing = new AbortController();
    const connection = await open({ signal: closing.signal });
    closing.abort();
    expect(connection.ended?.message).toBe('closed');
    expect(connection.ending.aborted).toBe(true);
    // The first reason stays.
    connection.close(new Error('later'));
    expect(connection.ended?.message).toBe('closed');
    await untilClosed();
  });

  it('passes over an answer to nothing that it asked', async () => {
    onRequest = (id, socket) => {
      socket.write(framed(id + 1_000, Buffer.from('a stranger’s')));
      socket.write(framed(id, Buffer.from('its own')));
    };
    const connection = await open();
    expect(String(await connection.send(frameOf, 5_000))).toBe('its own');
    expect(connection.ended).toBeUndefined();
    connection.close(new Error('done'));
  });

  it('numbers its requests one after the other', async () => {
    onRequest = (id, socket) => socket.write(framed(id, Buffer.from(String(id))));
    const connection = await open();
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) ids.push(Number(await connection.send(frameOf, 5_000)));
    // The first asked for the versions.
    expect(ids).toEqual([2, 3, 4]);
    connection.close(new Error('done'));
  });

  it('that is retired ends a request timeout later, once everything is answered, whatever is sent meanwhile', async () => {
    const timers: (() => void)[] = [];
    const { port } = server.address() as AddressInfo;
    const settings = { clientId: 'test', connectionTimeoutMs: 5_000, requestTimeoutMs: 4_321 };
    const runtime = {
      ...systemRuntime,
      setTimeout: (callback: () => void, milliseconds: number) => {
        if (milliseconds === 4_321) timers.push(callback);
        return {};
      },
    };
    const address = { host: '127.0.0.1', port };
    const connection = await openBrokerConnection(address, settings, new AbortController().signal, runtime);
    let answer = (): void => undefined;
    onRequest = (id, socket) => {
      answer = () => socket.write(framed(id, Buffer.from('late')));
    };
    timers.length = 0;
    connection.retire();
    connection.retire();
    expect(timers).toHaveLength(1);
    const expire = timers[0]!;
    const sent = connection.send(frameOf, 60_000);
    await once(sockets[0]!, 'data');
    await new Promise(setImmediate);
    expire();
    expect(connection.ended).toBeUndefined();
    answer();
    expect(String(await sent)).toBe('late');
    expect(connection.ended?.message).toBe('replaced by another connection');
    await untilClosed();
    expect(failures).toEqual([]);

    const idle = await openBrokerConnection(address, settings, new AbortController().signal, runtime);
    timers.length = 0;
    idle.retire();
    timers[0]!();
    expect(idle.ended?.message).toBe('replaced by another connection');
  });
});
