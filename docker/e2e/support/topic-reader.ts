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

const client = (brokers: string[], { addresses }: TopicReader): Kafka =>
  new Kafka({
    brokers,
    logLevel: logLevel.NOTHING,
    socketFactory: ({ host, port, onConnect }) =>
      connect({ host: addresses.get(host) ?? host, port }, onConnect),
  });

/**
 * Where each partition ends by what any broker says, empty ones left out. One that was cut off from the others may still count
 * itself as leader, and then knows of fewer records.
 */
const endsOf = async (reader: TopicReader): Promise<Map<number, bigint>> => {
  const views = await Promise.allSettled(
    reader.brokers.map(async (broker) => {
      const admin = client([broker], reader).admin();
      try {
        await admin.connect();
        return await admin.fetchTopicOffsets(reader.topic);
      } finally {
        await admin.disconnect();
      }
    }),
  );
  const known = views.flatMap((view) => (view.status === 'fulfilled' ? [view.value] : []));
  if (known.length === 0) throw new Error(`no broker of ${reader.brokers.join()} answers`);
  const ends = new Map<number, bigint>();
  for (const { partition, low, high } of known.flat()) {
    const end = BigInt(high);
    if (end > BigInt(low) && end > (ends.get(partition) ?? 0n)) ends.set(partition, end);
  }
  return ends;
};

/** Keys of all records that a topic holds now, partition by partition. */
export const keysOf = async (from: TopicReader): Promise<string[]> => {
  const { brokers, topic } = from;
  const kafka = client(brokers, from);
  const groupId = `topic-reader-${randomUUID()}`;
  let consumer: Consumer | undefined;
  try {
    const left = await endsOf(from);
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
  }
};
