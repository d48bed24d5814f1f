import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { builtFile, startServiceProcess } from '@workspace/testing';
import { submit } from './support/client.ts';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { killServices, startService } from './support/service.ts';

const post = async (url: string, headers?: Record<string, string>): Promise<number> =>
  (await submit({ url }, headers)).status;
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

afterEach(killServices);

describeWithKafka('a new instance with Kafka', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker();
    await broker.createTopic('operations', { partitions: 3 });
  });
  afterAll(() => broker.stop());

  it('accepts submissions from its first answer on', async () => {
    for (let start = 0; start < 3; start++) {
      const service = await startService({
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      });
      expect(await post(service.url)).toBe(202);
      expect(await statusOf(`${service.url}/health`)).toBe(200);
      expect(await service.stop()).toBe(0);
    }
  });

  it('does so even if it asks two frozen brokers first', async () => {
    const frozen = await Promise.all([startSilentServer(), startSilentServer()]);
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: [...frozen.map(({ address }) => address), broker.bootstrapServers].join(),
    });
    expect(await post(service.url)).toBe(202);
    expect(await service.stop()).toBe(0);
    for (const { close } of frozen) close();
  });
});

/** Takes connections and says nothing, as a frozen broker does. */
const startSilentServer = async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => void server.close() };
};

/** A way to a server that needs so many milliseconds until it passes anything on. */
const slowLinkTo = async (url: string, delayMs: number) => {
  const link = createServer((near) => {
    near.on('error', () => undefined).pause();
    void sleep(delayMs).then(() => {
      const far = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => near.destroy());
      near.pipe(far).pipe(near);
    });
  }).listen(0, '127.0.0.1');
  await once(link, 'listening');
  return { url: `redis://127.0.0.1:${(link.address() as AddressInfo).port}`, close: () => link.close() };
};

describeWithKafkaAnd(['redis-server'], 'a new instance with a slow key store', () => {
  let broker: StandaloneBroker;
  let redis: RedisServer;
  beforeAll(async () => {
    [broker, redis] = await Promise.all([startBroker(), startRedis()]);
    await broker.createTopic('operations', { partitions: 3 });
  });
  afterAll(async () => {
    await Promise.all([broker.stop(), redis.stop()]);
  });

  it('accepts submissions with a key from its first answer on', async () => {
    const link = await slowLinkTo(redis.url, 2_500);
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      IDEMPOTENCY_STORE_URL: link.url,
    });
    expect(await post(service.url, { 'idempotency-key': 'first' })).toBe(202);
    expect(await service.stop()).toBe(0);
    link.close();
  });
});

describe('a new instance without Kafka', () => {
  let silent: Awaited<ReturnType<typeof startSilentServer>>;
  /** more than main.ts waits for the first probe, so that its limit decides and not the probe */
  const patient = { KAFKA_REQUEST_TIMEOUT_MS: '60000', KAFKA_CONNECTION_TIMEOUT_MS: '60000' };
  beforeAll(async () => {
    silent = await startSilentServer();
  });
  afterAll(() => silent.close());

  it('starts anyway, and /health says why it is down', async () => {
    const service = await startService({ KAFKA_BOOTSTRAP_SERVERS: silent.address, ...patient });
    expect(await statusOf(`${service.url}/health`)).toBe(503);
    expect(await post(service.url)).toBe(503);
    expect(await statusOf(`${service.managementUrl}/health/live`)).toBe(200);
    // It can answer, and its answer says more than a load balancer's would.
    expect(await statusOf(`${service.managementUrl}/health/ready`)).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it('can be stopped while it waits for Kafka', async () => {
    const service = startServiceProcess({
      args: [builtFile('ops-intake')],
      env: { KAFKA_BOOTSTRAP_SERVERS: silent.address, MANAGEMENT_PORT: '0', ...patient },
    });
    await service.logged('management listening');
    expect(service.lines.map(({ msg }) => msg)).not.toContain('ready for requests');
    expect(await service.stop()).toBe(0);
  });
});
