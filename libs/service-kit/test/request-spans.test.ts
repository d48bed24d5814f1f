import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect } from 'node:net';
import * as api from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { captureLogger } from '@workspace/testing';
import { createService, type Service } from '../src/index.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`;

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const active = new AsyncLocalStorage<api.Context>();
const tracing = { api, tracer: provider.getTracer('test'), active };

/** The spans, once so many have ended: an answer arrives before its span is exported. */
const spans = async (count: number) => {
  while (exporter.getFinishedSpans().length < count) await new Promise(setImmediate);
  return exporter.getFinishedSpans();
};

let app: Service;
beforeAll(() => {
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
beforeEach(() => {
  exporter.reset();
  app = createService({ logger: captureLogger().logger, tracing });
  app.get('/items/:id', () => ({ ok: true }));
  app.post('/items', () => ({ spanId: api.trace.getSpanContext(active.getStore()!)?.spanId }));
  app.get('/broken', () => {
    throw new Error('broken');
  });
  app.get('/endless', () => new Promise(() => undefined));
});
afterEach(() => app.close());

describe('a service with tracing', () => {
  it('records a server span as child of the caller’s, with the route and never the path', async () => {
    await app.inject({
      url: '/items/203.0.113.7?key=secret',
      headers: { traceparent: TRACEPARENT, 'user-agent': 'test', host: 'items.example' },
    });
    const [span] = await spans(1);
    expect(span).toMatchObject({
      name: 'GET /items/:id',
      kind: api.SpanKind.SERVER,
      parentSpanContext: { traceId: TRACE, spanId: CALLER },
      status: { code: api.SpanStatusCode.UNSET },
    });
    expect(span!.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/items/:id',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'server.address': 'items.example',
      'network.protocol.version': '1.1',
      'user_agent.original': 'test',
    });
    expect(JSON.stringify([span!.name, span!.attributes])).not.toMatch(/203\.0\.113\.7|secret/);
  });

  it('runs the handler in the span’s context, also after a body that arrives late', async () => {
    const address = await app.listen({ port: 0 });
    const socket = connect(Number(new URL(address).port), '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    const begun = once(app.server, 'request');
    const head = 'POST /items HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 7\r\n';
    socket.write(`${head}\r\n"be`);
    await begun;
    await new Promise(setImmediate);
    socket.write('gun"');
    const [answer] = (await once(socket, 'data')) as [string];
    socket.destroy();
    const [span] = await spans(1);
    expect(answer).toContain(`{"spanId":"${span!.spanContext().spanId}"}`);
    expect(span!.parentSpanContext).toBeUndefined();
  });

  it('marks answers of 500 as errors, and no answer to a mistake of the caller', async () => {
    await app.inject('/broken');
    await app.inject('/nowhere/203.0.113.7');
    const [broken, nowhere] = await spans(2);
    expect(broken).toMatchObject({
      status: { code: api.SpanStatusCode.ERROR },
      attributes: { 'http.response.status_code': 500, 'error.type': '500' },
    });
    expect(nowhere).toMatchObject({
      name: 'GET',
      status: { code: api.SpanStatusCode.UNSET },
      attributes: { 'http.response.status_code': 404 },
    });
  });

  it('ends the span of a caller who leaves', async () => {
    const address = await app.listen({ port: 0 });
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    await once(socket, 'connect');
    const handled = new Promise((resolve) => app.server.once('request', resolve));
    socket.write('GET /endless HTTP/1.1\r\nhost: x\r\n\r\n');
    await handled;
    socket.resetAndDestroy();
    const [span] = await spans(1);
    expect(span).toMatchObject({ name: 'GET /endless', attributes: { 'error.type': 'aborted' } });
  });
});

describe('a service without tracing', () => {
  it('has no hook for it', async () => {
    const hooksOf = async (service: Service) => {
      await service.ready();
      const symbol = Object.getOwnPropertySymbols(service).find(
        ({ description }) => description === 'fastify.hooks',
      );
      const hooks = (service as unknown as Record<symbol, Record<string, unknown[]>>)[symbol!]!;
      return Object.fromEntries(
        ['onRequest', 'preHandler', 'onResponse'].map((name) => [name, hooks[name]!.length]),
      );
    };
    const { logger } = captureLogger();
    expect(await hooksOf(createService({ logger }))).toEqual({ onRequest: 1, preHandler: 0, onResponse: 0 });
    expect(await hooksOf(createService({ logger, tracing }))).toEqual({
      onRequest: 2,
      preHandler: 1,
      onResponse: 0,
    });
  });
});
