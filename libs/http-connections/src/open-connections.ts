import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of an open connection. */
export interface Connection {
  /** the response to the request that was dispatched last, until it is sent */
  response: ServerResponse | undefined;
  /** the request that arrived last, until it has arrived whole and is answered */
  latest: IncomingMessage | undefined;
  /** responses to the requests behind it, the next one first, and what dispatches them */
  waiting?: { readonly response: ServerResponse; readonly dispatch: () => void }[];
  /** while a body is waited for: how many bytes had been read, and when, as the latest `PACE_BYTES` began to arrive */
  pace?: { readonly request: IncomingMessage; readonly bytes: number; readonly at: number } | undefined;
  /** while the server closes: how many bytes had been read and written, and when the latest of them were */
  moved?: { readonly bytes: number; readonly at: number };
  /** while the process drains: since when it is known to hold no request */
  idleSince?: number;
}

/** What is happening on a connection. */
type ConnectionState =
  /** no request is waiting for an answer */
  | 'idle'
  /** a request has begun and has not arrived whole; it has no answer yet, or had one early */
  | 'unfinished'
  /** at least one whole request waits for its answer, or an answer is on its way */
  | 'answering';

/**
 * The open connections of a server. Node's own methods do not distinguish a connection that has not sent a request yet from one
 * that is being served, nor a response sent early from any other.
 */
export class OpenConnections extends Map<Socket, Connection> {
  /** The response that a connection waits for, or is sending. */
  responseOn(socket: Socket): ServerResponse | undefined {
    const connection = this.get(socket);
    if (isUnderWay(connection?.response)) return connection.response;
    return connection?.waiting?.[0]?.response;
  }

  stateOf(socket: Socket): ConnectionState {
    const response = this.responseOn(socket);
    if (!response) return this.isAnsweredEarly(socket) ? 'unfinished' : 'idle';
    return response.req.complete || response.headersSent ? 'answering' : 'unfinished';
  }

  /** Whether an answer was sent to a request that is still arriving: the client would take a second one for the next request's. */
  isAnsweredEarly(socket: Socket): boolean {
    return this.get(socket)?.latest?.complete === false && !this.responseOn(socket);
  }

  /** Whether an answer is being written while its request still arrives. */
  isStreaming(socket: Socket): boolean {
    const response = this.responseOn(socket);
    return (
      response !== undefined && response.headersSent && !response.writableEnded && !response.req.complete
    );
  }
}

const isUnderWay = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined && !response.writableFinished && !response.destroyed;
