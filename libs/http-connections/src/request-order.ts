import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Drain } from './drain.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { linger } from './linger.ts';
import type { Connection, OpenConnections } from './open-connections.ts';
import { toOriginForm } from './request-target.ts';
import type { SmallChunks } from './small-chunks.ts';

/** Bodies of this length cost next to nothing, however they arrive. */
const LONG_BODY_BYTES = 16_384;
/** How many requests may wait on a connection behind the one that is being answered (HTTP pipelining). */
const MAX_WAITING = 16;

const SLASH = 47;

export interface RequestOrderOptions {
  readonly open: OpenConnections;
  readonly smallChunks: SmallChunks;
  readonly drain: Drain;
  /** whether the server closes */
  readonly isClosing: () => boolean;
  /** called when a connection is closed because too many requests wait on it */
  readonly onTooManyWaiting: (() => void) | undefined;
}

/** Dispatches the requests of a connection one after another: each when those before it are answered. */
export class RequestOrder {
  readonly #options: RequestOrderOptions;
  /** dispatches requests that arrive just before the port closes */
  #held: (() => void)[] | undefined;

  constructor(options: RequestOrderOptions) {
    this.#options = options;
  }

  /** Holds all requests from now on, until `dispatchHeld`. */
  hold(): void {
    this.#held = [];
  }

  /** How many requests are held. */
  get held(): number {
    return this.#held?.length ?? 0;
  }

  dispatchHeld(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const dispatch of held) dispatch();
  }

  /** Dispatches a request to `listener`, and before that to `prepare`, when those before it on its connection are answered. */
  inTurn(
    listener: RequestListener,
    prepare?: (request: IncomingRequest, response: ServerResponse) => void,
  ): RequestListener {
    const { open, smallChunks, drain, isClosing, onTooManyWaiting } = this.#options;
    const dispatch = (request: IncomingMessage, response: ServerResponse): void => {
      if (this.#held) {
        this.#held.push(() => dispatch(request, response));
        return;
      }
      if (request.url!.charCodeAt(0) !== SLASH) toOriginForm(request);
      prepare?.(request as IncomingRequest, response);
      if (drain.draining) response.setHeader('connection', 'close');
      listener(request as never, response as never);
    };
    return (request, response) => {
      const { socket } = request;
      const connection = open.get(socket);
      // After an answer that closes the connection, nothing may be processed (RFC 9112, 9.6).
      if (!connection || socket.writableEnded) return;
      connection.latest = request;
      response.on('close', () => forget(connection, request, response));
      if (hasLongBody(request)) {
        (request as IncomingRequest).boundBody(response, smallChunks);
        response.once('finish', () => linger(socket, { isOver: () => request.complete, isClosing }));
      }
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

/**
 * Keeps nothing of a request once it is answered: an idle connection can be open for long, and its last body be large. What
 * is kept until the next request of a connection, of which there may be thousands, also outlives most garbage collections.
 */
const forget = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
  if (connection.response === response) connection.response = undefined;
  if (connection.latest !== request) return;
  if (request.complete) connection.latest = undefined;
  else request.once('end', () => forget(connection, request, response));
};

const dispatchNext = (connection: Connection): void => {
  const next = connection.waiting?.shift();
  // Not when the client has gone.
  if (!next?.response.socket || next.response.socket.destroyed) return;
  connection.response = next.response;
  if (connection.waiting?.length) next.response.once('close', () => dispatchNext(connection));
  next.dispatch();
};

/** A body that may arrive in many parts: its length is not known, or it is longer than most. */
const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > LONG_BODY_BYTES;
