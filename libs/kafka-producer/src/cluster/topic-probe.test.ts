import { captureLogger } from '@workspace/service-kit/testing';
import type { Cluster, TopicMetadata } from './cluster.ts';
import { type TopicView, watchTopic } from './topic-probe.ts';

const topic: TopicMetadata = { leaders: [1, 2], replicationFactor: 3, brokers: 3, underReplicated: [] };
const degraded: TopicMetadata = {
  ...topic,
  brokers: 2,
  underReplicated: [{ partition: 1, replicas: 3, inSync: 2 }],
};

/** What the probe sees and logs while the cluster describes the topic as these, one after the other. */
const probe = async (...descriptions: TopicMetadata[]) => {
  const { logger, lines } = captureLogger();
  const left = [...descriptions];
  const views: TopicView[] = [];
  let onEnough: () => void;
  const enough = new Promise<void>((resolve) => (onEnough = resolve));
  const cluster: Pick<Cluster, 'topicMetadata' | 'createTopic' | 'topicSetting'> = {
    topicMetadata: async () => left.shift() ?? topic,
    createTopic: async () => false,
    topicSetting: async () => '2',
  };
  const watch = watchTopic(cluster, {
    topic: 't',
    intervalMs: 0,
    now: () => new Date(0),
    logger,
    onView: (view) => {
      views.push(view);
      if (views.length === descriptions.length) onEnough();
    },
  });
  await enough;
  await watch.close();
  return { views, lines };
};

describe('the probe of the topic', () => {
  it('is silent about a topic that has all its replicas in sync', async () => {
    const { views, lines } = await probe(topic);
    expect(views[0]).not.toHaveProperty('underReplication');
    expect(lines.map(({ msg }) => msg)).toEqual(['topic replication']);
  });

  it('reports partitions that lack replicas, and logs when that begins and ends', async () => {
    const { views, lines } = await probe(degraded, degraded, topic);
    const reason =
      '2 of 3 replicas in sync in partition 1: if one more fails, no record can be written (min.insync.replicas=2)';
    expect(views.slice(0, 3).map(({ underReplication }) => underReplication)).toEqual([
      { partitions: 1, reason },
      { partitions: 1, reason },
      undefined,
    ]);
    expect(views.map(({ error }) => error)).toEqual(views.map(() => undefined));
    expect(lines.map(({ msg }) => msg)).toEqual([
      'topic replication',
      'topic under-replicated',
      'topic fully replicated',
    ]);
    expect(lines[1]).toMatchObject({ level: 'warn', topic: 't', reason });
  });

  it('reports them beside a partition without a leader', async () => {
    const { views } = await probe({
      ...degraded,
      leaders: [1, -1],
      underReplicated: [{ partition: 1, replicas: 3, inSync: 0 }],
    });
    expect(views[0]).toMatchObject({
      error: 'partition 1 has no leader',
      underReplication: { partitions: 1 },
    });
  });
});
