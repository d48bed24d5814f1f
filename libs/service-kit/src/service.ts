import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Connections, createDrain, type Drain, type Preface } from '@workspace/http-connections';
import { type Logger, requestLogger } from '@workspace/logging';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  fastify,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyHttpOptions,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onSendHookHandler,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import { createConnectionNetworks } from './client-address/client-address.ts';
import { commonProblems, type ProblemOptions } from './problems/problem-error.ts';
import { Problems, type ProblemsOptions } from './problems/problems.ts';
import { headViolation } from './request-head.ts';
import { createRequestId } from './request-id.ts';
import { recordRequestSpans, type Tracing } from './request-spans.ts';
import { validatorCompiler } from './validation.ts';

export type Service = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Counts what a service answers. */
export interface RequestMetrics {
  /** Called when an answer was sent to its end. @param milliseconds since its request was read */
  observe(request: FastifyRequest, reply: FastifyReply, milliseconds: number): void;
}

export interface ServiceOptions extends Omit<ProblemsOptions, 'logger' | 'statusOfEnded'> {
  logger: Logger;
  /** shared with `run`; without it the service never drains */
  drain?: Drain;
  /** counts every answer; none when left out */
  metrics?: RequestMetrics;
  /** records a span for each request; none, and no hook, when left out */
  tracing?: Tracing | undefined;
  /**
   * Whether every answer has its request id (the default), or only problems and answers to a caller who sent one. An
   * answer that caches may store is better without: the id would be that of another request.
   */
  sendRequestIds?: boolean;
  /** headers and members of the 503 for a request that had begun, but had not arrived, when the service stopped */
  interrupted?: (request: IncomingMessage) => ProblemOptions;
  /** limits and router settings that differ from the defaults */
  fastify?: Omit<
    FastifyHttpOptions<RawServerDefault>,
    'logger' | 'loggerInstance' | 'genReqId' | 'frameworkErrors' | 'clientErrorHandler' | 'serverFactory'
  >;
}

/** Lets Fastify take a request for one without a body. Called in an `onRequest` hook. */
export const ignoreBody = ({ headers }: IncomingMessage): void => {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name];
};

/** Default limits: a slow or endless request must not hold a socket forever. */
const LIMITS = {
  bodyLimit: 1_048_576,
  requestTimeout: 30_000,
  connectionTimeout: 60_000,
  keepAliveTimeout: 72_000,
} as const;

const CONNECTIONS = 'connections';

/** The reason that is logged when a client sends too many requests ahead of their answers. */
const TOO_MANY_WAITING = 'too many pipelined requests';

/**
 * A Fastify with everything the services have in common: limits and timeouts, request ids, TypeBox types, coercion of text
 * but not of JSON bodies, problem details for every error (404, 405 with `Allow`, unreadable HTTP and internal failures
 * included), and connections that close in an orderly way while draining.
 *
 * It does not listen and does no I/O: `run` does.
 */
export const createService = ({
  logger,
  drain = createDrain(),
  metrics,
  tracing,
  sendRequestIds = true,
  interrupted = () => ({}),
  fastify: more = {},
  ...problemOptions
}: ServiceOptions): Service => {
  const appLog = logger as FastifyBaseLogger;
  const problems = new Problems({
    logger: appLog,
    statusOfEnded: (socket) => connections.statusOfEnded(socket),
    ...problemOptions,
  });
  const connections = new Connections({
    drain,
    onTooManyWaiting: () => problems.reportUnreadable(commonProblems['bad-request'], TOO_MANY_WAITING),
  });
  const giveLogger = (request: FastifyRequest, reply: FastifyReply): void => {
    request.log = reply.log = requestLogger(logger, request.id) as FastifyBaseLogger;
  };
  // Without the logger: with one, Fastify times every response by two listeners. It costs a twentieth of a small request.
  const app = fastify({
    ...LIMITS,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestId(),
    // Requests already on an open connection are still served while closing; `connection: close` sends the next ones elsewhere.
    return503OnClosing: false,
    serverFactory: connections.createServer,
    clientErrorHandler: (error, socket) =>
      connections.endUnreadable(socket as Socket, error, (code) => problems.unreadable(code)),
    frameworkErrors: (error, request, reply) => {
      const [failed, answer] = [request as FastifyRequest, reply as FastifyReply];
      giveLogger(failed, answer);
      problems.frameworkErrors(error, failed, answer);
    },
    schemaController: {
      // Otherwise Fastify loads two compilers of its own, which take a tenth of a start and are not used.
      compilersFactory: {
        buildValidator: () => validatorCompiler() as never,
        // Not used: see `setReplySerializer` below.
        buildSerializer: () => () => JSON.stringify,
      },
    },
    ...more,
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Response schemas describe answers in the API reference; a body is sent as its route made it.
  app.setReplySerializer((body) => JSON.stringify(body));
  app.decorate(CONNECTIONS, connections);
  // Fastify logs a line for each address that it listens on, and has no option against it; `run` logs one line.
  app.log = Object.assign(Object.create(appLog) as FastifyBaseLogger, { info: () => undefined });

  const plain = app as unknown as FastifyInstance;
  app.addHook('preClose', () =>
    connections.prepareClose((request) => problems.interrupted(interrupted(request))),
  );
  app.addHook('onRequest', (request, reply, done) => {
    giveLogger(request, reply);
    if (metrics) {
      const since = performance.now();
      let isSent = false;
      // Not in an `onResponse` hook, for which Fastify adds and removes two listeners.
      reply.raw.on('finish', () => {
        // Twice by `app.inject()`.
        if (!isSent) metrics.observe(request, reply, performance.now() - since);
        isSent = true;
      });
    }
    // Not on `raw`: one header set there sends all others down Node's slow path (a fifth of a small request).
    if (sendRequestIds || request.headers['x-request-id']) reply.header('x-request-id', request.id);
    const violation = headViolation(request.raw);
    // Otherwise Fastify reads and checks the body before the path.
    if (request.is404) ignoreBody(request.raw);
    // What follows on the connection may be part of the body.
    if (violation) reply.raw.setHeader('connection', 'close');
    done(violation);
  });
  // Fastify says 0 in the answer to HEAD; where there is a length, it is that of the answer to GET with 200 (RFC 9110, 8.6).
  app.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') route.onSend = [route.onSend ?? [], withoutLengthOf304].flat();
  });
  problems.addTo(plain, more.routerOptions);
  if (tracing) recordRequestSpans(plain, tracing);
  if (logger.isLevelEnabled('debug')) {
    app.addHook('onResponse', (request, reply, done) => {
      const { method, routeOptions } = request;
      const fields = { method, route: routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime };
      request.log.debug(fields, 'request');
      done();
    });
  }
  return app;
};

const withoutLengthOf304: onSendHookHandler = (_request, reply, payload, done) => {
  if (reply.statusCode === 304) reply.removeHeader('content-length');
  done(null, payload);
};

/** Closes connections beyond MAX_CONNECTIONS, or beyond the share of their client. Proxies in TRUST_PROXY have no share. */
export const limitConnections = (
  app: Service,
  { MAX_CONNECTIONS, TRUST_PROXY = '' }: { MAX_CONNECTIONS: number; TRUST_PROXY?: string },
): void =>
  app.getDecorator<Connections>(CONNECTIONS).limit(MAX_CONNECTIONS, createConnectionNetworks(TRUST_PROXY));

/** Reads `preface` on each connection before HTTP. */
export const beginConnectionsWith = (app: Service, preface: Preface): void =>
  app.getDecorator<Connections>(CONNECTIONS).beginWith(preface);

/** Opens the port of a service, with `localhost` on all addresses of that name; returns its URL, with `0.0.0.0` or `[::]` for all interfaces. */
export const listen = async (app: Service, port: number, host: string): Promise<string> => {
  await app.listen({ port, host });
  const { address, family, port: opened } = app.server.address() as AddressInfo;
  if (host === 'localhost') {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    await app.getDecorator<Connections>(CONNECTIONS).listenAlsoOn(addresses);
  }
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}`;
};
