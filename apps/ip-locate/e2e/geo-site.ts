import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a site received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  /** headers by their names as they were sent, in order */
  readonly headers: readonly (readonly [string, string])[];
}

/** A site that returns what it receives, and keeps it. */
export const startSite = async () => {
  const received: Received[] = [];
  const note = (request: IncomingMessage, body: string): string => {
    const { method = '', url = '', rawHeaders } = request;
    const headers = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[name, rawHeaders[at + 1]!] as const] : [],
    );
    received.push({ method, url, body, headers });
    return 'reached the site';
  };
  const takesAnything = { maxHeaderSize: 2 ** 20, insecureHTTPParser: true, requireHostHeader: false };
  const server = createServer(takesAnything, (request, response) => {
    void text(request).then((body) => response.end(note(request, body)));
  });
  server.maxHeadersCount = 0;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('upgrade', (request, socket) => {
    note(request, '');
    // HAProxy passes on nothing but a correct answer (RFC 6455 §4.2.2).
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    const head = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
    socket.end([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Passes connections on to a port, and can hold back what comes from the client. */
export const startRelay = async (to: number) => {
  const sockets = new Set<Socket>();
  let isSlow = false;
  let chunks = 0;
  let asked = '';
  const server = createTcpServer((client) => {
    const service = connect(to, '127.0.0.1');
    for (const [from, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => other.destroy());
      from.on('close', () => {
        sockets.delete(from);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      chunks += 1;
      asked = String(chunk);
      if (isSlow) setTimeout(() => service.write(chunk), SLOW_MS).unref();
      else service.write(chunk);
    });
    service.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** how many pieces of requests have passed */
    get chunks() {
      return chunks;
    },
    /** the latest of them */
    get asked() {
      return asked;
    },
    slow: (value: boolean) => {
      isSlow = value;
      // What is held back would arrive before what comes later.
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

/** Longer than any example waits. */
const SLOW_MS = 60_000;

/** Whether something accepts connections at a port. Listening there, to find that out, could hinder what wants to. */
export const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/** Sends bytes, and returns all that comes back. */
export const sendRaw = async (port: number, bytes: string): Promise<{ status: number; answer: string }> => {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    // Some proxies wait for the client to close a connection that has been upgraded.
    if (/^HTTP\/1.1 101 [^]*\r\n\r\n/.test(answer)) break;
  }
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1]), answer };
};
