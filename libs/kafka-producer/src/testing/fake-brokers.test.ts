import { describeBrokers } from './broker-suite.ts';
import { startFakeCluster } from './fake-cluster.ts';

describeBrokers('fake brokers', async (topicSettings) => {
  const cluster = await startFakeCluster(2);
  const topic = cluster.createTopic(1, topicSettings);
  const [partition] = topic.partitions;
  const limitOf = (name: string): number => Number(topicSettings[name] ?? Infinity);
  partition!.timestamps.beforeMaxMs = limitOf('message.timestamp.before.max.ms');
  partition!.timestamps.afterMaxMs = limitOf('message.timestamp.after.max.ms');
  let epoch = 0;
  topic.epochAt = () => epoch;
  return {
    settings: cluster.settings,
    now: () => Date.now(),
    moveLeader: async (leader) => {
      topic.leaders[0] = 3 - leader;
      epoch += 1;
    },
    deleteBefore: async (offset) => {
      partition!.start = offset;
    },
    close: () => cluster.close(),
  };
});
