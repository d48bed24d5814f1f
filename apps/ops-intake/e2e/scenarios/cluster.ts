import { type Cluster, startCluster, withAdmin } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import { untilHealth } from '../support/health.ts';
import { createAnswerLog, violations } from '../support/answer-log.ts';
import { type Span, startLoad } from '../support/load.ts';
import { startService } from '../support/service.ts';
import { type FaultScenario, acceptedMore, needlessUnknowns, seconds } from './test-bed.ts';

const topic = 'replicated';

/** Each broker is killed once, and one leaves in good order: a leader that hands over. */
const endsOfARound = [
  ['kill', 0],
  ['kill', 1],
  ['kill', 2],
  ['terminate', 0],
] as const;

const partitionsOf = async ({ bootstrapServers }: Cluster) => {
  const { topics } = await withAdmin(bootstrapServers, (admin) =>
    admin.fetchTopicMetadata({ topics: [topic] }),
  );
  return topics[0]?.partitions;
};

/** Resolves when every partition has a leader and all three replicas in sync. */
const untilInSync = async (cluster: Cluster): Promise<void> => {
  await eventually('full set of replicas in sync', async () => {
    // A broker that has just come back may not know the topic yet, or not answer yet.
    const partitions = await partitionsOf(cluster);
    return partitions?.every(({ isr, leader }) => isr.length === 3 && leader > 0);
  });
};

/** Resolves when the brokers that are left have elected another leader for every partition. */
const untilLedByOthers = async (cluster: Cluster, ended: number): Promise<void> => {
  await eventually('other leaders', async () =>
    (await partitionsOf(cluster))?.every(({ leader }) => leader > 0 && leader !== ended),
  );
};

/**
 * C1: three brokers, three replicas, min.insync.replicas=2: any one may die or leave, leaders change under load. Three
 * partitions, mostly with a leader each.
 */
export const clusterSurvives: FaultScenario = {
  id: 'C1',
  fault: 'three brokers: kill -9 of each in turn, and an orderly end',
  run: async (bed) => {
    const ends = Array.from({ length: bed.long ? 5 : 1 }, () => endsOfARound).flat();
    const cluster = await startCluster();
    try {
      await cluster.brokers[0]!.createTopic(topic, { partitions: 3 });
      const service = await startService({
        KAFKA_BOOTSTRAP_SERVERS: cluster.bootstrapServers,
        KAFKA_TOPIC: topic,
      });
      await untilHealth(service.url, 200);
      const answers = createAnswerLog();
      const load = startLoad({ url: () => service.url, answers, keyedEvery: 4 });
      const outages: Span[] = [];
      let slowestRecovery = 0;
      for (const [end, index] of ends) {
        const broker = cluster.brokers[index]!;
        await acceptedMore(load, 500);
        const began = performance.now();
        await broker[end]();
        // The id of a broker is its number, from 1 on.
        const elected = untilLedByOthers(cluster, index + 1).then(() => performance.now());
        // 500 more: all three partitions have a leader again, since every client waits for its own answer.
        await acceptedMore(load, 500);
        slowestRecovery = Math.max(slowestRecovery, performance.now() - began);
        outages.push({ from: began, until: await elected });
        await broker.restart();
        await untilInSync(cluster);
      }
      await load.stop();
      const exit = await service.stop();
      const audit = await answers.audit(cluster.brokers[0]!, topic);
      const found = violations(audit);
      if (exit !== 0) found.push(`exit code ${exit}`);
      const needless = needlessUnknowns(load, outages);
      const slowestElection = Math.max(...outages.map(({ from, until }) => until - from));
      return {
        figures: {
          ends: ends.length,
          ...audit,
          'unknown although led within 4 s': needless,
          'led by others within': seconds(slowestElection),
          'not-published': answers.counts['not-published'],
          '500 acknowledged after an end within': seconds(slowestRecovery),
        },
        violations: found,
        late: needless > 0 ? [`${needless} unknown although all partitions were led within 4 s`] : [],
      };
    } finally {
      await cluster.stop();
    }
  },
};
