import { startCluster, type Cluster } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { healthOf, metricsOf, submit } from './support/client.ts';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { untilHealth } from './support/health.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

/** Longer than a rejection was shown for. */
const A_WHILE_MS = 8_000;

const post = async (service: RunningService, key: string): Promise<number> =>
  (await submit(service, { 'idempotency-key': key })).status;
const untilOutage = (service: RunningService, output: RegExp) =>
  eventually('outage', async () => {
    const health = await healthOf(service);
    return output.test(health.checks['service:submissions']?.[0]?.output ?? '') && health;
  });
const failedBy = async (service: RunningService, cause: string): Promise<number> => {
  const text = await metricsOf(service);
  return Number(new RegExp(`_submissions_failed_total\\{cause="${cause}"\\} (\\d+)`).exec(text)?.[1]);
};

describeWithKafkaAnd(['redis-server'], 'an outage of what clients get', () => {
  let cluster: Cluster;
  let redis: RedisServer;
  beforeAll(async () => {
    cluster = await startCluster();
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis.stop();
    await cluster.stop();
  });
  afterEach(killServices);
  const start = (topic: string, env: Record<string, string> = {}): Promise<RunningService> =>
    startService({ KAFKA_BOOTSTRAP_SERVERS: cluster.bootstrapServers, KAFKA_TOPIC: topic, ...env });

  it('is down in /health while a new key store needs the brokers of which two of three are dead', async () => {
    await cluster.brokers[0]!.createTopic('two-dead', { partitions: 3, replicationFactor: 3 });
    const service = await start('two-dead', { IDEMPOTENCY_STORE_URL: redis.url });
    await eventually('202', async () => (await post(service, 'first')) === 202);
    // The controllers, too, so that the broker that is left does not learn that the others are gone.
    await Promise.all([cluster.brokers[1]!.kill(), cluster.brokers[2]!.kill()]);
    const clients = { number: 0, statuses: new Set<number>(), done: false };
    const posting = (async () => {
      for (; !clients.done; clients.number += 1)
        clients.statuses.add(await post(service, `key-${clients.number}`));
    })();
    const health = await untilOutage(service, /cannot be searched for their Idempotency-Keys/);
    expect(health.status).toBe('down');
    expect(await failedBy(service, 'search')).toBeGreaterThan(0);
    clients.done = true;
    await posting;
    expect([...clients.statuses]).toEqual([503]);
    // It stays down when no submissions arrive any more.
    await new Promise((resolve) => setTimeout(resolve, A_WHILE_MS));
    expect((await fetch(`${service.url}/health`)).status).toBe(503);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    // Behind a load balancer that asks /health, no submission arrives before it is up.
    await Promise.all([cluster.brokers[1]!.restart(), cluster.brokers[2]!.restart()]);
    await untilHealth(service.url, 200);
    await eventually('202', async () => (await post(service, 'last')) === 202);
  });
});
