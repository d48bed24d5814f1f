import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { type Consumer, Kafka, logLevel } from 'kafkajs';

export interface TopicReader {
  /** bootstrap address as the brokers name each other, for example `kafka:19092` */
  readonly brokers: string[];
  /** the address of each broker's container, which this machine reaches without a published port */
  readonly addresses: ReadonlyMap<string, string>;
  readonly topic: string;
}

/** Keys of all records that a topic holds now, partition by partition. */
export const keysOf = async ({ brokers, addresses, topic }: TopicReader): Promise<string[]> => {
  const kafka = new Kafka({
    brokers,
    logLevel: logLevel.NOTHING,
    socketFactory: ({ host, port, onConnect }) =>
      connect({ host: addresses.get(host) ?? host, port }, onConnect),
  });
  const admin = kafka.admin();
  const groupId = `topic-reader-${randomUUID()}`;
  let consumer: Consumer | undefined;
  try {
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topic);
    const left = new Map(
      offsets
        .filter(({ low, high }) => BigInt(high) > BigInt(low))
        .map(({ partition, high }) => [partition, BigInt(high)]),
    );
    const keys: string[] = [];
    if (left.size === 0) return keys;
    const reader = (consumer = kafka.consumer({ groupId, retry: { retries: 10 } }));
    await reader.connect();
    await reader.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      reader.on('consumer.crash', ({ payload }) => reject(payload.error));
      const each = ({
        partition,
        message,
      }: {
        partition: number;
        message: { offset: string; key: Buffer | null };
      }) => {
        const end = left.get(partition);
        if (end === undefined) return Promise.resolve();
        keys.push(String(message.key));
        if (BigInt(message.offset) + 1n >= end) left.delete(partition);
        if (left.size === 0) resolve();
        return Promise.resolve();
      };
      reader.run({ autoCommit: false, eachMessage: each }).catch(reject);
    });
    return keys;
  } finally {
    await consumer?.disconnect();
    await admin.disconnect();
  }
};
