import type { IncomingMessage } from 'node:http';
import type { Logger } from '@workspace/logging';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  fastify,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyHttpOptions,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import { allowedMethods } from './allowed-methods.ts';
import { clientErrorHandler, rawProblemResponse } from './client-error.ts';
import { Connections } from './connections.ts';
import { createDrain, type Drain } from './drain.ts';
import { type RenderProblem, renderProblemJson, replyWithProblem } from './problems/problem-reply.ts';
import {
  commonProblems,
  ProblemError,
  type ProblemOptions,
  type ProblemType,
} from './problems/problem-error.ts';
import { createProblemLog } from './problems/problem-log.ts';
import { problemOfError } from './problems/problem-of-error.ts';
import { IncomingRequest } from './incoming-request.ts';
import { requestId } from './request-id.ts';
import { recordRequestSpans, type Tracing } from './request-spans.ts';
import { LazyLogger } from './request-logger.ts';
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
  /** Called when an answer was sent to its end. */
  observe(request: FastifyRequest, reply: FastifyReply): void;
}

export interface ServiceOptions {
  logger: Logger;
  /** shared with `run`; without it the service never drains */
  drain?: Drain;
  /** counts every answer; none when left out */
  metrics?: RequestMetrics;
  /** records a span for each request; none, and no hook, when left out */
  tracing?: Tracing | undefined;
  /** the problem type of a request that violates its schema; `invalid-request` (400) when left out */
  validationProblem?: ProblemType;
  /**
   * Whether every answer has its request id (the default), or only problems and answers to a caller who sent one. An
   * answer that caches may store is better without: the id would be that of another request.
   */
  tellRequestIds?: boolean;
  /** headers and members of the 503 for a request that had begun, but had not arrived, when the service stopped */
  interrupted?: (request: IncomingMessage) => ProblemOptions;
  /** called with every problem that is answered */
  onProblem?: (error: ProblemError, request: FastifyRequest) => void;
  /** the body of every problem; RFC 9457 JSON when left out */
  renderProblem?: RenderProblem;
  /** limits and router settings that differ from the defaults */
  fastify?: Omit<
    FastifyHttpOptions<RawServerDefault>,
    'logger' | 'loggerInstance' | 'genReqId' | 'frameworkErrors'
  >;
}

/** Default limits: a slow or endless request must not hold a socket forever. */
const LIMITS = {
  bodyLimit: 1_048_576,
  requestTimeout: 30_000,
  connectionTimeout: 60_000,
  keepAliveTimeout: 72_000,
} as const;

/**
 * What makes Node hold a request to its time. Fastify sets `requestTimeout` after the server was made, when Node has
 * already settled on 60 s for headers; with that, a body that stops half-way is never timed out. Node also looks only
 * every 30 s by default.
 */
const requestClock = (requestTimeout: number) => ({
  requestTimeout,
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: Math.max(100, Math.min(1_000, Math.floor(requestTimeout / 2))),
});

/** nginx's status for a client that did not wait; no client sees it. */
const CLIENT_CLOSED_REQUEST = 499;

/** The reason that is logged when a client sends too many requests ahead of their answers. */
const TOO_MANY_WAITING = 'too many pipelined requests';

/** Fastify's codes for a body that it rejects. */
const BODY_ERROR = /^FST_ERR_(CTP_|ROUTE_MISSING_CONTENT_TYPE$)/;

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
  validationProblem = commonProblems['invalid-request'],
  tellRequestIds = true,
  interrupted = () => ({}),
  onProblem,
  renderProblem = renderProblemJson,
  fastify: more = {},
}: ServiceOptions): Service => {
  const connections = new Connections();
  const appLog = logger as FastifyBaseLogger;
  const log = createProblemLog(appLog);
  // Not by `loggerInstance`: Fastify would add two listeners and a closure to each response, for log lines that are off.
  const giveLogger = (request: FastifyRequest, reply: FastifyReply): void => {
    request.log = reply.log = new LazyLogger(appLog, { reqId: request.id });
  };
  const replyWith = (problem: ProblemError, request: FastifyRequest, reply: FastifyReply) => {
    log.report(problem, request);
    onProblem?.(problem, request);
    // Fastify would close the connection after any error in a body, and so reset it before the client has read the answer.
    reply.removeHeader('connection');
    if (drain.draining) reply.header('connection', 'close');
    if (!request.raw.complete) connections.lingerAfter(request.raw, reply.raw);
    return replyWithProblem(problem, renderProblem, request, reply);
  };

  const app: Service = fastify({
    ...LIMITS,
    logController: new LogController({ disableRequestLogging: true }),
    // Requests already on an open connection are still served while closing; `connection: close` sends the next ones elsewhere.
    return503OnClosing: false,
    clientErrorHandler: clientErrorHandler(renderProblem, connections, log),
    ...more,
    // Not Fastify's: see `Connections.watch`.
    connectionTimeout: 0,
    schemaController: {
      // Otherwise Fastify loads two compilers of its own, which take a tenth of a start and are not used.
      compilersFactory: {
        buildValidator: () => validatorCompiler() as never,
        // Not used: see `setReplySerializer` below.
        buildSerializer: () => () => JSON.stringify,
      },
    },
    http: {
      IncomingMessage: IncomingRequest,
      ...requestClock(more.requestTimeout ?? LIMITS.requestTimeout),
      ...more.http,
    },
    genReqId: requestId,
    frameworkErrors: (error, request, reply) => {
      // No hook runs for such a request.
      giveLogger(request as FastifyRequest, reply as FastifyReply);
      void replyWith(
        problemOfError(error, validationProblem),
        request as FastifyRequest,
        reply as FastifyReply,
      );
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.log = appLog;
  connections.watch(app.server, {
    silenceMs: more.connectionTimeout ?? LIMITS.connectionTimeout,
    onTooManyWaiting: () => log.unreadable(commonProblems['bad-request'], TOO_MANY_WAITING),
  });
  drain.onStart(() => connections.announceEnd());
  app.addHook('onRequest', (request, reply, done) => {
    giveLogger(request, reply);
    // Not on `raw`: one header set there sends all others down Node's slow path (a fifth of a small request).
    if (tellRequestIds || request.headers['x-request-id']) reply.header('x-request-id', request.id);
    if (drain.draining) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', (done) => {
    connections.close((raw) =>
      rawProblemResponse(new ProblemError(commonProblems.draining, interrupted(raw)), renderProblem),
    );
    done();
  });
  app.addHook('onClose', async () => log.flush());
  if (metrics) {
    app.addHook('onResponse', (request, reply, done) => {
      metrics.observe(request, reply);
      done();
    });
  }
  if (tracing) recordRequestSpans(app as unknown as FastifyInstance, tracing);
  const methodsOf = allowedMethods(app as unknown as FastifyInstance, more.routerOptions);
  const replyUnmatched = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const methods = methodsOf(request.url.split('?', 1)[0] as string);
    if (methods.length === 0) return replyWith(new ProblemError(commonProblems['not-found']), request, reply);
    const allow = methods.join(', ');
    const detail = `Allowed: ${allow}.`;
    return replyWith(
      new ProblemError(commonProblems['method-not-allowed'], { detail, headers: { allow } }),
      request,
      reply,
    );
  };
  // Response schemas describe answers in the API reference; a body is sent as its route made it.
  app.setReplySerializer((body) => JSON.stringify(body));
  app.setNotFoundHandler(replyUnmatched);
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { raw } = request;
    if (raw.destroyed && !raw.complete) {
      // Nothing reaches the client any more; the status is for the metrics.
      request.log.debug({ err: error }, 'connection closed before the request had arrived');
      return reply.code(connections.statusOfEnded(raw.socket) ?? CLIENT_CLOSED_REQUEST).send();
    }
    // Fastify checks the body before the path: an unknown path or method is the problem then.
    return request.is404 && BODY_ERROR.test(error.code)
      ? replyUnmatched(request, reply)
      : replyWith(problemOfError(error, validationProblem), request, reply);
  });
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
