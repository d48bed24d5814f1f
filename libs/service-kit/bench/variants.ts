// A service with one of the variants that plugins.ts compares. It reports its port and, on request, the CPU time it used.
import { createHash } from 'node:crypto';
import bearerAuth from '@fastify/bearer-auth';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import { createLogger } from '@workspace/logging';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  clientNetwork,
  createClientAddress,
  createService,
  RateLimiter,
  rateLimitHook,
  systemClock,
} from '../src/index.ts';

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

const VARIANTS: Readonly<Record<string, Variant>> = {
  nothing: {},
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
  const { plugin, handler = (_request, reply) => send(reply) } = VARIANTS[name]!;
  const app = createService({ logger: createLogger({ name: 'bench', level: 'error' }) });
  await plugin?.(app as unknown as FastifyInstance);
  app.get('/', handler as Handler);
  process.on('message', () => process.send?.(process.cpuUsage()));
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send?.({ port: (app.server.address() as { port: number }).port });
}
