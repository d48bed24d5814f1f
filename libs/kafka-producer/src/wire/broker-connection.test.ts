import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type BrokerConnection, openBrokerConnection } from './broker-connection.ts';
import { frameCollector } from './response-frames.ts';

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

describe('a connection to a broker', () => {
  let server: Server;
  let sockets: Socket[];
  /** what the broker does with requests of ours */
  let onRequest: (correlationId: number, socket: Socket) => void;
  let silent: boolean;
  beforeEach(async () => {
    sockets = [];
    silent = false;
    onRequest = () => undefined;
    server = createServer((socket) => {
      sockets.push(socket);
      const collect = frameCollector((frame) => {
        const id = frame.readInt32BE(4);
        if (silent) return;
        if (frame.readInt16BE(0) === API_VERSIONS) socket.write(framed(id, versionsAnswer));
        else onRequest(id, socket);
      });
      socket.on('data', collect).on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const open = (
    more: { requestTimeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<BrokerConnection> => {
    const { port } = server.address() as AddressInfo;
    const { requestTimeoutMs = 5_000, signal = new AbortController().signal } = more;
    const settings = { clientId: 'test', connectionTimeoutMs: 5_000, requestTimeoutMs };
    return openBrokerConnection({ host: '127.0.0.1', port }, settings, signal);
  };

  it('knows the versions that the broker speaks, and gives each request its answer', async () => {
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

  it('ends when an answer takes too long, and drops what comes later', async () => {
    const connection = await open();
    await expect(connection.send(frameOf, 20)).rejects.toThrow(/did not answer within 20 ms/);
    expect(connection.ended).toBeDefined();
  });

  it('ends when what comes is not Kafka', async () => {
    onRequest = (_id, socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    const connection = await open();
    await expect(connection.send(frameOf, 5_000)).rejects.toThrow(/is not Kafka/);
  });

  it('is not opened to a broker that accepts connections and stays silent, nor to a closed port', async () => {
    silent = true;
    await expect(open({ requestTimeoutMs: 20 })).rejects.toThrow(/did not answer within 20 ms/);
    const { port } = server.address() as AddressInfo;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
    const settings = { clientId: 'test', connectionTimeoutMs: 5_000, requestTimeoutMs: 20 };
    const signal = new AbortController().signal;
    await expect(openBrokerConnection({ host: '127.0.0.1', port }, settings, signal)).rejects.toThrow(
      /ECONNREFUSED/,
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
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
});
