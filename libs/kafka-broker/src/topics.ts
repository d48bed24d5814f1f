import { setTimeout as pause } from 'node:timers/promises';
import { type Admin, Kafka, type KafkaJSProtocolError, logLevel } from 'kafkajs';

export interface TopicOptions {
  /** 1 unless asked otherwise. */
  partitions?: number;
  /** The broker's default (all brokers of a cluster, at most 3) unless asked otherwise. */
  replicationFactor?: number;
  /** Settings of the topic, e.g. `{ 'max.message.bytes': '1000' }`. */
  settings?: Record<string, string>;
}

/** Runs one administrative call on a connection of its own. */
export const withAdmin = async <T>(
  bootstrapServers: string,
  call: (admin: Admin) => Promise<T>,
): Promise<T> => {
  const kafka = new Kafka({
    brokers: bootstrapServers.split(','),
    clientId: 'kafka-broker-admin',
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await call(admin);
  } finally {
    await admin.disconnect();
  }
};

/** Creates a topic; resolves when its partitions have leaders. */
export const createTopic = async (
  bootstrapServers: string,
  topic: string,
  options: TopicOptions = {},
): Promise<void> => {
  const { partitions = 1, replicationFactor = -1, settings = {} } = options;
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const wanted = { topic, numPartitions: partitions, replicationFactor, configEntries };
  await withAdmin(bootstrapServers, async (admin) => {
    // kafkajs would wait itself, but gives up when it asks a broker of the cluster that does not know the topic yet.
    const created = await admin.createTopics({ topics: [wanted], waitForLeaders: false });
    if (!created) throw new Error(`topic ${topic} exists already`);
    while (!(await isServed(admin, topic))) await pause(20);
  });
};

/** The answers of a broker that does not know yet that a topic exists, or that it is its leader. */
const NOT_YET = ['UNKNOWN_TOPIC_OR_PARTITION', 'NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE'];

/** Whether each partition has a leader, and the leader knows it: a broker learns that a moment after its metadata has it. */
const isServed = async (admin: Admin, topic: string): Promise<boolean> => {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    if (!topics[0]?.partitions.every(({ leader }) => leader >= 0)) return false;
    await admin.fetchTopicOffsets(topic);
    return true;
  } catch (error) {
    // By its type: kafkajs's error classes are no named exports to an ES module, only to TypeScript and Jest.
    const { type, cause } = error as Partial<KafkaJSProtocolError> & {
      cause?: Partial<KafkaJSProtocolError>;
    };
    if (NOT_YET.includes(type ?? cause?.type ?? '')) return false;
    throw error;
  }
};

export const deleteTopic = async (bootstrapServers: string, topic: string): Promise<void> => {
  await withAdmin(bootstrapServers, (admin) => admin.deleteTopics({ topics: [topic] }));
};

/** Number of records a topic holds, over all partitions (nothing compacted, no transactions). */
export const countRecords = async (bootstrapServers: string, topic: string): Promise<number> => {
  const offsets = await withAdmin(bootstrapServers, (admin) => admin.fetchTopicOffsets(topic));
  return offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
};
