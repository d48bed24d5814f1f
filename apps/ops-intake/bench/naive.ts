// nx naive ops-intake: what the usual way of using kafkajs loses on a real broker when connections break, and what the
// lane keeps. The reason for the design; figures in the README.
//   PROBE_SECONDS  length of each run, 10 unless set
import { randomUUID } from 'node:crypto';
import { freePorts, startBroker } from '@workspace/kafka-broker';
import { createLogger } from '@workspace/logging';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { apiKeys } from '../e2e/support/frames.ts';
import { startFaultProxy } from '../e2e/support/fault-proxy.ts';
import { openKafkaLog } from '../src/adapters/kafka/kafka-log.ts';

const SENDERS = 64;
/** One Produce request in fifty is carried out, and then its connection is reset before the answer arrives. */
const RESET_AFTER_APPEND = { kind: 'cut-after', apiKey: apiKeys.produce, probability: 0.02 } as const;
const seconds = Number(process.env['PROBE_SECONDS'] || 10);

/** Sends one record and resolves when it is acknowledged. */
type Send = (key: string, value: string) => Promise<unknown>;
interface Client {
  send: Send;
  close(): Promise<void>;
}

const naive = async (bootstrap: string, topic: string): Promise<Client> => {
  const kafka = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  return {
    send: (key, value) => producer.send({ topic, acks: -1, messages: [{ key, value }] }),
    close: () => producer.disconnect(),
  };
};

const lane = async (bootstrap: string, topic: string): Promise<Client> => {
  const log = openKafkaLog({
    settings: {
      brokers: [bootstrap],
      clientId: 'probe',
      topic,
      connectionTimeoutMs: 1_000,
      requestTimeoutMs: 1_000,
      retries: 2,
    },
    lanes: 1,
    limits: { queueRecords: 10_000, queueBytes: 67_108_864, batchRecords: 500, batchBytes: 900_000 },
    probeIntervalMs: 200,
    now: () => new Date(),
    logger: createLogger({ name: 'probe', level: 'silent' }),
  });
  while (!log.status().connected) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    send: (key, value) => log.append({ key, value: Buffer.from(value), headers: {} }).settled,
    close: () => log.close(),
  };
};

const [proxyPort] = (await freePorts(1)) as [number];
const proxy = await startFaultProxy({ port: proxyPort, seed: 1 });
const broker = await startBroker({ viaAdvertisedPort: proxyPort });
proxy.target = broker.ports['VIA'] as number;

/** Sends until the time is over, each sender one record after the other, then compares with the log. */
const probe = async (name: string, open: (bootstrap: string, topic: string) => Promise<Client>) => {
  const topic = `probe-${name}`;
  await broker.createTopic(topic);
  const client = await open(`127.0.0.1:${proxyPort}`, topic);
  const acked = new Set<string>();
  let failed = 0;
  const resetsBefore = proxy.struck['cut-after'];
  proxy.rules = [RESET_AFTER_APPEND];
  const end = performance.now() + seconds * 1_000;
  const sender = async (): Promise<void> => {
    while (performance.now() < end) {
      const key = randomUUID();
      await client.send(key, key).then(
        () => acked.add(key),
        () => (failed += 1),
      );
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  proxy.rules = [];
  const resets = proxy.struck['cut-after'] - resetsBefore;
  await client.close();

  const copies = new Map<string, number>();
  await broker.consumeEach(topic, ({ key }) => copies.set(key ?? '', (copies.get(key ?? '') ?? 0) + 1));
  const lost = [...acked].filter((key) => !copies.has(key)).length;
  const doubled = [...acked].filter((key) => (copies.get(key) ?? 0) > 1).length;
  return {
    client: name,
    resets,
    acked: acked.size,
    failed,
    'acked but lost': lost,
    'acked twice in the log': doubled,
  };
};

try {
  const rows = [await probe('one-send-per-request', naive), await probe('lane', lane)];
  console.table(rows);
  const kept = rows[1];
  if (!kept || kept['acked but lost'] > 0 || kept['acked twice in the log'] > 0) process.exitCode = 1;
} finally {
  await proxy.close();
  await broker.stop();
}
