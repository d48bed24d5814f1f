// Each part of service-kit alone, on a bare Fastify.
import { AsyncLocalStorage } from 'node:async_hooks';
import * as api from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { createDrain } from '@workspace/http-connections';
import { captureLogger } from '@workspace/testing';
import { fastify, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { createClientAddress } from '../src/client-address/index.ts';
import { livenessProbe, readinessProbe } from '../src/index.ts';
import { RateLimiter, rateLimitHook } from '../src/rate-limit/index.ts';
import { defineProblems, ProblemError } from '../src/problems/problem-error.ts';
import { Problems } from '../src/problems/problems.ts';
import { recordRequestSpans } from '../src/request-spans.ts';

const { full } = defineProblems({ full: { status: 503, title: 'Full' } });
const options = { detail: 'later', headers: { 'retry-after': '1' } };

let app: FastifyInstance;
afterEach(() => app.close());

it('problems', async () => {
  const { logger, lines } = captureLogger();
  const problems = new Problems({ logger });
  app = fastify({ frameworkErrors: problems.frameworkErrors });
  problems.addTo(app);
  const querystring = { type: 'object', properties: { n: { type: 'integer' } } };
  app.get('/', { schema: { querystring } }, () => {
    throw new ProblemError(full, options);
  });
  const codeOf = async (method: 'GET' | 'PUT', url: string) =>
    (await app.inject({ method, url })).json().type;
  expect(await codeOf('GET', '/')).toBe('urn:problem-type:full');
  expect(await codeOf('PUT', '/')).toBe('urn:problem-type:method-not-allowed');
  expect(await codeOf('GET', '/nowhere')).toBe('urn:problem-type:not-found');
  expect(await codeOf('GET', '/?n=x')).toBe('urn:problem-type:invalid-request');
  expect(problems.unreadable('HPE_INVALID_METHOD').text).toContain('"type":"urn:problem-type:bad-request"');
  expect(lines).toEqual([expect.objectContaining({ reason: 'HPE_INVALID_METHOD' })]);
  expect(await codeOf('GET', '/%zz')).toBe('urn:problem-type:bad-request');
});

it('problems that cannot be written, also of a path that Fastify cannot read', async () => {
  const { logger, lines } = captureLogger();
  const problems = new Problems({
    logger,
    renderProblem: (problem, request) => {
      const { name = 'no name' } = request!.query as { name?: string };
      if (/^.(?:%ff|no)/.test(request!.url)) throw new Error('not written');
      return { contentType: 'text/plain', body: `${problem.title}: ${name}` };
    },
  });
  app = fastify({ loggerInstance: logger as FastifyBaseLogger, frameworkErrors: problems.frameworkErrors });
  problems.addTo(app);
  expect((await app.inject('/%zz?name=a')).body).toBe('Bad request: no name');
  for (const path of ['/%ff', '/nowhere']) {
    const failed = await app.inject(path);
    expect([failed.statusCode, failed.json().type]).toEqual([500, 'urn:problem-type:internal-error']);
  }
  expect(lines).toContainEqual(
    expect.objectContaining({ err: expect.objectContaining({ message: 'not written' }) }),
  );
});

it('a problem without them', async () => {
  app = fastify();
  app.get('/', () => {
    throw new ProblemError(full, options);
  });
  const { statusCode, headers, json } = await app.inject('/');
  expect([statusCode, headers['retry-after'], json().message]).toEqual([503, '1', 'later']);
});

it('rate limits', async () => {
  const limiter = new RateLimiter({
    limit: { requests: 1, per: 'minute' },
    counted: 'requests',
    problem: full,
    clock: () => new Date(0),
  });
  app = fastify();
  app.get('/', { preHandler: rateLimitHook(limiter, () => 'client') }, () => 'here');
  expect((await app.inject('/')).headers['ratelimit']).toBe('"requests";r=0;t=60');
  const limited = await app.inject('/');
  expect([limited.statusCode, limited.headers['retry-after']]).toEqual([503, '60']);
});

it('the client’s address', async () => {
  const clientAddressOf = createClientAddress({ TRUST_PROXY: 'loopback' });
  app = fastify();
  app.get('/', ({ raw }) => clientAddressOf(raw)?.text);
  expect((await app.inject({ url: '/', headers: { 'x-forwarded-for': '192.0.2.1' } })).body).toBe(
    '192.0.2.1',
  );
});

it('health probes', async () => {
  const drain = createDrain();
  app = fastify();
  app.get('/health/live', livenessProbe());
  app.get('/health/ready', readinessProbe({ drain, ready: () => ({ ready: true }) }));
  const ask = async (path: string) => {
    const { statusCode, json } = await app.inject(`/health/${path}`);
    return [statusCode, json()];
  };
  expect([await ask('live'), await ask('ready')]).toEqual([
    [200, { status: 'pass' }],
    [200, { ready: true }],
  ]);
  drain.start();
  expect(await ask('ready')).toEqual([503, { ready: false, reason: 'draining' }]);
});

it('the spans of requests', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  app = fastify();
  recordRequestSpans(app, { api, tracer: provider.getTracer('test'), active: new AsyncLocalStorage() });
  app.get('/items/:id', () => 'here');
  await app.inject('/items/1');
  while (exporter.getFinishedSpans().length === 0) await new Promise(setImmediate);
  expect(exporter.getFinishedSpans()[0]!.name).toBe('GET /items/:id');
});
