// nx bench kafka-producer: how long it takes to say whether a topic has a record, with an index of recent ids and without,
// on a real broker, while records are written.
//   RECORDS  in the topic before, as if written during the last hour; 3,600,000 unless set
//   RATE     records written a second meanwhile, 1,000 unless set
//   SECONDS  of each run, 20 unless set
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from '@workspace/kafka-broker';
import { createLogger } from '@workspace/logging';
import { eventually } from '@workspace/testing';
import { openProducer, type Producer } from '../src/index.ts';

const records = Number(process.env['RECORDS'] || 3_600_000);
const rate = Number(process.env['RATE'] || 1_000);
const seconds = Number(process.env['SECONDS'] || 20);
const HOUR_MS = 3_600_000;
const HEADER = 'ce_id';
const VALUE = Buffer.from(
  '[{"operation":"buy","unit-cost":10.00,"quantity":100},{"operation":"sell","unit-cost":15.00,"quantity":50}]',
);

const broker = await startBroker();
const topic = 'look-ups';
const settings = { 'message.timestamp.before.max.ms': String(2 * 3_600_000) };
await broker.createTopic(topic, { partitions: 3, settings });

/** what the next records are dated */
let now = (): Date => new Date();
const open = async (isIndexed: boolean): Promise<Producer> => {
  const producer = openProducer({
    settings: {
      brokers: [broker.bootstrapServers],
      clientId: 'bench',
      topic,
      connectionTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
      deliveryTimeoutMs: 30_000,
    },
    limits: { queueRecords: 100_000, queueBytes: 1e9, batchRecords: 500, batchBytes: 900_000 },
    search: {
      maxBytes: 1e10,
      timeoutMs: 600_000,
      ...(isIndexed && { index: { header: HEADER, windowMs: HOUR_MS + 120_000, intervalMs: 1_000 } }),
    },
    probeIntervalMs: 2_000,
    now: () => now(),
    logger: createLogger({ name: 'bench', level: 'warn' }),
  });
  await eventually('connection', () => producer.status().connected);
  return producer;
};

const ids: string[] = [];
const write = (producer: Producer): Promise<void> =>
  new Promise((resolve) => {
    const id = randomUUID();
    ids.push(id);
    const headers = {
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: '/operations-service',
      ce_type: 'operations.submitted.v1',
      ce_time: now().toISOString(),
      'content-type': 'application/json',
    };
    producer.append({ key: id, value: VALUE, headers }, { settled: () => resolve() });
  });

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(1);
const report = (what: string, took: number[]): void => {
  const sorted = took.toSorted((a, b) => a - b);
  console.log(
    `${what}: ${sorted.length} look-ups, p50 ${at(sorted, 0.5)}, p99 ${at(sorted, 0.99)}, max ${at(sorted, 1)} ms`,
  );
};

const filler = await open(false);
const began = Date.now() - HOUR_MS;
for (let written = 0; written < records; written += 20_000) {
  now = () => new Date(began + (written / records) * HOUR_MS);
  await Promise.all(Array.from({ length: Math.min(20_000, records - written) }, () => write(filler)));
}
now = () => new Date();
const memory = (): number => process.memoryUsage().rss / 1_048_576;

for (const isIndexed of [true, false]) {
  const before = memory();
  const opened = performance.now();
  const producer = await open(isIndexed);
  const find = async (value: string, ageMs: number): Promise<boolean> => {
    const from = new Date(Date.now() - ageMs - 60_000);
    const until = new Date(Date.now() + 60_000);
    const query = { header: { name: HEADER, value }, likelyKey: value, from, until };
    const { found, gap } = await producer.find(query);
    if (gap) throw new Error(gap);
    return found !== undefined;
  };
  if (await find(randomUUID(), HOUR_MS - 1)) throw new Error('found what was never written');
  const took = (performance.now() - opened) / 1_000;
  console.log(
    `${isIndexed ? 'index' : 'no index'}: first answer after ${took.toFixed(1)} s, ${(memory() - before).toFixed(0)} MiB more`,
  );
  const ends = performance.now() + seconds * 1_000;
  const writing = (async () => {
    while (performance.now() < ends) {
      for (let one = 0; one < rate / 100; one += 1) void write(filler);
      await sleep(10);
    }
  })();
  const found: number[] = [];
  const absent: number[] = [];
  const timed = async (took: number[], value: string, expected: boolean): Promise<void> => {
    const started = performance.now();
    if ((await find(value, HOUR_MS - 1)) !== expected) throw new Error(`wrong answer for ${value}`);
    took.push(performance.now() - started);
  };
  // The oldest ones leave the window while this runs.
  const known = ids.slice(Math.floor(records * 0.2), records);
  while (performance.now() < ends) {
    await timed(found, known[Math.floor(Math.random() * known.length)]!, true);
    await timed(absent, randomUUID(), false);
    await sleep(5);
  }
  await writing;
  report('  found', found);
  report('  absent', absent);
  if (isIndexed) {
    // As after the store has lost its data: every key is looked up.
    const all: number[] = [];
    const until = performance.now() + seconds * 1_000;
    const pending: Promise<void>[] = [];
    while (performance.now() < until) {
      for (let one = 0; one < rate / 100; one += 1) pending.push(timed(all, randomUUID(), false));
      await sleep(10);
    }
    await Promise.all(pending);
    report(`  absent, ${rate} a second`, all);
  }
  await producer.close();
}
await filler.close();
await broker.stop();
