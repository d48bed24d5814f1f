import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { IncomingRequest } from './incoming-request.ts';
import { SmallChunks } from './small-chunks.ts';

/** How long a client may go on sending a request that is already answered. */
const LINGER_MS = 1_000;
/** How much of it is read and dropped at most. */
const LINGER_BYTES = 8 * 1_048_576;
/** How long a request that had begun when draining ended may take to arrive. */
const UNFINISHED_MS = 1_000;
/** How long an answer that has begun may stand still, waiting for its client, when the server closes. */
const STALLED_MS = 1_000;
/** How long an answer that closes its connection may wait for the client to read it. */
const FLUSH_MS = 1_000;
const SWEEP_MS = 50;
/** Bodies of this length cost next to nothing, however they arrive. */
const LONG_BODY_BYTES = 16_384;
/** How many requests may wait on a connection behind the one that is being answered (HTTP pipelining). */
const MAX_WAITING = 16;
/** How often connections without a timer are searched for. */
const TIMER_SWEEP_MS = 10_000;

/** What is known of an open connection. */
interface Connection {
  /** the response to the request that was dispatched last */
  response?: ServerResponse;
  /** the request that arrived last */
  latest?: IncomingMessage;
  /** responses to the requests behind it, the next one first, and what dispatches them */
  waiting?: { readonly response: ServerResponse; readonly dispatch: () => void }[];
  /** while the server closes: how many bytes had been read and written, and when the latest of them were */
  moved?: { readonly bytes: number; readonly at: number };
}

export interface WatchOptions {
  /** milliseconds after which a connection is closed on which nothing moves */
  readonly silenceMs: number;
  /** called when a connection is closed because too many requests wait on it */
  readonly onTooManyWaiting?: () => void;
}

/** A whole HTTP response, written without a reply object. */
export interface RawResponse {
  readonly status: number;
  readonly text: string;
}

/** What is happening on a connection. */
export type ConnectionState =
  /** no request is waiting for an answer */
  | 'idle'
  /** a request has begun, has not arrived whole, and has no answer yet */
  | 'unfinished'
  /** at least one whole request waits for its answer, or an answer is on its way */
  | 'answering';

/**
 * The open connections of a server. Node's own methods do not distinguish a connection that has not sent a request yet from
 * one that is being served, nor a response sent early from any other.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #ended = new WeakMap<Socket, number>();
  readonly #smallChunks = new SmallChunks(this.#open);
  #isClosing = false;

  /**
   * Follows the connections that `server` accepts from now on, and closes those on which nothing has moved for `silenceMs`,
   * or a little longer, while they were not idle. (Node itself closes idle ones, and those whose request does not arrive.)
   * The requests of a connection are dispatched one after another.
   *
   * Node's own `server.timeout` sets a timer for every request. Here only connections that are found without one, because
   * their request takes long, get a timer.
   */
  watch(server: Server, { silenceMs, onTooManyWaiting }: WatchOptions): void {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, {});
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('listening', () => {
      const giveTimers = (): void => {
        for (const socket of this.#open.keys()) if (!socket.timeout) socket.setTimeout(silenceMs);
      };
      const timer = setInterval(giveTimers, Math.min(TIMER_SWEEP_MS, silenceMs)).unref();
      server.once('close', () => clearInterval(timer));
    });
    const inTurn =
      (dispatch: RequestListener): RequestListener =>
      (request, response) => {
        const { socket } = request;
        const connection = this.#open.get(socket);
        if (!connection) return;
        connection.latest = request;
        if (hasLongBody(request)) (request as IncomingRequest).boundBody(response, this.#smallChunks);
        // Only the response to the oldest request has the socket.
        if (response.socket) {
          connection.response = response;
          dispatch(request, response);
        } else if (!socket.destroyed) {
          if (wait(connection, response, () => dispatch(request, response))) return;
          socket.destroy();
          onTooManyWaiting?.();
        }
      };
    const [answer] = server.listeners('request') as [RequestListener];
    server.removeAllListeners('request').on('request', inTurn(answer));
    // What Node does itself, but not in turn.
    server.on(
      'checkExpectation',
      inTurn((_request, response) => response.writeHead(417).end()),
    );
  }

  /** Lets the answers to requests that wait for one say that the connection ends with them. */
  announceEnd(): void {
    for (const socket of this.#open.keys()) {
      const response = this.#responseOn(socket);
      if (response?.headersSent === false) response.setHeader('connection', 'close');
    }
  }

  /** Whether an answer is being written while its request still arrives. */
  isStreaming(socket: Socket): boolean {
    const response = this.#responseOn(socket);
    return (
      response !== undefined && response.headersSent && !response.writableEnded && !response.req.complete
    );
  }

  stateOf(socket: Socket): ConnectionState {
    const response = this.#responseOn(socket);
    if (!response) return 'idle';
    return response.req.complete || response.headersSent ? 'answering' : 'unfinished';
  }

  /**
   * Ends a connection. Nothing more is read from it, so no further request can be dispatched. Responses that have begun are
   * completed; otherwise `answer` is written. Then the socket is destroyed.
   *
   * @param answer for the current request, if it has none yet
   */
  end(socket: Socket, answer: RawResponse): void {
    socket.pause();
    this.#smallChunks.leave(socket);
    if (this.stateOf(socket) === 'answering') {
      this.#destroyWhenSilent(socket);
      return;
    }
    if (this.#isAnsweredEarly(socket) || !socket.writable) {
      socket.destroy();
      return;
    }
    this.#ended.set(socket, answer.status);
    socket.setTimeout(FLUSH_MS, () => socket.destroy());
    socket.end(answer.text, () => socket.destroy());
  }

  /** The status that `end` gave to a request on this connection; undefined when its client has closed it, or when it is open. */
  statusOfEnded(socket: Socket): number | undefined {
    return this.#ended.get(socket);
  }

  /** The response that a connection waits for, or is sending. */
  #responseOn(socket: Socket): ServerResponse | undefined {
    const connection = this.#open.get(socket);
    if (isUnderWay(connection?.response)) return connection.response;
    return connection?.waiting?.[0]?.response;
  }

  /** Whether an answer was sent to a request that is still arriving: the client would take a second one for the next request's. */
  #isAnsweredEarly(socket: Socket): boolean {
    return this.#open.get(socket)?.latest?.complete === false && !this.#responseOn(socket);
  }

  /** Destroys a socket once the whole requests on it are answered. */
  #destroyWhenSilent(socket: Socket): void {
    if (this.stateOf(socket) === 'answering') {
      // The response to the next pipelined request is the current one by then.
      this.#responseOn(socket)?.once('close', () => this.#destroyWhenSilent(socket));
    } else {
      socket.destroy();
    }
  }

  /**
   * Reads and drops the rest of a request that is already answered, within limits of time and size. Closing at once would
   * reset the connection before the client has read the response (RFC 9112, section 9.6).
   */
  lingerAfter(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (!this.#open.has(socket)) return;
    response.once('finish', () => {
      if (request.complete || socket.destroyed) return;
      const limit = socket.bytesRead + LINGER_BYTES;
      const until = performance.now() + LINGER_MS;
      const timer = setInterval(() => {
        if (request.complete || socket.destroyed) clearInterval(timer);
        else if (performance.now() > until || socket.bytesRead > limit) socket.destroy();
      }, SWEEP_MS).unref();
    });
  }

  /**
   * Call when the server stops listening. Connections without a request are closed at once, those with an unfinished one
   * after a grace period; whole requests are answered first. An answer that waits for its client, who neither reads it nor
   * sends the rest of the request, is broken off.
   *
   * @param answer the response to an unfinished request
   */
  close(answer: (request: IncomingMessage) => RawResponse): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const since = performance.now();
    const sweep = (): void => {
      const now = performance.now();
      for (const [socket, connection] of this.#open) {
        const state = this.stateOf(socket);
        if (state === 'idle' || this.#isStalled(socket, connection, now)) socket.destroy();
        else if (state === 'unfinished' && now - since > UNFINISHED_MS)
          this.end(socket, answer(this.#responseOn(socket)!.req));
      }
      // A response that began before draining did not announce the end of its connection, which becomes idle later.
      if (this.#open.size > 0) setTimeout(sweep, SWEEP_MS).unref();
    };
    sweep();
  }

  #isStalled(socket: Socket, connection: Connection, now: number): boolean {
    const response = this.#responseOn(socket);
    const waitsForClient = response?.headersSent && (response.writableLength > 0 || !response.req.complete);
    if (!waitsForClient) return false;
    const bytes = socket.bytesRead + socket.bytesWritten - socket.writableLength;
    if (connection.moved?.bytes !== bytes) connection.moved = { bytes, at: now };
    return now - connection.moved.at > STALLED_MS;
  }
}

/**
 * Dispatches a request when those before it on its connection are answered and their answers are read. Node reads as
 * many requests as a client sends at once, and holds all their answers when the client reads none.
 *
 * @returns false when too many wait
 */
const wait = (connection: Connection, response: ServerResponse, dispatch: () => void): boolean => {
  const waiting = (connection.waiting ??= []);
  if (waiting.length >= MAX_WAITING) return false;
  if (waiting.length === 0) connection.response?.once('close', () => dispatchNext(connection));
  waiting.push({ response, dispatch });
  return true;
};

const dispatchNext = (connection: Connection): void => {
  const next = connection.waiting?.shift();
  // Not when the client has gone.
  if (!next?.response.socket || next.response.socket.destroyed) return;
  connection.response = next.response;
  if (connection.waiting?.length) next.response.once('close', () => dispatchNext(connection));
  next.dispatch();
};

const isUnderWay = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined && !response.writableFinished && !response.destroyed;

/** A body that may arrive in many parts: its length is not known, or it is longer than most. */
const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > LONG_BODY_BYTES;
