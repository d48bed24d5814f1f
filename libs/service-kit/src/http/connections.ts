import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may go on sending a request that is already answered. */
const LINGER_MS = 1_000;
/** How much of it is read and dropped at most. */
const LINGER_BYTES = 8 * 1_048_576;
/** How long a request that had begun when draining ended may take to arrive. */
const UNFINISHED_MS = 1_000;
/** How long an answer that closes its connection may wait for the client to read it. */
const FLUSH_MS = 1_000;
const SWEEP_MS = 50;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
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
 * The open connections of a server and the requests on each. Node's own methods do not distinguish a connection that has
 * not sent a request yet from one that is being served, nor a response sent early from any other.
 */
export class Connections {
  readonly #open = new Map<Socket, Exchange[]>();
  readonly #ended = new WeakMap<Socket, number>();
  #isClosing = false;

  /** Follows the connections that `server` accepts from now on. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, []);
      socket.once('close', () => this.#open.delete(socket));
    });
    // Before the framework's own listener, which may answer at once.
    server.prependListener('request', (request, response) => {
      const exchanges = this.#open.get(request.socket);
      if (!exchanges) return;
      // More than one waits only where a client pipelines.
      while (exchanges[0] && isOver(exchanges[0])) exchanges.shift();
      exchanges.push({ request, response });
    });
  }

  stateOf(socket: Socket): ConnectionState {
    const waiting = (this.#open.get(socket) ?? []).filter((exchange) => !isOver(exchange));
    const [first] = waiting;
    if (!first) return 'idle';
    return waiting.length === 1 && !first.request.complete && !first.response.headersSent
      ? 'unfinished'
      : 'answering';
  }

  /**
   * Ends a connection. Nothing more is read from it, so no further request can be dispatched. Responses that have begun are
   * completed; otherwise `answer` is written. Then the socket is destroyed.
   *
   * @param answer for the current request, if it has none yet
   */
  end(socket: Socket, answer: RawResponse): void {
    socket.pause();
    if (this.stateOf(socket) === 'answering') {
      for (const { response } of this.#open.get(socket) ?? []) {
        response.once('close', () => this.#endIfSilent(socket));
      }
      return;
    }
    const last = this.#open.get(socket)?.at(-1);
    // The current request was answered before it had arrived: the client would take a second response for the next one's.
    const isAnswered = last !== undefined && !last.request.complete && last.response.headersSent;
    if (isAnswered || !socket.writable) {
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

  #endIfSilent(socket: Socket): void {
    if (this.stateOf(socket) !== 'answering') socket.destroy();
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
   * after a grace period; whole requests are answered first.
   *
   * @param answer the response to an unfinished request
   */
  close(answer: (request: IncomingMessage) => RawResponse): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const since = performance.now();
    const sweep = (): void => {
      const isGraceOver = performance.now() - since > UNFINISHED_MS;
      for (const [socket, exchanges] of this.#open) {
        const state = this.stateOf(socket);
        if (state === 'idle') socket.destroy();
        if (state === 'unfinished' && isGraceOver) this.end(socket, answer(exchanges.at(-1)!.request));
      }
      // A response that began before draining did not announce the end of its connection, which becomes idle later.
      if (this.#open.size > 0) setTimeout(sweep, SWEEP_MS).unref();
    };
    sweep();
  }
}

const isOver = ({ response }: Exchange): boolean => response.writableFinished || response.destroyed;
