/**
 * Consumes the topic and computes the capital-gains tax of each submission, once, however often its record comes.
 *
 *     npm install kafkajs cloudevents
 *     node consumer.ts taxes.db
 *
 * Prints one JSON line for each submission; stops, without committing it, at a kind of operation that it does not know.
 * Environment: KAFKA_BOOTSTRAP_SERVERS, KAFKA_TOPIC, KAFKA_GROUP. Needs Node 22.18, which runs TypeScript as it is.
 */
import { DatabaseSync } from 'node:sqlite';
import { type CloudEvent, Kafka as Binding } from 'cloudevents';
import { Kafka, type KafkaMessage } from 'kafkajs';
import { type Operation, taxesOf } from './capital-gains.ts';

const {
  KAFKA_BOOTSTRAP_SERVERS: servers = 'localhost:9092',
  KAFKA_TOPIC: topic = 'operations',
  KAFKA_GROUP: groupId = 'capital-gains',
} = process.env;

const database = new DatabaseSync(process.argv[2] ?? 'taxes.db');
database.exec('CREATE TABLE IF NOT EXISTS submission (id TEXT PRIMARY KEY, taxes TEXT NOT NULL)');
// The id decides: a record that was written twice, or is read again after a crash, changes nothing.
const insert = database.prepare('INSERT OR IGNORE INTO submission (id, taxes) VALUES (?, ?)');

const eventOf = ({ key, value, headers }: KafkaMessage): CloudEvent<Operation[]> => {
  const texts = Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)]));
  const body = String(value);
  const message = { key: String(key), value: body, headers: texts, body };
  return Binding.toEvent(message as Parameters<typeof Binding.toEvent>[0]) as CloudEvent<Operation[]>;
};

const consumer = new Kafka({ clientId: 'capital-gains', brokers: servers.split(',') }).consumer({ groupId });
process.once('SIGTERM', () => void consumer.disconnect().then(() => process.exit(0)));
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
await consumer.run({
  // The offset is committed after the record is in the database: at least once, and by its id exactly once.
  eachMessage: async ({ message }) => {
    const event = eventOf(message);
    if (event.type !== 'operations.submitted.v1') return;
    try {
      const taxes = taxesOf(event.data ?? []);
      if (insert.run(event.id, JSON.stringify(taxes)).changes === 0) return;
      process.stdout.write(`${JSON.stringify({ id: event.id, taxes })}\n`);
    } catch (error) {
      process.stderr.write(`${event.id}: ${(error as Error).message}\n`);
      process.exit(1);
    }
  },
});
