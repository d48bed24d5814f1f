import { eventually } from '@workspace/testing';
import { type Runtime, systemRuntime } from '../wire/runtime.ts';
import { type FakeCluster, startFakeCluster } from '../testing/fake-cluster.ts';
import { APIS } from '../wire/api-versions.ts';
import type { FieldReader } from '../wire/fields.ts';
import { readMetadata7 } from '../wire/leader-epoch.ts';
import { type Cluster, openCluster } from './cluster.ts';

const UNKNOWN_TOPIC_OR_PARTITION = 3;
const COORDINATOR_LOAD_IN_PROGRESS = 14;
const INVALID_CONFIG = 40;
const TOPIC_AUTHORIZATION_FAILED = 29;
const POLICY_VIOLATION = 44;

describe('a cluster', () => {
  let brokers: FakeCluster;
  let cluster: Cluster | undefined;
  beforeEach(async () => {
    brokers = await startFakeCluster(3);
    brokers.createTopic(4);
  });
  afterEach(async () => {
    cluster?.close();
    cluster = undefined;
    await brokers.close();
  });
  const open = (more: Partial<FakeCluster['settings']> = {}): Cluster =>
    (cluster = openCluster({ ...brokers.settings, ...more }));
  const apis = () => brokers.requests.map(({ api }) => api);
  const requestsOf = (api: string) => brokers.requests.filter((request) => request.api === api);
  const allBrokers = () => brokers.ports.map((port) => `127.0.0.1:${port}`);

  describe('describes its topic', () => {
    it('by leaders, replicas, brokers and what is out of sync', async () => {
      expect(await open().topicMetadata()).toEqual({
        leaders: [1, 2, 3, 1],
        epochs: [0, 0, 0, 0],
        replicas: [1, 2, 3, 4].map(() => [1, 2, 3]),
        replicationFactor: 3,
        brokers: 3,
        underReplicated: [],
      });
      brokers.topic!.leaders[2] = -1;
      brokers.topic!.replicas = [1, 2];
      brokers.topic!.inSync = [2];
      expect(await cluster!.topicMetadata()).toEqual({
        leaders: [1, 2, -1, 1],
        epochs: [0, 0, 0, 0],
        replicas: [1, 2, 3, 4].map(() => [1, 2]),
        replicationFactor: 2,
        brokers: 3,
        underReplicated: [0, 1, 2, 3].map((partition) => ({ partition, replicas: 2, inSync: 1 })),
      });
    });

    it('by the fewest replicas that a partition has, and the epochs of leaders', async () => {
      brokers.topic!.replicasOf = (partition) => [[1, 2], [1], [1, 2, 3]][partition] ?? [1, 2, 3];
      brokers.topic!.inSync = [1, 2];
      brokers.topic!.epochAt = (_node, partition) => partition;
      expect(await open().topicMetadata()).toMatchObject({
        epochs: [0, 1, 2, 3],
        replicationFactor: 1,
        underReplicated: [2, 3].map((partition) => ({ partition, replicas: 3, inSync: 2 })),
      });
    });

    it('on one connection, also for calls that overlap', async () => {
      open();
      await Promise.all([cluster!.topicMetadata(), cluster!.topicMetadata()]);
      expect(apis()).toEqual(['Metadata', 'Metadata']);
      expect(brokers.connections(1)).toBe(1);
    });

    it('not when it may not be described, and keeps the connection', async () => {
      brokers.errors.Metadata = [TOPIC_AUTHORIZATION_FAILED];
      await expect(open().topicMetadata()).rejects.toMatchObject({ type: 'TOPIC_AUTHORIZATION_FAILED' });
      expect(apis()).toEqual(['Metadata']);
      expect(brokers.connections(1)).toBe(1);
    });

    it('without having brokers make one of that name', async () => {
      brokers.topic = undefined;
      await expect(open().topicMetadata()).rejects.toMatchObject({ code: UNKNOWN_TOPIC_OR_PARTITION });
      await expect(cluster!.majorityMetadata()).rejects.toMatchObject({ code: UNKNOWN_TOPIC_OR_PARTITION });
      expect(brokers.topic).toBeUndefined();
    });
  });

  describe('that a broker contradicts', () => {
    /** Node 1 is cut off from the others, and does not know that 2 leads partition 0 now. */
    const cutOff = async () => {
      const topic = brokers.topic!;
      const one = open({ brokers: allBrokers() });
      await one.topicMetadata();
      const leaders = [2, ...topic.leaders.slice(1)];
      topic.leadersAt = (node) => (node === 1 ? topic.leaders : leaders);
      topic.epochAt = (node, partition) => (partition === 0 && node !== 1 ? 1 : 0);
      const leader = async () => (await one.topicMetadata()).leaders[0];
      return { one, leader };
    };

    it('follows those that know of a newer leader, and no longer asks that one', async () => {
      const { one, leader } = await cutOff();
      expect(await leader()).toBe(1);
      expect((await one.majorityMetadata()).leaders[0]).toBe(2);
      expect(await leader()).toBe(2);
      brokers.requests.length = 0;
      expect(await leader()).toBe(2);
      expect(requestsOf('Metadata')).toEqual([expect.objectContaining({ node: 2 })]);
    });

    it('follows them also while only that one answers', async () => {
      const { one, leader } = await cutOff();
      await one.majorityMetadata();
      for (const node of [2, 3]) await brokers.stop(node);
      expect(await leader()).toBe(2);
      expect((await one.newestMetadata()).leaders[0]).toBe(2);
      expect(await one.majorityMetadata()).toMatchObject({ lacksMajority: true, leaders: { 0: 1 } });
    });

    it('takes a topic that was made anew for what it is, when most brokers say so', async () => {
      const { one, leader } = await cutOff();
      await one.majorityMetadata();
      const topic = brokers.createTopic(1);
      topic.leadersAt = () => [3];
      expect(await leader()).toBe(3);
      expect((await one.topicMetadata()).leaders).toEqual([3]);
    });
  });

  it.each([7, 4])(
    'does not believe in a cluster of thousands of brokers (Metadata version %d)',
    async (maxVersion) => {
      brokers.versions = { ...brokers.versions, [APIS.Metadata.key]: { minVersion: 4, maxVersion } };
      const one = open({ brokers: allBrokers() });
      await one.topicMetadata();
      for (let node = 0; node < 2_000; node += 1) brokers.invented.push({ host: '127.0.0.9', port: 1 });
      const message = 'a cluster of 2003 brokers is not believed';
      await expect(one.topicMetadata()).rejects.toThrow(message);
      await expect(one.majorityMetadata()).rejects.toThrow(message);
      brokers.invented.length = 0;
      expect((await one.topicMetadata()).brokers).toBe(3);
    },
  );

  it('does not read the brokers of a liar', async () => {
    const readString = jest.fn();
    const reader = { readInt32: () => 200_000, readString } as unknown as FieldReader;
    expect(() => readMetadata7(reader)).toThrow('a cluster of 200000 brokers is not believed');
    expect(readString).not.toHaveBeenCalled();
  });

  describe('as a majority of replicas sees it', () => {
    it.each([1, 2])('has the leader of the newest epoch, of which only broker %d knows', async (informed) => {
      const topic = brokers.topic!;
      topic.replicas = [1, 2];
      topic.leadersAt = (node) => (node === informed ? [2, 2] : [1, 2]);
      topic.epochAt = (node, partition) => (partition === 0 && node === informed ? 2 : 1);
      const seen = await open().majorityMetadata();
      expect(seen).toMatchObject({ leaders: [2, 2], epochs: [2, 1], brokers: 3 });
      expect(seen.lacksMajority).toBeUndefined();
    });

    it.each([1, 2])(
      'has partitions of which only broker %d knows, where brokers tell no epochs',
      async (informed) => {
        brokers.versions = {
          ...brokers.versions,
          [APIS.Metadata.key]: { minVersion: 4, maxVersion: 4 },
        };
        const topic = brokers.topic!;
        topic.replicas = [1, 2];
        topic.leadersAt = (node) => (node === informed ? [1, 2, 3] : [1]);
        expect(await open().majorityMetadata()).toMatchObject({
          leaders: [1, 2, 3],
          epochs: [-1, -1, -1],
          replicas: Array(3).fill([1, 2]),
        });
      },
    );

    it('lacks a majority while half of the replicas of one partition do not answer', async () => {
      brokers.topic!.replicasOf = (partition) => (partition === 3 ? [1, 2] : [1, 3]);
      await open().topicMetadata();
      await brokers.stop(2);
      expect((await cluster!.majorityMetadata()).lacksMajority).toBe(true);
      await brokers.start(2);
      expect((await cluster!.majorityMetadata()).lacksMajority).toBeUndefined();
    });

    it('is that of brokers that were added later', async () => {
      await open().majorityMetadata();
      await brokers.start(4);
      brokers.topic!.replicas = [4];
      brokers.topic!.inSync = [4];
      brokers.topic!.leaders = [4];
      const seen = await cluster!.majorityMetadata();
      expect(seen).toMatchObject({ leaders: [4] });
      expect(seen.lacksMajority).toBeUndefined();
      expect((await cluster!.connectionTo(4)).ended).toBeUndefined();
      await brokers.stop(4);
    });

    it('is that of brokers that have other addresses than before', async () => {
      const bootstrap = await startFakeCluster(1);
      await open({
        brokers: [...allBrokers(), `127.0.0.1:${bootstrap.ports[0]}`],
      }).majorityMetadata();
      await brokers.close();
      bootstrap.createTopic(1);
      expect(await cluster!.majorityMetadata()).toMatchObject({ leaders: [1] });
      cluster!.close();
      await bootstrap.close();
    });

    it('is not there, with the reason, while no broker answers', async () => {
      await open().topicMetadata();
      for (const node of [1, 2, 3]) await brokers.stop(node);
      await expect(cluster!.majorityMetadata()).rejects.toThrow(/ECONNREFUSED/);
    });
  });

  describe('asks', () => {
    it('the next broker when one is gone, and any known one when the first is', async () => {
      await brokers.stop(1);
      await open({ brokers: allBrokers() }).topicMetadata();
      expect(brokers.requests.map(({ node }) => node)).toEqual([2]);
      cluster!.close();

      await brokers.start(1);
      await open().topicMetadata();
      await brokers.stop(1);
      await cluster!.topicMetadata();
      expect(brokers.requests.at(-1)!.node).not.toBe(1);
    });

    it('every broker once, then fails with the reason, and finds them when they are back', async () => {
      for (const node of [1, 2, 3]) await brokers.stop(node);
      await expect(open({ brokers: allBrokers() }).topicMetadata()).rejects.toThrow(/ECONNREFUSED/);
      await brokers.start(2);
      expect((await cluster!.topicMetadata()).brokers).toBe(3);
    });

    it('the only broker again when that was restarted, on one connection for all who ask', async () => {
      await brokers.close();
      brokers = await startFakeCluster(1);
      brokers.createTopic(1);
      await open().topicMetadata();
      await brokers.stop(1);
      await brokers.start(1);
      await Promise.all([cluster!.topicMetadata(), cluster!.newProducerIdentity()]);
      expect(brokers.connections(1)).toBe(1);
    });

    it('another broker when the connection ends inside a request', async () => {
      brokers.cut.add('Metadata');
      await expect(open({ brokers: allBrokers() }).topicMetadata()).rejects.toThrow(
        /closed the connection|ECONNRESET/,
      );
      expect(new Set(brokers.requests.map(({ node }) => node))).toEqual(new Set([1, 2, 3]));
    });

    it('another broker for a producer id when one has none left and waits for the controller', async () => {
      brokers.errors.InitProducerId = [COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_LOAD_IN_PROGRESS];
      expect(await open({ brokers: allBrokers() }).newProducerIdentity()).toMatchObject({ epoch: 0 });
      expect(requestsOf('InitProducerId').map(({ node }) => node)).toEqual([1, 2, 3]);
      brokers.errors.InitProducerId = Array(10).fill(COORDINATOR_LOAD_IN_PROGRESS);
      await expect(cluster!.newProducerIdentity()).rejects.toMatchObject({ type: 'GROUP_LOAD_IN_PROGRESS' });
    });

    it('nothing more once it is closed', async () => {
      open();
      brokers.silent.add('Metadata');
      const waiting = cluster!.topicMetadata();
      while (brokers.requests.length === 0) await new Promise(setImmediate);
      cluster!.close();
      await expect(waiting).rejects.toThrow('closed');
      expect(brokers.requests).toHaveLength(1);
      await expect(cluster!.topicMetadata()).rejects.toThrow();
      expect(brokers.requests).toHaveLength(1);
    });
  });

  describe('creates its topic', () => {
    beforeEach(() => (brokers.topic = undefined));

    it('at the controller once that is known', async () => {
      open();
      await expect(cluster!.topicMetadata()).rejects.toMatchObject({ code: UNKNOWN_TOPIC_OR_PARTITION });
      expect(await cluster!.createTopic({ partitions: 2, replicationFactor: -1 })).toBe(true);
      expect(requestsOf('CreateTopics')).toMatchObject([{ node: 3 }]);
      expect((await cluster!.topicMetadata()).leaders).toEqual([1, 2]);
      // The connection to the controller was for this alone.
      while (brokers.connections(3) > 0) await new Promise(setImmediate);
    });

    it('at any broker before, and not when another process was faster', async () => {
      open();
      expect(await cluster!.createTopic({ partitions: 2, replicationFactor: -1 })).toBe(true);
      expect(await cluster!.createTopic({ partitions: 2, replicationFactor: -1 })).toBe(false);
      expect(requestsOf('CreateTopics')).toMatchObject([{ node: 1 }, { node: 1 }]);
    });

    it('with its settings, or without them where the broker does not know one of them', async () => {
      const wanted = {
        partitions: 2,
        replicationFactor: 1,
        settings: { 'retention.ms': '1' },
        newerSettings: { other: '2' },
      };
      expect(await open().createTopic(wanted)).toBe(true);
      expect(brokers.topic).toMatchObject({ settings: { 'retention.ms': '1', other: '2' } });
      brokers.topic = undefined;
      brokers.errors.CreateTopics = [INVALID_CONFIG];
      expect(await cluster!.createTopic(wanted)).toBe(true);
      expect(brokers.topic).toMatchObject({ leaders: [1, 2], settings: { 'retention.ms': '1' } });
    });

    it('once only, when that fails for another reason than its settings', async () => {
      const newerSettings = { 'retention.ms': '1' };
      brokers.errors.CreateTopics = [INVALID_CONFIG, POLICY_VIOLATION];
      await expect(open().createTopic({ partitions: 2, replicationFactor: 1 })).rejects.toMatchObject({
        errors: [{ type: 'INVALID_CONFIG' }],
      });
      await expect(
        cluster!.createTopic({ partitions: 2, replicationFactor: 1, newerSettings }),
      ).rejects.toMatchObject({ errors: [{ type: 'POLICY_VIOLATION' }] });
      expect(apis()).toEqual(['CreateTopics', 'CreateTopics']);
    });

    it('or fails when the broker hangs up: no one else has created the topic', async () => {
      await expect(open().topicMetadata()).rejects.toMatchObject({ code: UNKNOWN_TOPIC_OR_PARTITION });
      brokers.cut.add('CreateTopics');
      const settings = { 'retention.ms': '1' };
      await expect(cluster!.createTopic({ partitions: 2, replicationFactor: 1, settings })).rejects.toThrow(
        /closed the connection|ECONNRESET/,
      );
      expect(requestsOf('CreateTopics')).toHaveLength(1);
    });
  });

  it('reads a setting of its topic, if there is one', async () => {
    brokers.topic!.settings['min.insync.replicas'] = '2';
    brokers.topic!.settings['without a value'] = '';
    const names = ['min.insync.replicas', 'retention.ms', 'without a value'];
    expect(await open().topicSettings(names)).toEqual(new Map([['min.insync.replicas', '2']]));
    brokers.errors.DescribeConfigs = [TOPIC_AUTHORIZATION_FAILED];
    await expect(cluster!.topicSettings(['retention.ms'])).rejects.toMatchObject({
      type: 'TOPIC_AUTHORIZATION_FAILED',
    });
  });

  it('reads a setting of one broker, on a connection that nothing else uses', async () => {
    brokers.topic!.settings['message.max.bytes'] = '7';
    await open({ requestTimeoutMs: 2_000 }).topicMetadata();
    expect(await cluster!.brokerSettings(2, ['message.max.bytes', 'x'])).toEqual(
      new Map([['message.max.bytes', '7']]),
    );
    expect(requestsOf('DescribeConfigs')).toMatchObject([{ node: 2 }]);
    const toProduce = await cluster!.connectionTo(2);
    brokers.silent.add('DescribeConfigs');
    await expect(cluster!.brokerSettings(2, ['x'])).rejects.toThrow('did not answer');
    expect(toProduce.ended).toBeUndefined();
    await eventually('end of the others', () => brokers.connections(2) === 1);
  });

  it('reads the clock of the quorum’s leader, where brokers have a quorum', async () => {
    brokers.time = () => 12_345;
    expect(await open().time()).toBe(12_345);
    const { [APIS.DescribeQuorum.key]: _removed, ...older } = brokers.versions;
    brokers.versions = older;
    cluster!.close();
    await expect(open().time()).rejects.toThrow('does not support DescribeQuorum requests');
    expect(requestsOf('DescribeQuorum')).toHaveLength(1);
  });

  it('asks one broker only for the clock: while there is no controller, none answers', async () => {
    brokers.silent.add('DescribeQuorum');
    await expect(open({ brokers: allBrokers(), requestTimeoutMs: 2_000 }).time()).rejects.toThrow(
      'did not answer',
    );
    expect(requestsOf('DescribeQuorum')).toHaveLength(1);
    expect((await cluster!.topicMetadata()).brokers).toBe(3);
  });

  it('replaces connections before their login expires, and lets what was sent be answered', async () => {
    brokers.password = 'right';
    brokers.sessionLifetimeMs = 10_000;
    let time = 0;
    const runtime = { ...systemRuntime, now: () => time };
    const sasl = async () => ({ mechanism: 'plain', username: 'me', password: 'right' }) as const;
    const own = openCluster({ ...brokers.settings, sasl }, runtime);
    try {
      await own.topicMetadata();
      const first = await own.connectionTo(2);
      time = 7_999;
      expect(await own.connectionTo(2)).toBe(first);
      brokers.silent.add('InitProducerId');
      const waiting = first.request('InitProducerId', { transactionalId: null, transactionTimeout: 1 });
      waiting.catch(() => undefined);
      time = 8_000;
      const [second, same] = await Promise.all([own.connectionTo(2), own.connectionTo(2)]);
      expect(second).not.toBe(first);
      expect(same).toBe(second);
      expect(first.ended).toBeUndefined();
      await own.topicMetadata();
      expect(requestsOf('SaslAuthenticate')).toHaveLength(4);
      brokers.silent.clear();
      time = 16_000;
      await Promise.all([own.topicMetadata(), own.newProducerIdentity()]);
      expect(requestsOf('SaslAuthenticate')).toHaveLength(5);
    } finally {
      own.close();
    }
  });

  it('closes what it has replaced before its login expires', async () => {
    brokers.password = 'right';
    brokers.sessionLifetimeMs = 10_000;
    let time = 0;
    const timers = new Set<object>();
    const runtime: Runtime = {
      ...systemRuntime,
      now: () => time,
      setTimeout: (callback) => {
        timers.add(callback);
        return callback;
      },
      clearTimeout: (timer) => void timers.delete(timer!),
    };
    const sasl = async () => ({ mechanism: 'plain', username: 'me', password: 'right' }) as const;
    cluster = openCluster({ ...brokers.settings, sasl }, runtime);
    for (time of [0, 8_000]) {
      await cluster.topicMetadata();
      await cluster.connectionTo(2);
    }
    const open = () => brokers.connections(1) + brokers.connections(2);
    expect(open()).toBe(4);
    // No request waits any more: what is left is the time that whoever has the old ones at hand gets.
    for (const callback of timers) (callback as () => void)();
    await eventually('the old ones closed', () => open() === 2);
  });

  describe('connects to a leader', () => {
    it('once for all who ask, and again when that connection has ended', async () => {
      open();
      await cluster!.topicMetadata();
      const [first, second] = await Promise.all([cluster!.connectionTo(2), cluster!.connectionTo(2)]);
      expect(second).toBe(first);
      expect(brokers.connections(2)).toBe(1);
      first.close(new Error('test'));
      const [third, fourth] = await Promise.all([cluster!.connectionTo(2), cluster!.connectionTo(2)]);
      expect(third).not.toBe(first);
      expect(fourth).toBe(third);
      expect(await cluster!.connectionTo(2)).toBe(third);
    });

    it('not while it is unknown or gone, and later when it is back', async () => {
      open();
      await expect(cluster!.connectionTo(2)).rejects.toThrow('broker 2 is not known');
      await cluster!.topicMetadata();
      await brokers.stop(2);
      await expect(cluster!.connectionTo(2)).rejects.toThrow(/ECONNREFUSED/);
      await brokers.start(2);
      expect((await cluster!.connectionTo(2)).ended).toBeUndefined();
    });
  });

  describe('of brokers that', () => {
    it('ask for a login gets one', async () => {
      brokers.password = 'right';
      let password = 'right';
      const sasl = async () => ({ mechanism: 'plain', username: 'me', password }) as const;
      const logIn = open({ sasl, advice: { credentials: 'check it' } });
      expect((await logIn.topicMetadata()).brokers).toBe(3);
      expect(apis()).toEqual(['SaslHandshake', 'SaslAuthenticate', 'Metadata']);
      cluster!.close();
      password = 'wrong';
      await expect(open({ sasl, advice: { credentials: 'check it' } }).topicMetadata()).rejects.toThrow(
        /wrong password.*; check it$/,
      );
    });

    it.each([
      ['Produce', [8, 13], 'supports versions 8 to 13 of Produce requests, this client versions 3 to 7'],
      ['Produce', [0, 2], 'supports versions 0 to 2 of Produce requests, this client versions 3 to 7'],
      ['Metadata', [9, 13], 'supports versions 9 to 13 of Metadata requests, this client versions 4 to 7'],
      [
        'InitProducerId',
        [2, 2],
        'supports version 2 of InitProducerId requests, this client versions 0 to 1',
      ],
      ['InitProducerId', undefined, 'does not support InitProducerId requests'],
      [
        'SaslHandshake',
        [2, 3],
        'supports versions 2 to 3 of SaslHandshake requests, this client versions 0 to 1',
      ],
      ['SaslAuthenticate', undefined, 'does not support SaslAuthenticate requests'],
    ] as const)('speak %s in other versions (%j) fail with what is missing', async (api, range, message) => {
      const { [APIS[api].key]: _removed, ...others } = brokers.versions;
      brokers.versions = range
        ? { ...others, [APIS[api].key]: { minVersion: range[0], maxVersion: range[1] } }
        : others;
      const sasl = api.startsWith('Sasl')
        ? async () => ({ mechanism: 'plain', username: 'a', password: 'b' }) as const
        : undefined;
      await expect(open(sasl && { sasl }).topicMetadata()).rejects.toThrow(
        `127.0.0.1:${brokers.ports[0]} ${message}`,
      );
      expect(brokers.requests).toEqual([]);
    });

    it('lack what only some need work without it', async () => {
      const { [APIS.CreateTopics.key]: _one, [APIS.DescribeConfigs.key]: _other, ...rest } = brokers.versions;
      brokers.versions = rest;
      expect((await open().topicMetadata()).brokers).toBe(3);
      await expect(cluster!.topicSettings(['x'])).rejects.toThrow(
        'does not support DescribeConfigs requests',
      );
      expect((await cluster!.topicMetadata()).brokers).toBe(3);
    });

    it('are newer or older are spoken to in the newest version that both sides know', async () => {
      brokers.versions = { ...brokers.versions, [APIS.Metadata.key]: { minVersion: 4, maxVersion: 4 } };
      expect((await open().topicMetadata()).epochs).toEqual([-1, -1, -1, -1]);
      expect(brokers.requests).toMatchObject([{ api: 'Metadata', version: 4 }]);
    });
  });
});
