import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
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
/** How many requests may wait on a connection behind the one that is being answered (HTTP pipelining). */
const MAX_WAITING = 16;
/** How often connections without a timer are looked for. */
const TIMER_SWEEP_MS = 10_000;

/**
 * What Node's HTTP server keeps on a socket, and does not document. It is read only when a connection has to end: a list
 * of its own, written for each request, would cost every request a few hundred bytes and a listener.
 */
interface HttpSocket extends Socket {
  /** the response to the oldest request that has not been answered to the end; later ones wait where a client pipelines */
  readonly _httpMessage?: ServerResponse | null;
  /** `incoming`: the request that arrived last, until it is whole and has been read */
  readonly parser?: { readonly incoming: IncomingMessage | null } | null;
}

/**
 * A request that stops the parser when its connection is closed. Otherwise Node goes on to make objects of all requests
 * that arrived with it, thousands of them; it stops only where a request leaves HTTP.
 */
export class StoppableMessage extends IncomingMessage {
  // Written by the constructor of IncomingMessage, before fields of this class could be set.
  declare private leavesHttp?: boolean;

  get upgrade(): boolean {
    return this.leavesHttp === true || this.socket.destroyed;
  }

  set upgrade(value: boolean) {
    this.leavesHttp = value;
  }
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
  readonly #open = new Set<HttpSocket>();
  readonly #ended = new WeakMap<Socket, number>();
  /** what dispatches the requests that wait on a connection, the next one first */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();
  #isClosing = false;

  /**
   * Follows the connections that `server` accepts from now on, and closes those on which nothing has moved for `silenceMs`,
   * or a little longer, while they were not idle. (Node itself closes idle ones, and those whose request does not arrive.)
   * The requests of a connection are dispatched one after another.
   *
   * Node's own `server.timeout` sets a timer for every request. Here only connections that are found without one, because
   * their request takes long, get a timer.
   */
  watch(server: Server, silenceMs: number): void {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('listening', () => {
      const giveTimers = (): void => {
        for (const socket of this.#open) if (!socket.timeout) socket.setTimeout(silenceMs);
      };
      const timer = setInterval(giveTimers, Math.min(TIMER_SWEEP_MS, silenceMs)).unref();
      server.once('close', () => clearInterval(timer));
    });
    const [dispatch] = server.listeners('request') as [RequestListener];
    server.removeAllListeners('request').on('request', (request, response) => {
      // Only the response to the oldest request has the socket.
      if (response.socket) dispatch(request, response);
      else this.#wait(request.socket, () => dispatch(request, response));
    });
  }

  /**
   * Dispatches a request when those before it on its connection are answered and their answers are read. Node reads as
   * many requests as a client sends at once, and holds all their answers when the client reads none. A client that
   * sends more than a few ahead loses its connection.
   */
  #wait(socket: HttpSocket, dispatch: () => void): void {
    if (socket.destroyed) return;
    const waiting = this.#waiting.get(socket);
    if (waiting && waiting.length >= MAX_WAITING) {
      socket.destroy();
    } else if (waiting) {
      waiting.push(dispatch);
    } else {
      this.#waiting.set(socket, [dispatch]);
      this.#dispatchAfter(socket);
    }
  }

  #dispatchAfter(socket: HttpSocket): void {
    socket._httpMessage!.once('close', () => {
      const waiting = this.#waiting.get(socket)!;
      const dispatch = waiting.shift();
      if (!dispatch || socket.destroyed) {
        this.#waiting.delete(socket);
        return;
      }
      this.#dispatchAfter(socket);
      dispatch();
    });
  }

  /** Lets the answers to requests that wait for one say that the connection ends with them. */
  announceEnd(): void {
    for (const socket of this.#open) {
      const response = currentResponse(socket);
      if (response?.headersSent === false) response.setHeader('connection', 'close');
    }
  }

  /** Whether an answer is being written while its request still arrives. */
  isStreaming(socket: Socket): boolean {
    const response = currentResponse(socket);
    return (
      response !== undefined && response.headersSent && !response.writableEnded && !response.req.complete
    );
  }

  stateOf(socket: Socket): ConnectionState {
    const response = currentResponse(socket);
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
    if (this.stateOf(socket) === 'answering') {
      this.#destroyWhenSilent(socket);
      return;
    }
    if (isAnsweredEarly(socket) || !socket.writable) {
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

  /** Destroys a socket once the whole requests on it are answered. */
  #destroyWhenSilent(socket: Socket): void {
    if (this.stateOf(socket) === 'answering') {
      // The response to the next pipelined request is the current one by then.
      currentResponse(socket)?.once('close', () => this.#destroyWhenSilent(socket));
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
      for (const socket of this.#open) {
        const state = this.stateOf(socket);
        if (state === 'idle') socket.destroy();
        if (state === 'unfinished' && isGraceOver) this.end(socket, answer(currentResponse(socket)!.req));
      }
      // A response that began before draining did not announce the end of its connection, which becomes idle later.
      if (this.#open.size > 0) setTimeout(sweep, SWEEP_MS).unref();
    };
    sweep();
  }
}

/** The response that a connection waits for, or is sending. */
const currentResponse = (socket: HttpSocket): ServerResponse | undefined => {
  const response = socket._httpMessage;
  return response && !response.writableFinished && !response.destroyed ? response : undefined;
};

/** Whether an answer was sent to a request that is still arriving: the client would take a second one for the next request's. */
const isAnsweredEarly = (socket: HttpSocket): boolean => {
  const request = socket.parser?.incoming;
  return request?.complete === false && !currentResponse(socket);
};
