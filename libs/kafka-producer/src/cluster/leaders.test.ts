import type { BrokerConnection } from '../wire/broker-connection.ts';
import type { ProducerIdentity } from '../wire/record-batch.ts';
import { NO_LEADER, type TopicMetadata } from './topic-metadata.ts';
import { createLeaders } from './leaders.ts';

interface IdentityRequest {
  readonly resolve: (identity: ProducerIdentity) => void;
  readonly reject: (error: Error) => void;
}

const TOPIC: TopicMetadata = {
  leaders: [7, 8, 7],
  epochs: [0, 0, 0],
  replicas: [
    [7, 8],
    [8, 7],
    [7, 8],
  ],
  replicationFactor: 3,
  brokers: 3,
  underReplicated: [],
};

/** Leaders in a cluster whose brokers never answer a batch; the test answers requests for producer ids. */
const setUp = (newestMetadata: () => Promise<TopicMetadata> = () => Promise.resolve(TOPIC)) => {
  const sent: { broker: number; frame: string }[] = [];
  const connections = [7, 8].map((broker): BrokerConnection => ({
    ended: undefined,
    ending: new AbortController().signal,
    isExpiring: false,
    versionOf: () => 7,
    request: () => Promise.reject(new Error('not here')),
    throttled: () => undefined,
    send: (frameOf) => {
      sent.push({ broker, frame: frameOf(1).toString('latin1') });
      return new Promise(() => {});
    },
    close: () => undefined,
    retire: () => undefined,
  }));
  const requests: IdentityRequest[] = [];
  const leaders = createLeaders(
    {
      newestMetadata,
      connectionTo: (broker) => Promise.resolve(connections[broker - 7]!),
      newProducerIdentity: () => new Promise((resolve, reject) => requests.push({ resolve, reject })),
    },
    { topic: 't', clientId: 'c' },
  );
  return { leaders, sent, requests };
};

const identity = (id: bigint): ProducerIdentity => ({ id, epoch: 0 });

describe('the leaders of a topic', () => {
  it('are unknown before the topic is seen', async () => {
    const { leaders } = setUp();
    expect(leaders.partitions).toBe(0);
    await expect(leaders.of(0).connect()).rejects.toThrow('partition 0 has no leader');
  });

  it('are none for a partition that has none', async () => {
    const { leaders } = setUp();
    leaders.update([7, NO_LEADER]);
    expect(leaders.partitions).toBe(2);
    await expect(leaders.of(0).connect()).resolves.toBeUndefined();
    await expect(leaders.of(1).connect()).rejects.toThrow('partition 1 has no leader');
  });

  it('get the batches of all their partitions in one request', async () => {
    const { leaders, sent } = setUp();
    leaders.update(TOPIC.leaders);
    for (const partition of [0, 1, 2]) {
      void leaders.of(partition).produce(() => Buffer.from(`batch-${partition}`), 1_000);
    }
    while (sent.length < 2) await new Promise(setImmediate);
    expect(sent).toEqual([
      { broker: 7, frame: expect.stringMatching(/batch-0.*batch-2/s) },
      { broker: 8, frame: expect.stringContaining('batch-1') },
    ]);
  });

  it('are asked for again, and stay those of before while the cluster does not answer', async () => {
    const metadata = [() => Promise.reject(new Error('no broker')), () => Promise.resolve(TOPIC)];
    const { leaders } = setUp(() => metadata.shift()!());
    leaders.update([8]);
    await leaders.of(0).refresh();
    expect(leaders.partitions).toBe(1);
    await leaders.of(0).refresh();
    expect(leaders.partitions).toBe(3);
  });
});

describe('the producer id', () => {
  it('is one for all partitions, also after it was rejected by several at once', async () => {
    const { leaders, requests } = setUp();
    const first = [leaders.of(0).identity(undefined), leaders.of(1).identity(undefined)];
    requests[0]!.resolve(identity(1n));
    const [old] = await Promise.all(first);
    expect(requests).toHaveLength(1);
    const second = [leaders.of(0).identity(old), leaders.of(1).identity(old)];
    expect(requests).toHaveLength(2);
    requests[1]!.resolve(identity(2n));
    expect(await Promise.all(second)).toEqual([identity(2n), identity(2n)]);
    // A partition that comes later with the old one gets the new one.
    expect(await leaders.of(2).identity(old)).toEqual(identity(2n));
    expect(await leaders.of(2).identity(undefined)).toEqual(identity(2n));
    expect(requests).toHaveLength(2);
  });

  it('is requested again after a request has failed', async () => {
    const { leaders, requests } = setUp();
    const failed = leaders.of(0).identity(undefined);
    requests[0]!.reject(new Error('no coordinator'));
    await expect(failed).rejects.toThrow('no coordinator');
    const next = leaders.of(0).identity(undefined);
    requests[1]!.resolve(identity(1n));
    expect(await next).toEqual(identity(1n));
  });
});
