import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Connections, type ConnectionTimes, createDrain } from '../src/index.ts';

/** Bytes of the longest body that `/submit` accepts. */
const BODY_LIMIT = 1_000;

/** The beginning of a head. */
export const SUBMIT_HEAD = 'POST /submit HTTP/1.1\r\nhost: x\r\n';
export const SUBMIT = `${SUBMIT_HEAD}content-length: 2\r\n\r\n{}`;
export const SLOW = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';

export interface TestServer {
  readonly http: Server;
  /** paths of the requests that arrived whole and were handled */
  readonly handled: string[];
  /** resolves when `/slow` was asked */
  readonly slowBegun: Promise<void>;
  /** how many connections were closed because too many requests waited */
  readonly closedForPipelining: () => number;
  /** answers `/slow` */
  finishSlow(): void;
  close(): Promise<void>;
  /** Closes it without waiting for answers. */
  stop(): Promise<void>;
}

/** A server of node:http with the paths that tests ask: `/submit`, `/slow`, `/at-once`, `/large`, `/echo`, `/unread`. */
export const startServer = async (
  times: ConnectionTimes = {},
  more: Readonly<Record<string, RequestListener>> = {},
): Promise<TestServer> => {
  const handled: string[] = [];
  const slowBegun = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<void>();
  let closedForPipelining = 0;
  const drain = createDrain();
  const connections = new Connections({ drain, onTooManyWaiting: () => (closedForPipelining += 1) });
  const routes: Readonly<Record<string, RequestListener>> = {
    '/submit': (request, response) =>
      whenWhole(request, response, BODY_LIMIT, () => {
        handled.push('/submit');
        response.end('{}');
      }),
    '/slow': (_request, response) => {
      handled.push('/slow');
      slowBegun.resolve();
      void slow.promise.then(() => response.end('slow answer'));
    },
    '/at-once': (_request, response) => response.end('here'),
    '/large': (request, response) => whenWhole(request, response, 100_000, () => response.end('large')),
    '/echo': (request, response) => request.pipe(response),
    '/unread': () => undefined,
    ...more,
  };
  const server = connections.createServer(
    (request, response) => {
      const listener = routes[request.url!];
      if (listener) listener(request, response);
      else response.writeHead(404).end();
    },
    { requestTimeout: 60_000, ...times },
  );
  server.on('clientError', (error, socket) =>
    connections.endUnreadable(socket as Socket, error, (code) =>
      answer(code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400),
    ),
  );
  const close = async (): Promise<void> => {
    await connections.prepareClose(() => answer(503));
    await new Promise((end) => server.close(end));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    http: server,
    handled,
    slowBegun: slowBegun.promise,
    closedForPipelining: () => closedForPipelining,
    finishSlow: () => slow.resolve(),
    close,
    stop: () => {
      server.closeAllConnections();
      return close();
    },
  };
};

const answer = (status: number) => ({
  status,
  text: `HTTP/1.1 ${status} \r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
});

/** Calls `handle` when the body is there; answers 413 as soon as it is known to be too long, and reads no more of it. */
const whenWhole = (
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  handle: () => void,
): void => {
  const reject = (): void => void response.writeHead(413).end();
  if (Number(request.headers['content-length']) > limit) return reject();
  let length = 0;
  request.on('end', handle).on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limit) return;
    request.removeAllListeners('data').removeAllListeners('end').resume();
    reject();
  });
};

/** The body of the first answer in a text. */
export const bodyOf = (text: string): string => text.split('\r\n\r\n')[1]!;
