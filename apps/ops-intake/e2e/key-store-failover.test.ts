import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { MASTER_NAME, type RedisGroup, startRedisCluster, startSentinels } from '@workspace/testing/stores';
import { healthOf, metricsOf, outputOf, submit } from './support/client.ts';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { type RunningService, startService } from './support/service.ts';

const CLIENTS = 8;

/** Clients that send a new key after each 202, and the same key again, to either instance, after anything else. */
const startLoad = (services: readonly RunningService[], topic: string) => {
  const acknowledged: string[] = [];
  const others: Record<string, number> = {};
  let keys = 0;
  let isOver = false;
  const submitTo = async (key: string, attempt: number): Promise<boolean> => {
    const service = services[attempt % services.length]!;
    const answer = await submit(service, { 'idempotency-key': key });
    const { type = '' } = answer.body;
    if (answer.status === 202) return true;
    const name = `${answer.status} ${type.replace('urn:problem-type:', '')}`;
    others[name] = (others[name] ?? 0) + 1;
    return false;
  };
  const client = async (number: number): Promise<void> => {
    while (!isOver) {
      const key = `${topic}-${(keys += 1)}`;
      let attempt = number;
      await eventually(`202 for ${key}`, () => submitTo(key, (attempt += 1)));
      acknowledged.push(key);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  return {
    acknowledged,
    others,
    more: (count: number) => {
      const until = acknowledged.length + count;
      return eventually(`${count} more`, () => acknowledged.length >= until);
    },
    /** Ends the load; then every key is sent again to every instance, as a client does that never saw its answer. */
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      for (const key of acknowledged) {
        for (const attempt of services.keys())
          await eventually(`202 for ${key}`, () => submitTo(key, attempt));
      }
    },
  };
};

describeWithKafkaAnd(['redis-server'], 'keys through a failover of their store', () => {
  let broker: StandaloneBroker;
  let topics = 0;
  let ends: (() => unknown)[] = [];
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker.stop());
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    ends = [];
  });

  const setUp = async (
    startGroup: () => Promise<RedisGroup>,
    url: (hosts: string) => string,
    durability: string,
  ) => {
    const topic = `failover-${(topics += 1)}`;
    await broker.createTopic(topic, { settings: { 'message.timestamp.before.max.ms': '11000' } });
    const group = await startGroup();
    ends.push(() => group.stop());
    const services = await Promise.all(
      [0, 1].map(() =>
        startService({
          KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
          KAFKA_TOPIC: topic,
          IDEMPOTENCY_STORE_URL: url(group.hosts),
          IDEMPOTENCY_STORE_DURABILITY: durability,
          IDEMPOTENCY_STORE_TIMEOUT_MS: '1500',
          // After a loss, keys wait for as long as something unknown may be on its way: 12 s, and not 36.
          KAFKA_DELIVERY_TIMEOUT_MS: '6000',
        }),
      ),
    );
    for (const service of services) {
      ends.push(async () => {
        service.signal('SIGKILL');
        await service.exited;
      });
    }
    const losses = async (service: RunningService) =>
      Number(/^operations_idempotency_store_losses_total (\d+)$/m.exec(await metricsOf(service))?.[1]);
    for (const service of services)
      await eventually('up', async () => (await healthOf(service)).status === 'up');
    /** How many records more than one each key has. */
    const doubled = async () => {
      const ids = (await broker.consume(topic)).map(({ headers }) => headers['ce_id']);
      return ids.length - new Set(ids).size;
    };
    return { topic, group, services, losses, doubled };
  };
  const bySentinel = (hosts: string) => `redis+sentinel://${hosts}/${MASTER_NAME}`;

  /** The master goes on alone, and is gone before anyone has what it wrote meanwhile. */
  const failOverAlone = async (group: RedisGroup, alone: () => Promise<unknown>): Promise<void> => {
    const [master] = await group.masters();
    const replicas = group.servers.filter((server) => server !== master);
    for (const replica of replicas) replica.freeze();
    await master!.command('CLIENT', 'KILL', 'TYPE', 'replica');
    await alone();
    await master!.kill();
    for (const replica of replicas) replica.thaw();
    await eventually('another master', async () => (await group.masters()).length === 1);
  };

  it('that lost some with durability none: every instance says so, and what the topic has is not published again', async () => {
    const { topic, group, services, losses } = await setUp(startSentinels, bySentinel, 'none');
    const load = startLoad(services, topic);
    await load.more(50);
    const before = load.acknowledged.length;
    await failOverAlone(group, () => load.more(50));
    expect(load.acknowledged.length).toBeGreaterThanOrEqual(before + 50);
    for (const service of services) {
      await service.logged('idempotency store lost data; keys from before may be missing');
      await eventually('loss', async () => (await losses(service)) === 1);
      expect(await outputOf(service, 'idempotency-store:data')).toMatch(/were lost/);
    }
    await load.more(50);
    const acknowledged = new Set(load.acknowledged);
    await load.stop();
    const ids = (await broker.consume(topic)).map(({ headers }) => headers['ce_id']);
    // Only the few whose claims were under way when the master ended were on no server.
    expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(CLIENTS);
    expect(new Set(ids).size).toBeGreaterThanOrEqual(acknowledged.size);
  });

  it('lose none with durability replicated: nothing is accepted that a replica does not have', async () => {
    const { topic, group, services, losses, doubled } = await setUp(startSentinels, bySentinel, 'replicated');
    const load = startLoad(services, topic);
    await load.more(50);
    await failOverAlone(group, async () => {
      await eventually('rejections', () => (load.others['503 idempotency-store-unavailable'] ?? 0) > CLIENTS);
    });
    await load.more(50);
    await load.stop();
    expect(await doubled()).toBe(0);
    for (const service of services) expect(await losses(service)).toBe(0);
  });

  it('lose none in a planned one with durability replicated, although the old master and a replica go on', async () => {
    const { topic, group, services, losses, doubled } = await setUp(startSentinels, bySentinel, 'replicated');
    const load = startLoad(services, topic);
    for (let round = 0; round < 2; round += 1) {
      await load.more(50);
      const [master] = await group.masters();
      const failOver = () => group.sentinels[round]!.command('SENTINEL', 'FAILOVER', MASTER_NAME);
      await eventually('a failover', failOver);
      await eventually('another master', async () => {
        // Sentinels take seconds to make the old one a replica.
        await sleep(500);
        const now = await group.masters();
        // On a busy machine they may take the new one for down, and fail over again to the old one; or one is under way.
        if (now.length === 1 && now[0] === master) await failOver().catch(() => undefined);
        return now.length === 1 && now[0] !== master && group.isInSync();
      });
    }
    await load.more(50);
    await load.stop();
    expect(await doubled()).toBe(0);
    for (const service of services) expect(await losses(service)).toBe(0);
  });

  it('of one master of a Cluster lose none with durability replicated, and keys of the others go on', async () => {
    const url = (hosts: string) => `redis+cluster://${hosts}`;
    const { topic, group, services, losses, doubled } = await setUp(startRedisCluster, url, 'replicated');
    const load = startLoad(services, topic);
    await load.more(50);
    const masters = await group.masters();
    await masters[0]!.kill();
    await eventually('another master', async () => {
      const now = await group.masters();
      return now.length === masters.length && !now.includes(masters[0]!);
    });
    await masters[0]!.restart();
    await load.more(50);
    await load.stop();
    expect(await doubled()).toBe(0);
    for (const service of services) expect(await losses(service)).toBe(0);
  });
});
