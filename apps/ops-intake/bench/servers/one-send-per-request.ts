import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { serveAppOn } from './app-on.ts';

// What most services do: an idempotent producer, acks=all, one send for each request as it comes. Also the one that
// loses acknowledged messages at the first reset.
const producer = new Kafka({
  brokers: (process.env['KAFKA_BOOTSTRAP_SERVERS'] ?? '').split(','),
  logLevel: logLevel.NOTHING,
}).producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
await producer.connect();
const topic = process.env['KAFKA_TOPIC'] as string;
await serveAppOn({
  append: ({ key, value, headers }, listener) => {
    void producer.send({ topic, acks: -1, messages: [{ key, value, headers }] }).then(
      ([first]) =>
        listener.settled({
          outcome: 'accepted',
          topic,
          partition: first?.partition ?? 0,
          offset: Number(first?.baseOffset),
        }),
      () => listener.settled({ outcome: 'unknown', reason: 'no-answer' }),
    );
    return { withdraw: () => false };
  },
  isFull: () => false,
  status: () => ({ connected: true, queued: { records: 0, bytes: 0 } }),
  close: () => producer.disconnect(),
});
