import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { kafkaAvailable, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import {
  builtFile,
  describeWith,
  type ServiceProcess,
  startServiceProcess,
  eventually,
} from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { type Collector, startCollector } from './support/collector.ts';
import type { App } from './support/service.ts';

const SERVER = 2;
const CLIENT = 3;
const PRODUCER = 4;
const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';

/** The first run on a machine builds the collector. */
const BUILD_MS = 1_500_000;

const running: ServiceProcess[] = [];
const run = (app: App, env: Record<string, string>, loader: readonly string[] = []): ServiceProcess => {
  const main = builtFile(app);
  const service = startServiceProcess({ args: [...loader, main], env });
  running.push(service);
  return service;
};
afterEach(async () => {
  for (const service of running.splice(0)) {
    service.child.kill('SIGKILL');
    await service.exited;
  }
});

let traces = 0;
/** A caller's trace of its own. */
const caller = () => {
  traces += 1;
  const traceId = `4bf92f3577b34da6a3ce929d${traces.toString(16).padStart(8, '0')}`;
  const spanId = '00f067aa0ba902b7';
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
};

const post = (url: string, headers: Record<string, string>) =>
  fetch(`${url}/operations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: ONE_BUY,
  });

/** Resolves when the service has found its broker and its store: /health says `up`, without a warning. */
const untilUp = (url: string): Promise<boolean> =>
  eventually('health up', async () => {
    const health = (await (await fetch(`${url}/health`)).json()) as { status: string };
    return health.status === 'up';
  });

const kafka = kafkaAvailable();
if (!kafka.ok) console.warn(`ops-intake is not traced here: ${kafka.missing}`);

describeWith(['go', 'redis-server'], 'OpenTelemetry, seen in a real collector', () => {
  let collector: Collector;
  beforeAll(async () => {
    collector = await startCollector();
  }, BUILD_MS);
  afterAll(() => collector?.stop());

  const exporting = () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });

  (kafka.ok || process.env['CI'] ? describe : describe.skip)('of ops-intake', () => {
    let broker: StandaloneBroker;
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
      broker = await startBroker();
    });
    afterAll(async () => {
      await broker?.stop();
      await redis?.stop();
    });

    it('continues the caller’s trace over HTTP, Redis and Kafka into the record', async () => {
      const service = run('ops-intake', {
        ...exporting(),
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
        IDEMPOTENCY_STORE_URL: redis.url,
      });
      const { traceId, spanId, traceparent } = caller();
      const headers = { traceparent, tracestate: 'vendor=1', 'idempotency-key': 'telemetry' };
      await untilUp(await service.url());
      const answer = await post(await service.url(), headers);
      expect(answer.status).toBe(202);
      const { submissionId, partition, offset } = (await answer.json()) as Record<string, unknown>;

      // The request, one command that claims the key and one that completes it, the record. By kind: a command may be sent again.
      const spans = await collector.trace(traceId, [SERVER, CLIENT, CLIENT, PRODUCER]);
      const [request] = spans.filter(({ kind }) => kind === SERVER);
      expect(request).toMatchObject({
        name: 'POST /operations',
        parentSpanId: spanId,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/operations',
          'http.response.status_code': 202,
        },
        resource: { 'service.name': 'ops-intake', 'deployment.environment.name': 'test' },
      });
      const [produce] = spans.filter(({ kind }) => kind === PRODUCER);
      expect(produce).toMatchObject({
        name: 'send operations',
        parentSpanId: request!.spanId,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.destination.name': 'operations',
          'messaging.destination.partition.id': String(partition),
          'messaging.kafka.offset': offset,
          'messaging.kafka.message.key': submissionId,
        },
      });
      const commands = spans.filter(({ kind }) => kind === CLIENT);
      // A command that Redis does not answer in time is sent again, on a busy machine.
      expect(commands.length).toBeGreaterThanOrEqual(2);
      expect(new Set(commands.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request!.spanId]));
      expect(commands[0]).toMatchObject({ attributes: { 'db.system.name': 'redis' } });

      const [record] = await broker.consume('operations');
      expect(record).toMatchObject({
        key: submissionId,
        headers: { traceparent: `00-${traceId}-${produce!.spanId}-01`, tracestate: 'vendor=1' },
      });

      const ours = { 'service.name': 'ops-intake' };
      const acknowledged = await collector.point(
        ({ name, attributes, resource, value }) =>
          name === 'operations_records_total' &&
          attributes['outcome'] === 'acknowledged' &&
          resource['service.name'] === ours['service.name'] &&
          value > 0,
      );
      expect(acknowledged.value).toBe(1);
      expect(await service.stop()).toBe(0);
    });

    it('loses nothing while the collector is gone', async () => {
      const service = run('ops-intake', {
        ...exporting(),
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
        KAFKA_TOPIC: 'without-collector',
      });
      const url = await service.url();
      await untilUp(url);
      const answers = await Promise.all(Array.from({ length: 50 }, () => post(url, caller())));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      await service.logged('telemetry cannot be exported; dropping it', 2);
      expect(await service.stop()).toBe(0);
      expect(await broker.consume('without-collector')).toHaveLength(answers.length);
    });
  });

  it.each([
    ['release-web', '/releases/branches.php', '/releases/branches.php'],
    ['ip-locate', '/8.8.8.8/json/?callback=f', /^\/:\w+\/json/],
  ] as const)('continues the caller’s trace in %s, and gets its metrics', async (app, path, route) => {
    const service = run(app, exporting());
    const { traceId, spanId, traceparent } = caller();
    const answer = await fetch((await service.url()) + path, { headers: { traceparent } });
    expect(answer.status).toBe(200);
    const [span] = await collector.trace(traceId, [SERVER]);
    expect(span).toMatchObject({
      kind: SERVER,
      parentSpanId: spanId,
      attributes: { 'http.response.status_code': 200 },
      resource: { 'service.name': app },
    });
    expect(span!.attributes['http.route']).toMatch(route);
    const requests = await collector.point(
      ({ name, resource, value }) =>
        name === 'http_request_duration_seconds' && resource['service.name'] === app && value > 0,
    );
    expect(requests.attributes).toMatchObject({ method: 'GET', status: 200 });
    await service.stop();
    // ip-locate stores no address, and neither does a collector.
    expect(JSON.stringify(collector.spans)).not.toContain('8.8.8.8');
  });

  it('leaves the traces out that the sampler leaves out', async () => {
    const service = run('ip-locate', { ...exporting(), OTEL_METRICS_EXPORTER: 'none' });
    const url = await service.url();
    const [unsampled, sampled] = [caller(), caller()];
    const ask = (traceparent: string) => fetch(`${url}/8.8.8.8/json/`, { headers: { traceparent } });
    await ask(unsampled.traceparent.replace(/01$/, '00'));
    await ask(sampled.traceparent);
    await collector.trace(sampled.traceId, [SERVER]);
    expect(collector.spans.filter(({ traceId }) => traceId === unsampled.traceId)).toEqual([]);
    expect(await service.stop()).toBe(0);
  });

  it('exports what is left when the service stops', async () => {
    const service = run('ip-locate', { ...exporting(), OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    const { traceId, traceparent } = caller();
    await fetch(`${await service.url()}/8.8.8.8/json/`, { headers: { traceparent } });
    expect(await service.stop()).toBe(0);
    expect(await collector.trace(traceId, [SERVER])).toHaveLength(1);
  });
});

const REQUESTS = 300;

it.each(['is not there', 'never answers'])('answers every request while the collector %s', async (how) => {
  const held: Socket[] = [];
  const silent = createServer((socket) => held.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const port = how === 'never answers' ? (silent.address() as AddressInfo).port : 9;
  const service = run('ip-locate', {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '50',
  });
  const url = await service.url();
  for (let request = 0; request < REQUESTS; request += 1) {
    expect((await fetch(`${url}/8.8.8.8/json/`)).status).toBe(200);
  }
  await service.logged('telemetry cannot be exported; dropping it', 2);
  // 1 when it waits for the collector until SHUTDOWN_TIMEOUT_MS.
  expect(await service.stop()).toBe(0);
  silent.close();
  // Nothing was read from them, so they do not notice that the other side has gone.
  for (const socket of held) socket.destroy();
  // A line a signal, not a request.
  const warnings = service.lines.filter(
    ({ level, msg }) => level !== 'info' && !msg.startsWith('the bundled data is old'),
  );
  expect(warnings.map(({ msg, signal }) => [msg, signal]).sort()).toEqual([
    ['telemetry cannot be exported; dropping it', 'metrics'],
    ['telemetry cannot be exported; dropping it', 'traces'],
  ]);
});

/** Writes, when the process ends, which files of the build it loaded. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({
    load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write(JSON.stringify(loaded)));
`)}`;

/** Packages of OpenTelemetry in these files: esbuild puts a comment with the path before each module that it bundles. */
const openTelemetryIn = (urls: readonly string[]): string[] => {
  const texts = urls
    .filter((url) => url.startsWith('file:'))
    .map((url) => readFileSync(fileURLToPath(url), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(/^ *\/\/ \S*\/(@opentelemetry\/[^/]+)\//gm)]);
  return [...new Set(names.map(([, name]) => String(name)))].sort();
};

describe.each(['release-web', 'ops-intake', 'ip-locate'] as const)('%s', (app) => {
  const loadedBy = async (env: Record<string, string>): Promise<string[]> => {
    const service = run(app, { KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9', ...env }, ['--import', RECORDER]);
    await service.url();
    expect(await service.stop()).toBe(0);
    return openTelemetryIn(JSON.parse(service.stderr()) as string[]);
  };

  it('loads nothing of OpenTelemetry while it is off', async () => {
    // prom-client itself imports the interfaces, for its exemplars.
    expect(await loadedBy({ OTEL_SERVICE_NAME: 'a name switches nothing on' })).toEqual([
      '@opentelemetry/api',
    ]);
    const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' };
    expect(await loadedBy(disabled)).toEqual(['@opentelemetry/api']);
  });

  it('loads it when it is on', async () => {
    const on = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    expect(await loadedBy(on)).toContain('@opentelemetry/sdk-trace');
  });
});
