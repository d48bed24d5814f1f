import { Socket } from 'node:net';
import { linger } from './linger.ts';
import type { OpenConnections } from './open-connections.ts';
import { detach, type SmallChunks } from './small-chunks.ts';

/** How long an answer that closes its connection may wait for the client to read it. */
const FLUSH_MS = 1_000;

/** A whole HTTP response, written to a socket without a response object. */
export interface RawResponse {
  readonly status: number;
  readonly text: string;
}

/** Ends connections, so that what was answered is read and nothing that follows is carried out. */
export class ConnectionEnds {
  readonly #open: OpenConnections;
  readonly #smallChunks: SmallChunks;
  readonly #ended = new WeakMap<Socket, number>();
  /** whether the server closes */
  readonly #isClosing: () => boolean;

  constructor(open: OpenConnections, smallChunks: SmallChunks, isClosing: () => boolean) {
    this.#open = open;
    this.#smallChunks = smallChunks;
    this.#isClosing = isClosing;
  }

  /**
   * Answers what Node could not read as HTTP, or not in time, and ends its connection: what may follow on it cannot be
   * trusted, and the server must not carry out a request that it has answered with 408.
   *
   * @param answer for Node's code of the error
   */
  endUnreadable(
    socket: Socket,
    error: Error & { code?: string },
    answer: (code: string | undefined) => RawResponse,
  ): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (!this.#open.isStreaming(socket)) {
      this.end(socket, answer(error.code));
    } else if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') {
      // An answer whose request still arrives may take long; the connection's own timeout ends it when it is idle. Without the
      // rest of the request, because the client is gone or sends nonsense, it can never be finished.
      socket.destroy();
    }
  }

  /** The status that a connection was ended with before its request had arrived; undefined when its client closed it, or it is open. */
  statusOfEnded(socket: Socket): number | undefined {
    return this.#ended.get(socket);
  }

  /** Closes a connection at once when its last request has arrived whole: its client has nothing more to send. */
  destroySoon(socket: Socket): void {
    if (this.#open.isAnsweredEarly(socket)) this.#endGently(socket);
    else Socket.prototype.destroySoon.call(socket);
  }

  /**
   * Ends a connection. No further request is read from it. Responses that have begun are completed; otherwise `answer` is
   * written. Then the socket is destroyed; while the server closes, not before the client could read the answer.
   *
   * @param answer for the current request, if it has none yet
   */
  end(socket: Socket, answer: RawResponse): void {
    this.#smallChunks.leave(socket);
    if (this.#open.stateOf(socket) === 'answering') {
      socket.pause();
      this.#destroyWhenSilent(socket);
      return;
    }
    if (this.#open.isAnsweredEarly(socket) || !socket.writable) {
      socket.destroy();
      return;
    }
    this.#ended.set(socket, answer.status);
    socket.write(answer.text);
    if (this.#isClosing()) {
      this.#endGently(socket);
    } else {
      // At once: only then is the memory that the request counts for given back.
      socket.pause();
      socket.setTimeout(FLUSH_MS, () => socket.destroy());
      socket.end(() => socket.destroy());
    }
  }

  /**
   * Closes a connection so that its client can read what was written, also while it is still sending: to close at once would
   * reset the connection (RFC 9112, section 9.6).
   */
  #endGently(socket: Socket): void {
    this.#smallChunks.leave(socket);
    socket.end();
    // With another listener, Node no longer feeds its parser. A paused socket reads again only by a listener of the parser.
    const drop = (): void => void socket.removeAllListeners('data').on('data', detach);
    if (socket.isPaused()) socket.once('resume', drop).resume();
    else drop();
    socket.once('end', () => socket.destroy());
    linger(socket, { isClosing: this.#isClosing });
  }

  /** Destroys a socket once the whole requests on it are answered. */
  #destroyWhenSilent(socket: Socket): void {
    if (this.#open.stateOf(socket) === 'answering') {
      // The response to the next pipelined request is the current one by then.
      this.#open.responseOn(socket)?.once('close', () => this.#destroyWhenSilent(socket));
    } else {
      socket.destroy();
    }
  }
}
