import { type Cluster, describeWithKafka, startCluster, withAdmin } from '@workspace/kafka-broker';
import { describeBrokers } from '../src/testing/broker-suite.ts';

describeWithKafka('three brokers', () => {
  let cluster: Cluster;
  let topics = 0;
  let stopped: number | undefined;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  describeBrokers('real ones', async (topicSettings) => {
    const topic = `topic-${(topics += 1)}`;
    await cluster.brokers[0]!.createTopic(topic, { settings: topicSettings });
    return {
      settings: {
        brokers: cluster.bootstrapServers.split(','),
        clientId: 'brokers',
        topic,
        connectionTimeoutMs: 5_000,
        requestTimeoutMs: 5_000,
        deliveryTimeoutMs: 30_000,
      },
      now: () => Date.now(),
      moveLeader: (leader) => {
        stopped = leader;
        return cluster.brokers[leader - 1]!.kill();
      },
      deleteBefore: (offset) =>
        withAdmin(cluster.bootstrapServers, async (admin) => {
          // kafkajs finds leaders only of topics that it was asked for.
          await admin.fetchTopicOffsets(topic);
          await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
        }),
      close: async () => {
        if (stopped !== undefined) await cluster.brokers[stopped - 1]!.restart();
        stopped = undefined;
      },
    };
  });
});
