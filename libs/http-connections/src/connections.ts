import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ClientNetwork, ClientShares } from './client-shares.ts';
import { closeConnections } from './closing.ts';
import { ConnectionEnds, type RawResponse } from './connection-ends.ts';
import type { Drain } from './drain.ts';
import { continueWhenRead } from './expect-continue.ts';
import { IncomingRequest } from './incoming-request.ts';
import { OpenConnections } from './open-connections.ts';
import { watchPace, watchSilence } from './pace.ts';
import type { Preface } from './preface.ts';
import { RequestOrder } from './request-order.ts';
import { SmallChunks } from './small-chunks.ts';

/** Twice as many as Apache and Envoy accept. Each costs a service ten times the memory that it takes on the wire. */
export const MAX_HEADER_FIELDS = 200;
/** How long nothing must arrive before the port closes, and how long that is waited for at most. */
const QUIET_MS = 5;
const ACCEPTING_MS = 100;

export interface ConnectionsOptions {
  readonly drain: Drain;
  /** called when a connection is closed because too many requests wait on it */
  readonly onTooManyWaiting?: () => void;
}

/** Times are milliseconds. It is also what `fastify()` hands to its `serverFactory`. */
export interface ConnectionTimes {
  /** after which a connection is closed on which nothing moves, while it is not idle */
  readonly connectionTimeout?: number;
  /** after which an idle connection is closed */
  readonly keepAliveTimeout?: number;
  /** for a request to arrive */
  readonly requestTimeout?: number;
  readonly http?: ServerOptions | null;
}

/**
 * The connections of an HTTP server, and what bounds and closes them. It makes the server (`createServer`, which a Fastify takes
 * as its `serverFactory`), whose `clientError` calls `endUnreadable`. `prepareClose` comes before `server.close()`.
 */
export class Connections {
  readonly #open = new OpenConnections();
  readonly #smallChunks = new SmallChunks(this.#open);
  readonly #isClosed = () => this.#isClosing;
  readonly #ends = new ConnectionEnds(this.#open, this.#smallChunks, this.#isClosed);
  readonly #drain: Drain;
  readonly #order: RequestOrder;
  /** Makes another server like the first. */
  #newServer: (() => Server) | undefined;
  #servers: Server[] = [];
  /** how many connections there have been */
  #accepted = 0;
  /** takes a place for a connection */
  #take: ((socket: Socket) => (() => void) | undefined) | undefined;
  #preface: Preface | undefined;
  #isClosing = false;

  constructor({ drain, onTooManyWaiting }: ConnectionsOptions) {
    this.#drain = drain;
    this.#order = new RequestOrder({
      open: this.#open,
      smallChunks: this.#smallChunks,
      drain,
      isClosing: this.#isClosed,
      onTooManyWaiting,
    });
    drain.onStart(() => this.#announceEnd());
  }

  /**
   * Makes a server. It dispatches the requests of a connection one after another, and closes connections on which nothing has
   * moved for `connectionTimeout`, or a little longer, while they were not idle. (Node itself closes idle ones, and those whose
   * request does not arrive.)
   */
  readonly createServer = (
    listener: RequestListener,
    { connectionTimeout = 0, keepAliveTimeout, requestTimeout = 0, http }: ConnectionTimes,
  ): Server => {
    const options = {
      IncomingMessage: IncomingRequest,
      keepAliveTimeout,
      // Set later, as Fastify does, Node has already settled on 60 s for headers, and never times out a body.
      requestTimeout,
      headersTimeout: requestTimeout,
      // Node's own answer has no body, and is not logged.
      requireHostHeader: false,
      // Node looks only every 30 s by default.
      connectionsCheckingInterval: Math.max(100, Math.min(1_000, Math.floor(requestTimeout / 2))),
      ...http,
    } as ServerOptions;
    this.#newServer = () => {
      const server = createServer(options, this.#order.inTurn(listener));
      // A client may close its side of the connection after its last request. Node would then end it without the answer.
      Object.assign(server, { httpAllowHalfOpen: true });
      // Node drops all beyond, perhaps those that a proxy adds after the client's. One more than is accepted shows it.
      server.maxHeadersCount = MAX_HEADER_FIELDS + 1;
      // Node's `close` and Fastify's call it: a request may be on its way on such a connection. `prepareClose` ends them in time.
      server.closeIdleConnections = () => undefined;
      this.#servers.push(server);
      // Node's own listener begins to read HTTP.
      const [readHttp] = server.listeners('connection') as [(socket: Socket) => void];
      server.off('connection', readHttp);
      server.on('connection', (socket: Socket) => this.#accept(server, socket, readHttp));
      // Otherwise Node answers 417 itself, without a body.
      server.on('checkExpectation', this.#order.inTurn(listener));
      // Otherwise Node asks for the body at once, also of a request that is rejected by its head.
      server.on('checkContinue', this.#order.inTurn(listener, continueWhenRead(this.#drain)));
      // Otherwise Node closes the connection without an answer.
      server.on('connect', (_request, socket) => server.emit('clientError', new Error('CONNECT'), socket));
      return server;
    };
    const server = this.#newServer();
    server.once('listening', () => watchPace(server, this.#open));
    if (connectionTimeout > 0)
      server.once('listening', () => watchSilence(server, this.#open, connectionTimeout));
    return server;
  };

  #accept(server: Server, socket: Socket, readHttp: (socket: Socket) => void): void {
    this.#accepted += 1;
    this.#open.set(socket, { response: undefined, latest: undefined });
    socket.once('close', () => this.#open.delete(socket));
    const begin = (): void => {
      if (!this.#hasPlace(server, socket)) return;
      readHttp.call(server, socket);
      this.#smallChunks.accept(socket);
    };
    if (this.#preface) this.#preface(socket, begin);
    else begin();
    // Node calls it when the last answer of a connection is sent.
    socket.destroySoon = () => this.#ends.destroySoon(socket);
  }

  /** Takes a place for a connection, or closes it if its client has none left. */
  #hasPlace(server: Server, socket: Socket): boolean {
    if (!this.#take) return true;
    const release = this.#take(socket);
    if (release) {
      socket.once('close', release);
      return true;
    }
    socket.destroy();
    server.emit('drop');
    return false;
  }

  /** Reads `preface` on each connection before HTTP. For protocols that say whose connection it is. */
  beginWith(preface: Preface): void {
    this.#preface = preface;
  }

  /**
   * Closes connections at once that are too many for their client, or for the server on all its addresses; emits `drop` for each.
   * @param networksOf the networks that a connection counts in
   */
  limit(connections: number, networksOf: (socket: Socket) => readonly ClientNetwork[]): void {
    // Before Node makes a socket.
    this.#servers[0]!.maxConnections = connections;
    const shares = new ClientShares(connections);
    this.#take = (socket) => shares.take(networksOf(socket));
  }

  /** Listens on the other ones of these addresses, too, at the same port, where they can be used: those of `localhost`. */
  async listenAlsoOn(addresses: readonly string[]): Promise<void> {
    const main = this.#servers[0]!;
    const { address, port } = main.address() as AddressInfo;
    for (const host of addresses.filter((one) => one !== address)) {
      const server = this.#newServer!();
      server.maxConnections = main.maxConnections;
      for (const event of ['clientError', 'drop']) server.on(event, (...of) => main.emit(event, ...of));
      server.listen({ host, port });
      // IPv6 may be switched off, or another process have the port there.
      await once(server, 'listening').catch(() => undefined);
    }
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
    this.#ends.endUnreadable(socket, error, answer);
  }

  /** The status that a connection was ended with before its request had arrived; undefined when its client closed it, or it is open. */
  statusOfEnded(socket: Socket): number | undefined {
    return this.#ends.statusOfEnded(socket);
  }

  /** Lets the answers to requests that wait for one say that the connection ends with them. */
  #announceEnd(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const response = this.#open.responseOn(socket);
      if (!response) connection.idleSince = now;
      else if (!response.headersSent) response.setHeader('connection', 'close');
    }
  }

  /**
   * Prepares the `close` of the first server, which closes all others, too; call it when this resolves. Connections without a
   * request are closed when they have been idle for as long as the drain says, those with an unfinished one after a grace period;
   * whole requests are answered first. An answer that waits for its client, who neither reads it nor sends the rest of the
   * request, is broken off.
   *
   * @param answer the response to an unfinished request
   */
  async prepareClose(answer: (request: IncomingMessage) => RawResponse): Promise<void> {
    await this.#acceptWaiting();
    if (!this.#isClosing) {
      this.#isClosing = true;
      closeConnections({ open: this.#open, ends: this.#ends, idleMs: this.#drain.idleMs, answer });
    }
    const [main, ...others] = this.#servers;
    const closed = Promise.all(others.map((server) => new Promise((end) => server.close(end))));
    const { close } = main!;
    main!.close = (end) => {
      close.call(main, (error) => void closed.then(() => end?.(error)));
      this.#order.dispatchHeld();
      return main!;
    };
  }

  /**
   * Accepts the connections that wait at the port, because the system resets them when it closes. Their requests are answered
   * after that: clients would use each answer to open another connection.
   */
  async #acceptWaiting(): Promise<void> {
    if (!this.#servers[0]?.listening) return;
    this.#order.hold();
    const end = performance.now() + ACCEPTING_MS;
    let arrivals: number;
    do {
      arrivals = this.#accepted + this.#order.held;
      await new Promise((waited) => setTimeout(waited, QUIET_MS));
    } while (arrivals !== this.#accepted + this.#order.held && performance.now() < end);
  }
}
