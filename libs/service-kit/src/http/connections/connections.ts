import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ClientNetwork } from '../client-address.ts';
import { ClientShares } from '../client-shares.ts';
import type { RawResponse } from '../problems/raw-problem-response.ts';
import type { Drain } from './drain.ts';
import { IncomingRequest } from './incoming-request.ts';
import { linger } from './linger.ts';
import type { Preface } from './preface.ts';
import { MAX_HEADER_FIELDS } from '../request-head.ts';
import { toOriginForm } from './request-target.ts';
import { detach, SmallChunks } from './small-chunks.ts';

/** How long a request that had begun when draining ended may take to arrive. */
const UNFINISHED_MS = 1_000;
/** How long an answer that has begun may stand still, waiting for its client, when the server closes. */
const STALLED_MS = 1_000;
/** How long an answer that closes its connection may wait for the client to read it. */
const FLUSH_MS = 1_000;
const SWEEP_MS = 50;
/** How long nothing must arrive before the port closes, and how long that is waited for at most. */
const QUIET_MS = 5;
const ACCEPTING_MS = 100;
/** Bodies of this length cost next to nothing, however they arrive. */
const LONG_BODY_BYTES = 16_384;
/** How many requests may wait on a connection behind the one that is being answered (HTTP pipelining). */
const MAX_WAITING = 16;
/**
 * A body has to bring so many bytes in each such time, 500 a second: the rate that Apache's mod_reqtimeout asks for by default.
 * Not on average: a client could send most of a body at once, and the rest for ever.
 */
const PACE_BYTES = 5_000;
const PACE_MS = 10_000;
const PACE_SWEEP_MS = 1_000;
/** How often connections without a timer are searched for. */
const TIMER_SWEEP_MS = 10_000;

const SLASH = 47;

/** What is known of an open connection. */
interface Connection {
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
  /** while the service drains: since when it is known to hold no request */
  idleSince?: number;
}

export interface ConnectionsOptions {
  readonly drain: Drain;
  /** called when a connection is closed because too many requests wait on it */
  readonly onTooManyWaiting?: () => void;
}

/** What `fastify()` hands to its `serverFactory`. Times are milliseconds. */
interface FastifyServerOptions {
  /** after which a connection is closed on which nothing moves, while it is not idle */
  readonly connectionTimeout?: number;
  /** after which an idle connection is closed */
  readonly keepAliveTimeout?: number;
  /** for a request to arrive */
  readonly requestTimeout?: number;
  readonly http?: ServerOptions | null;
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
 * The open connections of a service, and what bounds them. Node's own methods do not distinguish a connection that has not
 * sent a request yet from one that is being served, nor a response sent early from any other.
 *
 * A Fastify gets them in two places: `fastify({ serverFactory: connections.createServer })` and `connections.addTo(app)`.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #ended = new WeakMap<Socket, number>();
  readonly #smallChunks = new SmallChunks(this.#open);
  readonly #options: ConnectionsOptions;
  /** Makes another server like the first. */
  #newServer: (() => Server) | undefined;
  #servers: Server[] = [];
  /** how many connections and requests there have been */
  #arrivals = 0;
  /** dispatches requests that arrive just before the port closes */
  #held: (() => void)[] | undefined;
  /** takes a place for a connection */
  #take: ((socket: Socket) => (() => void) | undefined) | undefined;
  #preface: Preface | undefined;
  #isClosing = false;
  readonly #closing = () => this.#isClosing;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    options.drain.onStart(() => this.#announceEnd());
  }

  /**
   * Makes the server of a Fastify. It dispatches the requests of a connection one after another, and closes connections on
   * which nothing has moved for `connectionTimeout`, or a little longer, while they were not idle. (Node itself closes idle
   * ones, and those whose request does not arrive.)
   */
  readonly createServer = (
    listener: RequestListener,
    { connectionTimeout = 0, keepAliveTimeout, requestTimeout = 0, http }: FastifyServerOptions,
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
      const server = createServer(options, this.#inTurn(listener));
      // A client may close its side of the connection after its last request. Node would then end it without the answer.
      Object.assign(server, { httpAllowHalfOpen: true });
      // Node drops all beyond, perhaps those that a proxy adds after the client's. One more than is accepted shows it.
      server.maxHeadersCount = MAX_HEADER_FIELDS + 1;
      // Node's `close` and Fastify's call it: a request may be on its way on such a connection. `#close` ends them in time.
      server.closeIdleConnections = () => undefined;
      this.#servers.push(server);
      // Node's own listener begins to read HTTP.
      const [readHttp] = server.listeners('connection') as [(socket: Socket) => void];
      server.off('connection', readHttp);
      server.on('connection', (socket: Socket) => {
        this.#arrivals += 1;
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
        socket.destroySoon = () => this.#destroySoon(socket);
      });
      // Otherwise Node answers 417 itself, without a body.
      server.on('checkExpectation', this.#inTurn(listener));
      // Otherwise Node asks for the body at once, also of a request that is rejected by its head.
      server.on(
        'checkContinue',
        this.#inTurn(listener, (...of) => this.#continueWhenRead(...of)),
      );
      // Otherwise Node closes the connection without an answer.
      server.on('connect', (_request, socket) => server.emit('clientError', new Error('CONNECT'), socket));
      return server;
    };
    const server = this.#newServer();
    server.once('listening', () => this.#watchPace(server));
    if (connectionTimeout > 0) server.once('listening', () => this.#giveTimers(server, connectionTimeout));
    return server;
  };

  /** Takes the place of a connection; closes it if there is none for its client. */
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

  /**
   * Node's own `server.timeout` sets a timer for every request. Here only connections that are found without one, because
   * their request takes long, get a timer.
   */
  #giveTimers(server: Server, silenceMs: number): void {
    const giveTimers = (): void => {
      for (const socket of this.#open.keys()) if (!socket.timeout) socket.setTimeout(silenceMs);
    };
    const timer = setInterval(giveTimers, Math.min(TIMER_SWEEP_MS, silenceMs)).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Reports a body that arrives too slowly as Node does one that takes too long. */
  #watchPace(server: Server): void {
    const check = (): void => {
      const at = performance.now();
      for (const [socket, connection] of this.#open) {
        const { latest: request, pace } = connection;
        if (!request || !this.#isBodyAwaited(socket, request)) connection.pace = undefined;
        else if (pace?.request !== request || socket.bytesRead - pace.bytes >= PACE_BYTES)
          connection.pace = { request, bytes: socket.bytesRead, at };
        else if (at - pace.at >= PACE_MS) server.emit('clientError', tooSlow(), socket);
      }
    };
    // After what has arrived is read: this process may have stood still.
    const timer = setInterval(() => setImmediate(check), PACE_SWEEP_MS).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Whether the next bytes of a body are up to its client. While an answer is sent, as for a stream, its client may wait for that. */
  #isBodyAwaited(socket: Socket, request: IncomingMessage): boolean {
    const response = this.#responseOn(socket);
    return (
      response?.req === request &&
      !response.headersSent &&
      !request.complete &&
      request.readableFlowing === true &&
      request.readableLength === 0 &&
      !(request as IncomingRequest).isHeld
    );
  }

  /** Dispatches a request to `listener`, and before that to `prepare`, when those before it on its connection are answered. */
  #inTurn(
    listener: RequestListener,
    prepare?: (request: IncomingRequest, response: ServerResponse) => void,
  ): RequestListener {
    const dispatch = (request: IncomingMessage, response: ServerResponse): void => {
      if (this.#held) {
        this.#arrivals += 1;
        this.#held.push(() => dispatch(request, response));
        return;
      }
      if (request.url!.charCodeAt(0) !== SLASH) toOriginForm(request);
      prepare?.(request as IncomingRequest, response);
      if (this.#options.drain.draining) response.setHeader('connection', 'close');
      listener(request as never, response as never);
    };
    return (request, response) => {
      const { socket } = request;
      const connection = this.#open.get(socket);
      // After an answer that closes the connection, nothing may be processed (RFC 9112, 9.6).
      if (!connection || socket.writableEnded) return;
      connection.latest = request;
      response.on('close', () => forget(connection, request, response));
      if (hasLongBody(request)) {
        (request as IncomingRequest).boundBody(response, this.#smallChunks);
        response.once('finish', () =>
          linger(socket, { isOver: () => request.complete, isClosing: this.#closing }),
        );
      }
      // Only the response to the oldest request has the socket.
      if (response.socket) {
        connection.response = response;
        dispatch(request, response);
      } else if (!socket.destroyed) {
        if (wait(connection, response, () => dispatch(request, response))) return;
        socket.destroy();
        this.#options.onTooManyWaiting?.();
      }
    };
  }

  /**
   * Sends `100 Continue` when the body of a request is read for the first time. An answer before that ends the connection: its
   * client may send the body or not (RFC 9110, 10.1.1).
   */
  #continueWhenRead(request: IncomingRequest, response: ServerResponse): void {
    response.setHeader('connection', 'close');
    request.onFirstRead(() => {
      if (response.headersSent) return;
      if (!this.#options.drain.draining) response.removeHeader('connection');
      response.writeContinue();
    });
  }

  /** Reads `preface` on each connection before HTTP. For protocols that say whose connection it is. */
  beginWith(preface: Preface): void {
    this.#preface = preface;
  }

  /**
   * Closes connections at once that are too many for their client, or for the service on all its addresses; emits `drop` for each.
   * @param networksOf the networks that a connection counts in
   */
  limit(connections: number, networksOf: (socket: Socket) => readonly ClientNetwork[]): void {
    // Before Node makes a socket.
    this.#servers[0]!.maxConnections = connections;
    const shares = new ClientShares(connections);
    this.#take = (socket) => shares.take(networksOf(socket));
  }

  /**
   * Listens on the other ones of these addresses, too, at the same port, where they can be used. Fastify does so for `localhost`
   * only when it makes the server itself.
   */
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

  /** Lets the answers to requests that wait for one say that the connection ends with them. */
  #announceEnd(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const response = this.#responseOn(socket);
      if (!response) connection.idleSince = now;
      else if (!response.headersSent) response.setHeader('connection', 'close');
    }
  }

  /** Whether an answer is being written while its request still arrives. */
  #isStreaming(socket: Socket): boolean {
    const response = this.#responseOn(socket);
    return (
      response !== undefined && response.headersSent && !response.writableEnded && !response.req.complete
    );
  }

  #stateOf(socket: Socket): ConnectionState {
    const response = this.#responseOn(socket);
    if (!response) return this.#isAnsweredEarly(socket) ? 'unfinished' : 'idle';
    return response.req.complete || response.headersSent ? 'answering' : 'unfinished';
  }

  /**
   * Ends a connection. No further request is read from it. Responses that have begun are completed; otherwise `answer` is
   * written. Then the socket is destroyed; while the server closes, not before the client could read the answer.
   *
   * @param answer for the current request, if it has none yet
   */
  #end(socket: Socket, answer: RawResponse): void {
    this.#smallChunks.leave(socket);
    if (this.#stateOf(socket) === 'answering') {
      socket.pause();
      this.#destroyWhenSilent(socket);
      return;
    }
    if (this.#isAnsweredEarly(socket) || !socket.writable) {
      socket.destroy();
      return;
    }
    this.#ended.set(socket, answer.status);
    socket.write(answer.text);
    if (this.#isClosing) {
      this.#endGently(socket);
    } else {
      // At once: only then is the memory that the request counts for given back.
      socket.pause();
      socket.setTimeout(FLUSH_MS, () => socket.destroy());
      socket.end(() => socket.destroy());
    }
  }

  /** Closes a connection at once when its last request has arrived whole: its client has nothing more to send. */
  #destroySoon(socket: Socket): void {
    if (this.#isAnsweredEarly(socket)) this.#endGently(socket);
    else Socket.prototype.destroySoon.call(socket);
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
    linger(socket, { isClosing: this.#closing });
  }

  /**
   * Answers what Node could not read as HTTP, or not in time, and ends its connection: what may follow on it cannot be
   * trusted, and the service must not carry out a request that it has answered with 408.
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
    } else if (!this.#isStreaming(socket)) {
      this.#end(socket, answer(error.code));
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
    if (this.#stateOf(socket) === 'answering') {
      // The response to the next pipelined request is the current one by then.
      this.#responseOn(socket)?.once('close', () => this.#destroyWhenSilent(socket));
    } else {
      socket.destroy();
    }
  }

  /**
   * Stops listening when the Fastify closes. Connections without a request are closed when they have been idle for as long as
   * the drain says, those with an unfinished one after a grace period; whole requests are answered first. An answer that waits
   * for its client, who neither reads it nor sends the rest of the request, is broken off.
   *
   * @param answer the response to an unfinished request
   */
  addTo(app: FastifyInstance, answer: (request: IncomingMessage) => RawResponse): void {
    app.addHook('preClose', async () => {
      await this.#acceptWaiting();
      this.#close(answer);
      // Fastify closes the first one, and then what the requests use, such as adapters.
      const [main, ...others] = this.#servers;
      const closed = Promise.all(others.map((server) => new Promise((end) => server.close(end))));
      const { close } = main!;
      main!.close = (end) => {
        close.call(main, (error) => void closed.then(() => end?.(error)));
        const held = this.#held ?? [];
        this.#held = undefined;
        for (const dispatch of held) dispatch();
        return main!;
      };
    });
  }

  /**
   * Accepts the connections that wait at the port, because the system resets them when it closes. Their requests are answered
   * after that: clients would use each answer to open another connection.
   */
  async #acceptWaiting(): Promise<void> {
    if (!this.#servers[0]?.listening) return;
    this.#held = [];
    const end = performance.now() + ACCEPTING_MS;
    let arrivals: number;
    do {
      arrivals = this.#arrivals;
      await new Promise((waited) => setTimeout(waited, QUIET_MS));
    } while (arrivals !== this.#arrivals && performance.now() < end);
  }

  #close(answer: (request: IncomingMessage) => RawResponse): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const since = performance.now();
    const { idleMs } = this.#options.drain;
    const sweep = (): void => {
      const now = performance.now();
      for (const [socket, connection] of this.#open) {
        // It has been ended, and lingers.
        if (socket.writableEnded) continue;
        const state = this.#stateOf(socket);
        if (state === 'idle') {
          connection.idleSince ??= now;
          if (now - connection.idleSince >= idleMs) socket.destroy();
        } else if (this.#isStalled(socket, connection, now)) socket.destroy();
        else if (state === 'unfinished' && now - since > UNFINISHED_MS)
          this.#end(socket, answer(connection.latest!));
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

const isUnderWay = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined && !response.writableFinished && !response.destroyed;

const tooSlow = (): Error =>
  Object.assign(new Error('The body arrives too slowly.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** A body that may arrive in many parts: its length is not known, or it is longer than most. */
const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > LONG_BODY_BYTES;
