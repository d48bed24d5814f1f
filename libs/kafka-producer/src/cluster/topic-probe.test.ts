import { captureLogger } from '@workspace/testing';
import { APIS } from '../wire/api-versions.ts';
import { startFakeCluster } from '../testing/fake-cluster.ts';
import { systemRuntime } from '../wire/runtime.ts';
import { type Cluster, type NewTopic, openCluster } from './cluster.ts';
import type { TopicMetadata } from './topic-metadata.ts';
import type { TopicNeeds } from './topic-settings.ts';
import { type TopicStatus, watchTopic } from './topic-probe.ts';

const topic: TopicMetadata = {
  leaders: [1, 2],
  epochs: [0, 0],
  replicas: [
    [1, 2, 3],
    [1, 2, 3],
  ],
  replicationFactor: 3,
  brokers: 3,
  underReplicated: [],
};
const degraded: TopicMetadata = {
  ...topic,
  brokers: 2,
  underReplicated: [{ partition: 1, replicas: 3, inSync: 2 }],
};

const NEEDS: TopicNeeds = { recordAgeMs: 35_000, clockDifferenceMs: 1_000, keptMs: 3_600_000 };

/** What the probe sees and logs while the cluster describes the topic as these, one after the other. */
const probe = (...descriptions: TopicMetadata[]) => probeFor(undefined, descriptions);

/** @param clock what the clock of this machine shows, one after the other; that of the cluster then shows 9,000 */
const probeFor = async (
  needs: TopicNeeds | undefined,
  descriptions: readonly TopicMetadata[],
  clock: readonly number[] = [],
) => {
  const times = [...clock];
  const { logger, lines } = captureLogger();
  const left = [...descriptions];
  const statuses: TopicStatus[] = [];
  const askedBrokers: number[] = [];
  let onEnough: () => void;
  const enough = new Promise<void>((resolve) => (onEnough = resolve));
  const cluster: Pick<
    Cluster,
    'topicMetadata' | 'createTopic' | 'topicSettings' | 'brokerSettings' | 'time'
  > = {
    topicMetadata: async () => left.shift() ?? topic,
    createTopic: async () => false,
    topicSettings: async () => new Map([['min.insync.replicas', '2']]),
    brokerSettings: async (node) => {
      askedBrokers.push(node!);
      return new Map();
    },
    time: async () => (clock.length > 0 ? 9_000 : undefined),
  };
  const watch = watchTopic(cluster, {
    topic: 't',
    intervalMs: 0,
    now: () => new Date(times.shift() ?? clock.at(-1) ?? 0),
    runtime: { ...systemRuntime, now: () => 0 },
    logger,
    needs,
    onStatus: (status) => {
      statuses.push(status);
      if (statuses.length === descriptions.length) onEnough();
    },
  });
  await enough;
  await watch.close();
  return { statuses, lines, askedBrokers, time: watch.time() };
};

describe('the probe of the topic', () => {
  it('reports partitions that lack replicas, and logs when that begins and ends', async () => {
    const { statuses, lines } = await probe(degraded, degraded, topic);
    const reason =
      '2 of 3 replicas in sync in partition 1: if one more fails, no record can be written (min.insync.replicas=2)';
    expect(statuses.slice(0, 3).map(({ underReplication }) => underReplication)).toEqual([
      { partitions: 1, isStopped: false, reason },
      { partitions: 1, isStopped: false, reason },
      undefined,
    ]);
    expect(statuses.map(({ error }) => error)).toEqual(statuses.map(() => undefined));
    expect(lines.map(({ msg }) => msg)).toEqual([
      'topic replication',
      'topic under-replicated',
      'topic fully replicated',
    ]);
    expect(lines[0]).toMatchObject({ level: 'info', topic: 't', factor: 3, minInSync: 2, brokers: 2 });
    expect(lines[1]).toMatchObject({ level: 'warn', topic: 't', reason });
    expect(lines[2]).toMatchObject({ level: 'info', topic: 't' });
  });

  it('logs them again when their reason changes', async () => {
    const worse: TopicMetadata = { ...degraded, underReplicated: [{ partition: 1, replicas: 3, inSync: 1 }] };
    const { lines } = await probe(degraded, worse, worse, topic, topic);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'topic replication',
      'topic under-replicated',
      'topic under-replicated',
      'topic fully replicated',
    ]);
  });

  it('asks a broker that leads for its settings, where they matter', async () => {
    expect((await probe(topic)).askedBrokers).toEqual([]);
    expect((await probeFor(NEEDS, [{ ...topic, leaders: [-1, 2] }])).askedBrokers).toEqual([2]);
    expect((await probeFor(NEEDS, [{ ...topic, leaders: [-1, -1] }])).askedBrokers).toEqual([]);
  });

  it('knows what time it is at least by the clock of the cluster', async () => {
    const { time } = await probeFor(NEEDS, [topic], [10_000, 10_100]);
    expect(time).toBe(9_000);
  });

  it('reports them beside a partition without a leader', async () => {
    const { statuses } = await probe({
      ...degraded,
      leaders: [1, -1],
      underReplicated: [{ partition: 1, replicas: 3, inSync: 0 }],
    });
    expect(statuses[0]).toMatchObject({
      error: 'partition 1 has no leader',
      underReplication: { partitions: 1 },
    });
  });
});

describe('the probe of a topic on brokers', () => {
  const UNKNOWN_TOPIC_OR_PARTITION = 3;
  const TOPIC_AUTHORIZATION_FAILED = 29;
  const INVALID_CONFIG = 40;

  const closings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
  });

  /** Probes brokers; `next` resolves with the status of the next probe that begins after it was called. */
  const setUp = async (create?: NewTopic, needs?: TopicNeeds) => {
    const brokers = await startFakeCluster(3);
    const cluster = openCluster(brokers.settings);
    const { logger, lines } = captureLogger();
    const statuses: TopicStatus[] = [];
    let onStatus: () => void = () => undefined;
    const start = () => {
      const watch = watchTopic(cluster, {
        topic: 't',
        intervalMs: 1,
        now: () => new Date(statuses.length),
        logger,
        onStatus: (status) => {
          statuses.push(status);
          onStatus();
        },
        needs,
        ...(create && { create }),
      });
      closings.unshift(() => watch.close());
      return watch;
    };
    const probed = async () => {
      const watch = start();
      await watch.probed;
      return watch;
    };
    const seen = (count: number): Promise<void> =>
      new Promise((resolve) => {
        onStatus = () => void (statuses.length >= count && resolve());
        onStatus();
      });
    const next = async (): Promise<TopicStatus> => {
      await seen(statuses.length + 2);
      return statuses.at(-1)!;
    };
    closings.push(async () => {
      cluster.close();
      await brokers.close();
    });
    const messages = () => lines.map(({ level, msg }) => `${level} ${msg}`);
    const requestsOf = (api: string) => brokers.requests.filter((request) => request.api === api);
    return { brokers, start, probed, next, seen, statuses, lines, messages, requestsOf };
  };

  it('creates a missing topic, once', async () => {
    const { probed, next, lines, statuses, requestsOf } = await setUp({
      partitions: 2,
      replicationFactor: 3,
    });
    await probed();
    expect(statuses[0]!.leaders).toEqual([1, 2]);
    await next();
    expect(requestsOf('CreateTopics')).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'info',
      msg: 'topic created',
      topic: 't',
      partitions: 2,
      replicationFactor: 3,
    });
  });

  it('creates it so that its brokers reject what comes too late, where they can', async () => {
    const { brokers, probed, requestsOf } = await setUp({ partitions: 2, replicationFactor: 3 }, NEEDS);
    await probed();
    expect(brokers.topic!.settings).toEqual({
      'message.timestamp.before.max.ms': '35000',
      'min.insync.replicas': '2',
    });
    const old = await setUp({ partitions: 2, replicationFactor: 3 }, NEEDS);
    old.brokers.errors.CreateTopics = [INVALID_CONFIG];
    await old.probed();
    expect(old.brokers.topic!.settings).toEqual({ 'min.insync.replicas': '2' });
    expect([requestsOf('CreateTopics').length, old.requestsOf('CreateTopics').length]).toEqual([1, 2]);
  });

  it('names settings that weaken a promise, and logs each once until it is corrected', async () => {
    const { brokers, probed, next, statuses, lines } = await setUp(undefined, NEEDS);
    const { settings } = brokers.createTopic(1);
    Object.assign(settings, { 'message.timestamp.before.max.ms': '36000', 'cleanup.policy': 'compact' });
    await probed();
    const named = () => statuses.at(-1)!.weaknesses?.map(({ setting }) => setting);
    expect(named()).toEqual(['cleanup.policy', 'message.timestamp.before.max.ms']);
    settings['cleanup.policy'] = 'delete';
    while (named()?.length === 2) await next();
    expect(named()).toEqual(['message.timestamp.before.max.ms']);
    settings['message.timestamp.before.max.ms'] = '35000';
    while (named()) await next();
    expect(lines.filter(({ msg }) => String(msg).includes('not known'))).toEqual([]);
    const logged = lines.filter(({ msg }) => String(msg).includes('promise'));
    expect(logged.map(({ level, msg, setting }) => [level, msg, setting])).toEqual([
      ['warn', 'setting weakens a promise', 'cleanup.policy'],
      ['warn', 'setting weakens a promise', 'message.timestamp.before.max.ms'],
      ['info', 'settings no longer weaken a promise', undefined],
    ]);
  });

  it('says once that settings are not known where it may not read them', async () => {
    const { brokers, start, seen, statuses, messages } = await setUp(undefined, NEEDS);
    brokers.createTopic(1);
    brokers.errors.DescribeConfigs = Array.from({ length: 100 }, () => TOPIC_AUTHORIZATION_FAILED);
    start();
    await seen(20);
    expect(statuses.at(-1)).toMatchObject({ settings: { topic: undefined, broker: undefined } });
    expect(statuses.at(-1)!.weaknesses).toBeUndefined();
    expect(messages().filter((message) => message.includes('not known'))).toHaveLength(1);
  });

  it('compares its clock with that of the cluster, and says once what a difference costs', async () => {
    const { brokers, probed, next, statuses, lines } = await setUp(undefined, NEEDS);
    brokers.createTopic(1);
    // The probe's clock stands near 0.
    brokers.time = () => -5_000;
    const watch = await probed();
    // It goes on by the monotonic clock, whatever the probe's own clock shows.
    expect(Math.abs(watch.time()! + 5_000)).toBeLessThan(4_000);
    expect(statuses[0]!.clock).toEqual({
      aheadMs: 5_000,
      uncertaintyMs: 0,
      warning: expect.stringMatching(/^the clock of this machine is 5000 ms or more ahead .* second record/),
    });
    brokers.time = () => 5_000;
    while (!statuses.at(-1)!.clock?.warning?.includes('behind')) await next();
    brokers.time = () => 1_000;
    while (statuses.at(-1)!.clock?.warning) await next();
    const logged = lines.filter(({ msg }) => String(msg).startsWith('clock'));
    expect(logged).toMatchObject([
      {
        level: 'warn',
        msg: 'clock differs from the cluster',
        topic: 't',
        reason: statuses[0]!.clock!.warning,
      },
      { level: 'info', msg: 'clock agrees with the cluster', topic: 't', uncertaintyMs: 0 },
    ]);
    expect(statuses.at(-1)!.clock).not.toHaveProperty('warning');
  });

  it('says nothing of clocks where the cluster does not tell its time', async () => {
    const CLUSTER_AUTHORIZATION_FAILED = 31;
    for (const prepare of [
      ({ brokers }: Awaited<ReturnType<typeof setUp>>) => {
        brokers.errors.DescribeQuorum = [CLUSTER_AUTHORIZATION_FAILED];
      },
      ({ brokers }: Awaited<ReturnType<typeof setUp>>) => {
        const { [APIS.DescribeQuorum.key]: _none, ...others } = brokers.versions;
        brokers.versions = others;
      },
    ]) {
      const scene = await setUp(undefined, NEEDS);
      scene.brokers.createTopic(1);
      scene.brokers.time = () => -5_000;
      prepare(scene);
      await scene.probed();
      expect(scene.statuses[0]).not.toHaveProperty('clock');
      expect(scene.statuses[0]).not.toHaveProperty('error');
    }
  });

  it.each(['made', 'found'])(
    'does not create again a topic that it has %s: an operator is about to',
    async (what) => {
      const create = { partitions: 2, replicationFactor: 3 };
      const { brokers, probed, next, lines, statuses, requestsOf } = await setUp(create);
      if (what === 'found') brokers.createTopic(1);
      await probed();
      const made = requestsOf('CreateTopics').length;
      brokers.topic = undefined;
      const error = expect.stringMatching(/^UNKNOWN_TOPIC_OR_PARTITION: the topic is gone; create it/);
      await next();
      expect(await next()).toMatchObject({ error });
      expect(lines.at(-1)).toMatchObject({ level: 'warn', msg: 'Kafka unavailable', reason: error });
      brokers.createTopic(6);
      await next();
      expect(await next()).toMatchObject({ leaders: { length: 6 } });
      expect(statuses.at(-1)).not.toHaveProperty('error');
      expect(requestsOf('CreateTopics')).toHaveLength(made);
    },
  );

  it('is silent when another process created the topic first', async () => {
    const { brokers, probed, statuses, messages, requestsOf } = await setUp({
      partitions: 2,
      replicationFactor: 3,
    });
    brokers.createTopic(1);
    brokers.errors.Metadata = [UNKNOWN_TOPIC_OR_PARTITION];
    await probed();
    expect(statuses[0]!.leaders).toEqual([1]);
    expect(requestsOf('CreateTopics')).toHaveLength(1);
    expect(messages()).toEqual(['info topic replication']);
  });

  it('leaves a missing topic to the operator, and one that may not be described', async () => {
    const left = await setUp();
    await left.probed();
    expect(left.statuses[0]).toEqual({ error: 'UNKNOWN_TOPIC_OR_PARTITION', checkedAt: new Date(0) });
    expect(left.requestsOf('CreateTopics')).toEqual([]);

    const denied = await setUp({ partitions: 2, replicationFactor: 3 });
    denied.brokers.errors.Metadata = [TOPIC_AUTHORIZATION_FAILED];
    await denied.probed();
    expect(denied.statuses[0]!.error).toBe('TOPIC_AUTHORIZATION_FAILED');
    expect(denied.messages()).toEqual(['warn Kafka unavailable']);
  });

  it('logs once that brokers are gone, and that they are back', async () => {
    const { brokers, probed, next, seen, statuses, lines } = await setUp();
    brokers.createTopic(1);
    await probed();
    for (const node of [1, 2, 3]) await brokers.stop(node);
    await seen(statuses.length + 12);
    const gone = statuses.at(-1);
    expect(gone).toEqual({
      error: expect.stringMatching(/ECONNREFUSED|closed|ECONNRESET/),
      checkedAt: expect.any(Date),
    });
    for (const node of [1, 2, 3]) await brokers.start(node);
    while (statuses.at(-1)!.error !== undefined) await next();
    const unavailable = lines.filter(({ msg }) => msg === 'Kafka unavailable');
    // At most one for the connection that ended and one for those that are refused, whichever broker was asked last.
    expect(unavailable.length).toBeLessThanOrEqual(2);
    expect(unavailable[0]).toMatchObject({ level: 'warn', topic: 't' });
    expect(lines.filter(({ msg }) => msg === 'Kafka available')).toMatchObject([
      { level: 'info', topic: 't', latencyMs: expect.any(Number) },
    ]);
  });

  it('reads the replication at once, when it changes, and every 15th time', async () => {
    const { brokers, probed, seen, statuses, lines, requestsOf } = await setUp();
    const topic = brokers.createTopic(1);
    topic.settings['min.insync.replicas'] = '1';
    await probed();
    expect(requestsOf('DescribeConfigs')).toHaveLength(1);
    expect(statuses[0]!.warning).toMatch(/^min.insync.replicas=1 of 3/);
    expect(lines).toMatchObject([{ level: 'warn', msg: 'topic replication too low', topic: 't' }]);
    await seen(14);
    const before = requestsOf('DescribeConfigs').length;
    expect(before).toBe(1);
    topic.settings['min.insync.replicas'] = '2';
    await seen(17);
    expect(requestsOf('DescribeConfigs')).toHaveLength(2);
    expect(statuses.at(-1)!.warning).toBeUndefined();
    topic.replicas = topic.inSync = [1];
    await seen(statuses.length + 2);
    expect(requestsOf('DescribeConfigs')).toHaveLength(3);
    expect(statuses.at(-1)!.warning).toMatch(/^replication factor 1/);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'topic replication too low',
      'topic replication',
      'topic replication too low',
    ]);
  });

  it('sees nothing more once it is closed, and is then probed in any case', async () => {
    const { brokers, start, statuses } = await setUp();
    brokers.silent.add('Metadata');
    const watch = start();
    while (brokers.requests.length === 0) await new Promise(setImmediate);
    const closing = watch.close();
    for (const node of [1, 2, 3]) await brokers.stop(node);
    await closing;
    await watch.probed;
    expect(statuses).toEqual([]);
  });
});

it('knows what a retention that was seen may have deleted, also once it is longer again', async () => {
  let time = 10_000;
  const settings = new Map([
    ['cleanup.policy', 'delete'],
    ['retention.bytes', '-1'],
    ['retention.ms', '4000'],
  ]);
  let readable = true;
  const watch = watchTopic(
    {
      topicMetadata: async () => topic,
      createTopic: async () => false,
      topicSettings: async () => {
        if (!readable) throw new Error('not permitted');
        return new Map(settings);
      },
      brokerSettings: async () => new Map(),
      time: async () => undefined,
    },
    {
      topic: 't',
      intervalMs: 2_147_483_647,
      now: () => new Date(time),
      logger: captureLogger().logger,
      onStatus: () => undefined,
    },
  );
  await watch.probed;
  expect(await watch.keptSince()).toBe(6_000);
  settings.set('retention.ms', '1');
  expect(await Promise.all([watch.keptSince(), watch.keptSince()])).toEqual([9_999, 9_999]);
  settings.set('retention.ms', '4000');
  time = 11_000;
  expect(await watch.keptSince()).toBe(9_999);
  settings.set('retention.bytes', '1000');
  expect(await watch.keptSince()).toBeUndefined();
  readable = false;
  time = 12_000;
  expect(await watch.keptSince()).toBeUndefined();
  readable = true;
  settings.set('retention.bytes', '-1');
  expect(await watch.keptSince()).toBe(11_000);
  time = 16_000;
  expect(await watch.keptSince()).toBe(12_000);
  await watch.close();
});
