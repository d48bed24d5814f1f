import type { Admin } from 'kafkajs';

/** Resource type of a topic in Kafka's DescribeConfigs; kafkajs's own enumeration is no ES export. */
const TOPIC_RESOURCE = 2;

/** On how many brokers an acknowledged record is. */
export interface Replication {
  /** replicas of the partition that has the fewest */
  factor: number;
  /** `min.insync.replicas`; undefined when the user may not read it (`DESCRIBE_CONFIGS`) */
  minInSync: number | undefined;
  /** brokers of the cluster that are alive */
  brokers: number;
}

/** Asks for what the metadata of a topic does not tell: the brokers of the cluster and `min.insync.replicas`. */
export const readReplication = async (admin: Admin, topic: string, factor: number): Promise<Replication> => {
  const { brokers } = await admin.describeCluster();
  const minInSync = await admin
    .describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC_RESOURCE, name: topic, configNames: ['min.insync.replicas'] }],
    })
    .then(
      ({ resources }) => Number(resources[0]?.configEntries[0]?.configValue) || undefined,
      // Most users may not; whoever may write need not be allowed to read settings.
      () => undefined,
    );
  return { factor, minInSync, brokers: brokers.length };
};

/** Why acknowledged records can be lost although the cluster could keep them; undefined when they cannot. */
export const replicationWarning = ({ factor, minInSync, brokers }: Replication): string | undefined => {
  if (factor < 2) {
    if (brokers < 2) return undefined;
    const better = Math.min(3, brokers);
    return `replication factor 1 in a cluster of ${brokers} brokers: losing one broker loses acknowledged records; raise it to ${better}, with min.insync.replicas=2`;
  }
  if (minInSync !== 1) return undefined;
  return `min.insync.replicas=1 of ${factor}: one replica may acknowledge alone, and losing it loses acknowledged records; set it to 2`;
};
