import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { javaEnvironment } from './java.ts';
import { javaCommand } from './java-command.ts';
import { countRecords } from './topics.ts';

/** One record as Kafka's console consumer printed it. */
export interface ConsumedRecord {
  partition: number;
  offset: number;
  key: string | null;
  headers: Record<string, string>;
  value: string;
}

// Separators that JSON text and header values do not contain.
const recordEnd = '\u001e';
const fieldEnd = '\u001f';
const headerEnd = '\u001d';
const none = '\u001c';

/** Parses what the console consumer prints for one record. */
export const parseRecord = (text: string): ConsumedRecord => {
  const [partition, offset, headers, key, ...value] = text.split(fieldEnd);
  return {
    partition: Number(partition?.replace('Partition:', '')),
    offset: Number(offset?.replace('Offset:', '')),
    key: key === none || key === undefined ? null : key,
    headers: Object.fromEntries(
      (headers === 'NO_HEADERS' ? [] : (headers ?? '').split(headerEnd)).map((header) => {
        const colon = header.indexOf(':');
        return [header.slice(0, colon), header.slice(colon + 1)];
      }),
    ),
    value: value.join(fieldEnd),
  };
};

interface Consumption {
  jars: string;
  bootstrapServers: string;
  topic: string;
  onRecord: (record: ConsumedRecord) => void;
}

/**
 * Reads a topic from its beginning to what is its end now, with Kafka's own console consumer: another client library
 * than the one that wrote, another process, no committed offsets.
 */
export const consumeTopic = async ({
  jars,
  bootstrapServers,
  topic,
  onRecord,
}: Consumption): Promise<void> => {
  const count = await countRecords(bootstrapServers, topic);
  if (count === 0) return;
  const printed = { key: true, headers: true, partition: true, offset: true };
  const formatter = {
    ...Object.fromEntries(Object.entries(printed).map(([what, on]) => [`print.${what}`, String(on)])),
    'key.separator': fieldEnd,
    'headers.separator': headerEnd,
    'line.separator': recordEnd,
    'null.literal': none,
  };
  const [program, ...args] = javaCommand(jars, 'org.apache.kafka.tools.consumer.ConsoleConsumer', [
    ...['--bootstrap-server', bootstrapServers, '--topic', topic],
    ...['--from-beginning', '--max-messages', String(count)],
    ...Object.entries(formatter).flatMap(([key, value]) => ['--formatter-property', `${key}=${value}`]),
  ]);
  const consumer = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'], env: javaEnvironment() });
  const exited = once(consumer, 'close') as Promise<[number | null]>;
  let complaints = '';
  consumer.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  let rest = '';
  let seen = 0;
  for await (const chunk of consumer.stdout.setEncoding('utf8')) {
    const records = (rest + String(chunk)).split(recordEnd);
    rest = records.pop()!;
    seen += records.length;
    for (const record of records) onRecord(parseRecord(record));
  }
  const [code] = await exited;
  if (code !== 0 || seen !== count)
    throw new Error(`console consumer read ${seen} of ${count}: ${complaints}`);
};
