import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** OpenTelemetry's API, loaded only while traces are recorded. */
export type OpenTelemetryApi = typeof import('@opentelemetry/api');

/** What is needed to record spans: `tracer.startSpan()`, with the API for propagation and constants. */
export interface Tracing {
  readonly api: OpenTelemetryApi;
  readonly tracer: Tracer;
  /** the context of the request that the running code handles */
  readonly active: AsyncLocalStorage<Context>;
}

const LEAST_SERVER_ERROR = 500;

/**
 * Records a server span for each request, child of the caller's `traceparent`, by the semantic conventions for HTTP. The
 * handler runs in the span's context.
 *
 * The path itself is never recorded, only the route (`http.route`): a path may hold what must not be stored, such as the
 * address that ip-locate is asked for. The caller's address is left out for the same reason.
 */
export const recordRequestSpans = (app: FastifyInstance, { api, tracer, active }: Tracing): void => {
  const contexts = new WeakMap<FastifyRequest, Context>();

  const attributesOf = (request: FastifyRequest, route: string | undefined) => ({
    'http.request.method': request.method,
    'url.scheme': request.protocol,
    'server.address': request.hostname,
    'network.protocol.version': request.raw.httpVersion,
    ...(route !== undefined && { 'http.route': route }),
    ...(request.headers['user-agent'] && { 'user_agent.original': request.headers['user-agent'] }),
  });

  const end = (span: Span, reply: FastifyReply): void => {
    const { statusCode, raw } = reply;
    const isAborted = !raw.writableEnded;
    span.setAttribute('http.response.status_code', statusCode);
    if (isAborted || statusCode >= LEAST_SERVER_ERROR) {
      span.setAttribute('error.type', isAborted ? 'aborted' : String(statusCode));
      span.setStatus({ code: api.SpanStatusCode.ERROR });
    }
    span.end();
  };

  app.addHook('onRequest', (request, reply, done) => {
    const parent = api.propagation.extract(api.ROOT_CONTEXT, request.headers);
    const route = request.is404 ? undefined : request.routeOptions.url;
    const name = route === undefined ? request.method : `${request.method} ${route}`;
    const options = { kind: api.SpanKind.SERVER, attributes: attributesOf(request, route) };
    const span = tracer.startSpan(name, options, parent);
    const context = api.trace.setSpan(parent, span);
    contexts.set(request, context);
    reply.raw.once('close', () => end(span, reply));
    active.run(context, done);
  });
  // A body arrives by events, which lose the context.
  app.addHook('preHandler', (request, _reply, done) => {
    active.run(contexts.get(request)!, done);
  });
};
