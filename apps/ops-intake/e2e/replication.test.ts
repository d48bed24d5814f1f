import { type Cluster, describeWithKafka, startCluster, withAdmin } from '@workspace/kafka-broker';
import { captureLogger, eventually } from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { openKafkaLog } from '../src/adapters/kafka/kafka-log.ts';
import { healthOf, metricsOf, submit } from './support/client.ts';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { untilHealth } from './support/health.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

const untilStatus = (service: RunningService, status: string) =>
  eventually(`health ${status}`, async () => {
    const health = await healthOf(service);
    return health.status === status && health;
  });

describeWithKafka('the replication of the topic', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster([{}, {}]);
  });
  afterAll(() => cluster.stop());
  afterEach(killServices);

  it('keeps a record that only the leader has from being called absent', async () => {
    await cluster.brokers[0]!.createTopic('lagging', { replicationFactor: 2 });
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: cluster.bootstrapServers,
      KAFKA_TOPIC: 'lagging',
      DEADLINE_MS: '2000',
    });
    await untilHealth(service.url, 200);
    const { topics } = await withAdmin(cluster.bootstrapServers, (admin) =>
      admin.fetchTopicMetadata({ topics: ['lagging'] }),
    );
    const leader = topics[0]!.partitions[0]!.leader;
    const { logger } = captureLogger();
    const search = openKafkaLog({
      settings: {
        brokers: [cluster.brokers[leader - 1]!.bootstrapServers],
        clientId: 'search',
        topic: 'lagging',
        connectionTimeoutMs: 5_000,
        requestTimeoutMs: 5_000,
        deliveryTimeoutMs: 5_000,
      },
      limits: { queueRecords: 1, queueBytes: 1, batchRecords: 1, batchBytes: 1 },
      // The frozen broker is waited for first.
      search: { maxBytes: 1_000_000, timeoutMs: 30_000 },
      probeIntervalMs: 5_000,
      now: () => new Date(),
      logger,
    });
    const follower = cluster.brokers[2 - leader]!;
    follower.freeze();
    try {
      const answer = await submit(service);
      const { outcome, submissionId } = answer.body;
      expect(outcome).toBe('unknown');
      const query = { submissionId: submissionId!, from: new Date(Date.now() - 60_000) };
      expect(await search.find(query)).toEqual({ gap: 'not-replicated' });
      follower.thaw();
      const found = await eventually('record', async () => (await search.find(query)).found);
      expect(found).toMatchObject({ partition: 0, offset: 0 });
    } finally {
      follower.thaw();
      await search.close();
    }
  });
});

describeWithKafkaAnd(['redis-server'], 'a new key store', () => {
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

  it('does not make submissions with a key unknown while followers copy those of others', async () => {
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: cluster.bootstrapServers,
      IDEMPOTENCY_STORE_URL: redis.url,
      // Brokers on a busy machine may take long, which is not what is asked here.
      DEADLINE_MS: '60000',
      SHUTDOWN_TIMEOUT_MS: '70000',
    });
    await untilStatus(service, 'up');
    const clients = Array.from({ length: 8 }, async (_, client) => {
      const answers: unknown[] = [];
      for (let number = 0; number < 25; number += 1) {
        const answer = await submit(service, { 'idempotency-key': `${client}-${number}` });
        answers.push(answer.status === 202 ? 202 : answer.body);
      }
      return answers;
    });
    expect((await Promise.all(clients)).flat()).toEqual(Array(200).fill(202));
  });

  it('has an idle instance notice that an unclean election lost what another one had written', async () => {
    const topic = 'unclean';
    const settings = { 'min.insync.replicas': '1', 'unclean.leader.election.enable': 'true' };
    await cluster.brokers[0]!.createTopic(topic, { replicationFactor: 2, settings });
    const partitionAt = ({ bootstrapServers }: Pick<Cluster, 'bootstrapServers'>) =>
      withAdmin(bootstrapServers, (admin) => admin.fetchTopicMetadata({ topics: [topic] })).then(
        ({ topics }) => topics[0]!.partitions[0]!,
      );
    const start = () =>
      startService({
        KAFKA_BOOTSTRAP_SERVERS: cluster.bootstrapServers,
        KAFKA_TOPIC: topic,
        IDEMPOTENCY_STORE_URL: redis.url,
      });
    const [idle, writer] = [await start(), await start()];
    const post = async (): Promise<{ offset?: number; statusUrl?: string }> => {
      const answer = await submit(writer);
      return answer.status === 202 ? answer.body : {};
    };
    await eventually('202', async () => (await post()).offset === 0);
    const { leader, replicas } = await partitionAt(cluster);
    const ahead = cluster.brokers[leader - 1]!;
    const behind = cluster.brokers[replicas.find((id) => id !== leader)! - 1]!;
    behind.freeze();
    try {
      const { offset, statusUrl } = await eventually('202s of the leader alone', async () => {
        const body = await post();
        return body.offset! >= 5 && (await partitionAt(ahead)).isr.length === 1 && body;
      });
      await eventually('the idle one to have read it', async () =>
        (await (await fetch(idle.url + statusUrl)).text()).includes('"outcome":"accepted"'),
      );
      await ahead.kill();
      behind.thaw();
      await eventually('202s of the next leader', async () => (await post()).offset! > offset!);
      const { from } = await idle.logged('acknowledged records are gone');
      expect(from).toBeLessThanOrEqual(offset!);
    } finally {
      behind.thaw();
      await ahead.restart();
    }
  });
});

describeWithKafka('the replicas in sync', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.brokers[0]!.createTopic('operations', { partitions: 3 });
  });
  afterAll(() => cluster.stop());
  afterEach(killServices);

  it('are a warning with a metric while one broker of three is dead, and submissions are accepted', async () => {
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: cluster.bootstrapServers,
      KAFKA_PROBE_INTERVAL_MS: '100',
    });
    const underReplicated = async (): Promise<string | undefined> =>
      /^operations_kafka_under_replicated_partitions (.+)$/m.exec(await metricsOf(service))?.[1];
    await untilStatus(service, 'up');
    expect(await underReplicated()).toBe('0');

    await cluster.brokers[2]!.kill();
    const { checks } = await untilStatus(service, 'warn');
    expect(checks['kafka:in-sync-replicas']?.[0]?.output).toMatch(
      /^2 of 3 replicas in sync in partition \d.*if one more fails, no record can be written \(min\.insync\.replicas=2\)$/,
    );
    expect(Number(await underReplicated())).toBeGreaterThan(0);
    await service.logged('topic under-replicated');
    const answer = await submit(service);
    expect(answer.status).toBe(202);

    await cluster.brokers[2]!.restart();
    await untilStatus(service, 'up');
    await service.logged('topic fully replicated');
    expect(await underReplicated()).toBe('0');
  });
});
