// Each part of service-kit alone, on a bare Fastify.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as api from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { captureLogger, eventually } from '@workspace/testing';
import { fastify, type FastifyInstance } from 'fastify';
import {
  apiReference,
  createClientAddress,
  createDrain,
  livenessProbe,
  RateLimiter,
  rateLimitHook,
  readinessProbe,
} from '../src/index.ts';
import { createConnectionNetworks } from '../src/http/client-address.ts';
import { Connections } from '../src/http/connections/connections.ts';
import { defineProblems, ProblemError } from '../src/http/problems/problem-error.ts';
import { Problems } from '../src/http/problems/problems.ts';
import { recordRequestSpans } from '../src/http/request-spans.ts';

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

it('a problem without them', async () => {
  app = fastify();
  app.get('/', () => {
    throw new ProblemError(full, options);
  });
  const { statusCode, headers, json } = await app.inject('/');
  expect([statusCode, headers['retry-after'], json().message]).toEqual([503, '1', 'later']);
});

describe('connections', () => {
  const HEAD = 'HTTP/1.1\r\nhost: x\r\n';
  const UNFINISHED = `POST / ${HEAD}content-type: text/plain\r\ncontent-length: 1\r\n\r\n`;
  const answer = { status: 503, text: 'HTTP/1.1 503 Stopping\r\nconnection: close\r\n\r\n' };
  let drain: ReturnType<typeof createDrain>;
  let connections: Connections;
  let port: number;
  let closedForPipelining: number;
  /** requests of which Node has made objects */
  let made: number;
  /** what is closed, in this order */
  let closed: string[];

  beforeEach(async () => {
    drain = createDrain();
    closedForPipelining = made = 0;
    closed = [];
    connections = new Connections({ drain, onTooManyWaiting: () => (closedForPipelining += 1) });
    app = fastify({ serverFactory: connections.createServer, requestTimeout: 5_000 });
    connections.addTo(app, () => answer);
    app.addHook('onClose', () => void closed.push('adapters'));
    app.get('/never', () => new Promise(() => undefined));
    app.get('/slow', async () => {
      app.server.emit('slow');
      const [text] = await once(app.server, 'finish');
      return text as string;
    });
    app.get('/', () => 'here');
    app.post('/', () => 'whole');
    app.server.on('request', () => (made += 1));
    await app.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = app.server.address() as AddressInfo);
  });

  const client = async (bytes: string, host = '127.0.0.1', localAddress?: string) => {
    const socket = connect({ port, host, ...(localAddress && { localAddress }) }).setEncoding('utf8');
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
    // Not `once`, which rejects when the connection is reset, as it is while the server has not read everything.
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
    socket.write(bytes);
    return { socket, received: () => text, closed };
  };

  it('answer what has begun when the server closes', async () => {
    const silent = await client('');
    const [unfinished] = await Promise.all([client(UNFINISHED), once(app.server, 'request')]);
    drain.start();
    await app.close();
    expect(await unfinished.closed).toBe(answer.text);
    expect(await silent.closed).toBe('');
  });

  it('say that they end while draining', async () => {
    drain.start();
    const { socket, closed } = await client(`GET / ${HEAD}\r\n`);
    await once(socket, 'data');
    expect(await closed).toMatch(/connection: close\r\n[^]*here$/i);
  });

  it('have the same bounds on each address', async () => {
    app.server.maxConnections = 1;
    await connections.listenAlsoOn(['127.0.0.1', '127.0.0.2', '192.0.2.1']);
    const { closed } = await client(`GET /never ${HEAD}\r\n${`GET / ${HEAD}\r\n`.repeat(17)}`, '127.0.0.2');
    const dropped = once(app.server, 'drop');
    expect(await (await client('', '127.0.0.2')).closed).toBe('');
    await dropped;
    expect([await closed, closedForPipelining]).toEqual(['', 1]);
    const unreadable = once(app.server, 'clientError');
    const nonsense = await client('nonsense\r\n\r\n', '127.0.0.2');
    await unreadable;
    const [unfinished] = await Promise.all([client(UNFINISHED), once(app.server, 'request')]);
    await app.close();
    expect(await unfinished.closed).toBe(answer.text);
    await nonsense.closed;
    await expect(client('', '127.0.0.2')).rejects.toThrow('ECONNREFUSED');
  });

  it('leave room for others when one client takes all that it can, and none of it is lost', async () => {
    connections.limit(8, createConnectionNetworks('127.0.0.9'));
    await connections.listenAlsoOn(['127.0.0.2']);
    let dropped = 0;
    app.server.on('drop', () => (dropped += 1));
    const served = async (localAddress: string, host?: string) =>
      (await (await client(`GET / ${HEAD}connection: close\r\n\r\n`, host, localAddress)).closed) !== '';
    const flood: Awaited<ReturnType<typeof client>>[] = [];
    for (let opened = 0; opened < 12; opened += 1)
      flood.push(await client('', opened % 2 ? '127.0.0.2' : undefined, '127.0.0.3'));
    await eventually('all but its half are closed', () => dropped === 8);
    for (const host of ['127.0.0.1', '127.0.0.2']) {
      expect([await served('127.0.0.3', host), await served('127.0.0.4', host)]).toEqual([false, true]);
    }
    // A trusted proxy may have all the others.
    for (let opened = 0; opened < 3; opened += 1) await client('', undefined, '127.0.0.9');
    expect(await served('127.0.0.9')).toBe(true);
    // It ends them in three ways: by a reset, by half, and by half with a request that never ends.
    for (const [at, { socket }] of flood.entries()) {
      if (at % 3 === 0) socket.resetAndDestroy();
      else socket.end(at % 3 === 1 ? '' : UNFINISHED, () => socket.destroy());
    }
    await eventually('its share again', () => served('127.0.0.3'));
  });

  it.each(['127.0.0.1', '127.0.0.2'])('on %s are answered before the adapters close', async (host) => {
    await connections.listenAlsoOn(['127.0.0.2']);
    const [slow] = await Promise.all([client(`GET /slow ${HEAD}\r\n`, host), once(app.server, 'slow')]);
    drain.start();
    const appClosed = app.close();
    await sleep(100);
    expect(closed).toEqual([]);
    app.server.emit('finish', 'done');
    await appClosed;
    expect([await slow.closed, closed]).toEqual([expect.stringMatching(/done$/), ['adapters']]);
  });

  // Node has no documented way to stop its parser: this fails when what `IncomingRequest` does instead stops working.
  it('make Node read no further request from a connection that is closed', async () => {
    const { closed } = await client(`GET /never ${HEAD}\r\n${`GET / ${HEAD}\r\n`.repeat(1_000)}`);
    await closed;
    expect(closedForPipelining).toBe(1);
    expect(made).toBe(18);
  });
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

it('the API reference', async () => {
  const typed = fastify().withTypeProvider<TypeBoxTypeProvider>();
  app = typed as never;
  apiReference(typed, {
    title: 'Bare',
    version: '1',
    description: 'Bare.',
    tags: [{ name: 'service', description: 'Itself.' }],
  });
  typed.get('/health/live', livenessProbe());
  const { headers, json } = await typed.inject('/openapi.json');
  expect([headers['content-type'], Object.keys(json().paths)]).toEqual([
    'application/vnd.oai.openapi+json;version=3.1',
    expect.arrayContaining(['/health/live', '/openapi.json']),
  ]);
  expect((await typed.inject('/docs/nowhere')).statusCode).toBe(404);
});

it('the spans of requests', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  app = fastify();
  recordRequestSpans(app, { api, tracer: provider.getTracer('test') });
  app.get('/items/:id', () => 'here');
  await app.inject('/items/1');
  while (exporter.getFinishedSpans().length === 0) await new Promise(setImmediate);
  expect(exporter.getFinishedSpans()[0]!.name).toBe('GET /items/:id');
});
