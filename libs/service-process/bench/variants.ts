// A Fastify with one of the variants that compare.ts compares. It reports its port and, on request, the CPU time it used.
import { createHash } from 'node:crypto';
import bearerAuth from '@fastify/bearer-auth';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import { createLogger, requestLogger } from '@workspace/logging';
import {
  fastify,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { Histogram } from 'prom-client';
import { Connections, createDrain } from '@workspace/http-connections';
import { createRequestId, createService } from '@workspace/service-kit';
import { clientNetwork, createClientAddress } from '@workspace/service-kit/client-address';
import { RateLimiter, rateLimitHook } from '@workspace/service-kit/rate-limit';
import { createMetrics, systemClock } from '../src/index.ts';

const BODY = JSON.stringify({
  ip: '8.8.8.8',
  city: 'Mountain View',
  region: 'California',
  country: 'US',
  postal: null,
  latitude: 37.422,
  longitude: -122.085,
  timezone: 'America/Los_Angeles',
});
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' };
/** Tokens as ops-intake keeps them: the comparison does not show how much of a token is right. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
const PRINCIPALS = new Map([[digestOf('0123456789abcdef'), 'alice']]);
/** What @fastify/helmet sets by default, as one object. */
const PAGE_HEADERS = {
  'content-security-policy': "default-src 'self'; base-uri 'self'; object-src 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

const send = (reply: FastifyReply, headers: Record<string, string> = {}): FastifyReply =>
  reply
    .headers({ ...HEADERS, ...headers })
    .serializer(String)
    .send(BODY);

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
interface Variant {
  /** service-kit's when left out */
  readonly app?: () => FastifyInstance;
  readonly plugin?: (app: FastifyInstance) => unknown;
  readonly handler?: Handler;
}

const clientAddressOf = createClientAddress({ TRUST_PROXY: '' });
const client = (request: FastifyRequest): string => {
  const address = clientAddressOf(request.raw);
  return address ? clientNetwork(address) : '';
};
const limiter = new RateLimiter({
  limit: { requests: 999_999_999, per: 'minute' },
  counted: 'requests',
  problem: { code: 'rate-limited', status: 429, title: 'Too many requests' },
  clock: systemClock,
});

const logger = createLogger({ name: 'bench', level: 'error' });
const service = (): FastifyInstance => createService({ logger }) as unknown as FastifyInstance;
const logging = (options: FastifyServerOptions): FastifyInstance =>
  fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    ...options,
  });
const CONNECTION_TIMEOUT_MS = 60_000;

const VARIANTS: Readonly<Record<string, Variant>> = {
  createService: {},
  'bare Fastify': { app: () => fastify() },
  'histogram of durations: ours': {
    app: () => {
      const { observe } = createMetrics({ name: 'bench', version: '1' });
      return fastify().addHook('onRequest', (request, reply, done) => {
        const since = performance.now();
        reply.raw.on('finish', () => observe(request, reply, performance.now() - since));
        done();
      });
    },
  },
  'histogram of durations: prom-client': {
    app: () => {
      const labelNames = ['method', 'route', 'status'];
      const durations = new Histogram({ name: 'durations', help: 'of answers', labelNames });
      return fastify().addHook('onResponse', ({ method, routeOptions: { url: route = '' } }, reply, done) => {
        durations.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
        done();
      });
    },
  },
  'connections: ours': {
    app: () => {
      const connections = new Connections({ drain: createDrain() });
      return fastify({ connectionTimeout: CONNECTION_TIMEOUT_MS, serverFactory: connections.createServer });
    },
  },
  'connections: Node': { app: () => fastify({ connectionTimeout: CONNECTION_TIMEOUT_MS }) },
  'request ids: ours': { app: () => fastify({ genReqId: createRequestId() }) },
  'request ids: Fastify': { app: () => fastify({ requestIdHeader: 'x-request-id' }) },
  'request loggers: ours': {
    app: () =>
      fastify().addHook('onRequest', (request, reply, done) => {
        request.log = reply.log = requestLogger(logger, request.id) as FastifyBaseLogger;
        done();
      }),
  },
  'request loggers: Fastify': { app: () => logging({}) },
  'CORS: ours': { handler: (_request, reply) => send(reply, { 'access-control-allow-origin': '*' }) },
  'CORS: @fastify/cors': { plugin: (app) => app.register(cors, { origin: '*' }) },
  'rate limit: ours': {
    plugin: (app) => app.addHook('preHandler', rateLimitHook(limiter, client)),
  },
  'rate limit: @fastify/rate-limit': {
    plugin: (app) => app.register(rateLimit, { max: 999_999_999, timeWindow: 60_000, keyGenerator: client }),
  },
  'bearer token: ours': {
    handler: (request, reply) =>
      PRINCIPALS.has(digestOf(request.headers.authorization?.slice(7) ?? ''))
        ? send(reply)
        : reply.code(401).send(),
  },
  'bearer token: @fastify/bearer-auth': {
    plugin: (app) =>
      app.register(bearerAuth, { keys: [], auth: (token: string) => PRINCIPALS.has(digestOf(token)) }),
  },
  'page headers: ours': { handler: (_request, reply) => send(reply, PAGE_HEADERS) },
  'page headers: @fastify/helmet': { plugin: (app) => app.register(helmet) },
};

const name = process.argv[2] ?? '';
if (name === '--list') {
  console.log(JSON.stringify(Object.keys(VARIANTS)));
} else {
  const { app: create = service, plugin, handler = (_request, reply) => send(reply) } = VARIANTS[name]!;
  const app = create();
  await plugin?.(app);
  app.get('/', handler as Handler);
  process.on('message', () => process.send?.(process.cpuUsage()));
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send?.({ port: (app.server.address() as { port: number }).port });
}
