// nx naive ops-intake: what the usual ways of using kafkajs lose on a real broker when connections break, compared with
// ops-intake. The reason for the design; figures in docs/kafka.md.
//   PROBE_SECONDS  length of each run, 10 unless set
//
// Three designs, the same 64 clients, the same proxy and the same faults, no HTTP in between. Each client writes its own
// numbers, one after the other, and notes which were acknowledged; Kafka's console consumer then lists which are there.
import { type Broker, startBroker } from '@workspace/kafka-broker';
import { freePort } from '@workspace/testing';
import { Kafka, logLevel } from 'kafkajs';
import { type FaultProxy, type FaultRule, startFaultProxy } from '../e2e/support/fault-proxy.ts';
import { apiKeys } from '../e2e/support/frames.ts';
import { append } from '../test/append.ts';
import { openLog } from './servers/open-log.ts';

const seconds = Number(process.env['PROBE_SECONDS'] || 10);
const clients = 64;

/** A way to write: resolves when the record is acknowledged, rejects when it is not. */
interface Design {
  name: string;
  open(
    bootstrap: string,
    topic: string,
  ): Promise<{ write(number: number): Promise<void>; close(): Promise<void> }>;
}

const naive = (idempotent: boolean): Design => ({
  name: `kafkajs, ${idempotent ? 'idempotent' : 'not idempotent'}, one send() per submission`,
  open: async (bootstrap, topic) => {
    const kafka = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING, requestTimeout: 1_000 });
    const producer = kafka.producer({ idempotent, allowAutoTopicCreation: false });
    await producer.connect();
    return {
      write: async (number) => {
        await producer.send({
          topic,
          acks: -1,
          messages: [{ key: String(number), value: String(number) }],
        });
      },
      close: () => producer.disconnect(),
    };
  },
});

const opsIntake: Design = {
  name: 'ops-intake',
  open: async (bootstrap, topic) => {
    const log = await openLog([bootstrap], topic, 'silent');
    return {
      write: async (number) => {
        const value = Buffer.from(String(number));
        await append(log, { key: String(number), value, headers: {} });
      },
      close: () => log.close(),
    };
  },
};

interface Result {
  design: string;
  faults: string;
  resets: number;
  acknowledged: number;
  failed: number;
  lost: number;
  doubled: number;
  crashes: number;
}

/** Errors thrown in a socket's handler, where nothing can catch them: in a service each ends the process. */
let crashes = 0;
process.on('uncaughtException', (error) => {
  if (!(error instanceof RangeError)) throw error;
  crashes += 1;
});
// kafkajs re-arms a timer with a negative delay for ever; Node warns of it once.
process.removeAllListeners('warning');

const run = async (design: Design, proxy: FaultProxy, broker: Broker, faults: string): Promise<Result> => {
  const topic = `probe-${(topics += 1)}`;
  await broker.createTopic(topic);
  proxy.rules = [];
  const { write, close } = await design.open(`127.0.0.1:${proxy.port}`, topic);
  const acknowledged = new Set<number>();
  let failed = 0;
  let next = 0;
  crashes = 0;
  const resetsBefore = resetsOf(proxy);
  proxy.rules = rulesOf[faults]!;
  const end = performance.now() + seconds * 1_000;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const number = (next += 1);
      const written = await write(number).then(
        () => acknowledged.add(number),
        () => undefined,
      );
      if (written) continue;
      failed += 1;
      await pause(20);
    }
  };
  await Promise.race([Promise.all(Array.from({ length: clients }, client)), pause(seconds * 1_000 + 40_000)]);
  proxy.rules = [];
  const resets = resetsOf(proxy) - resetsBefore;
  await Promise.race([close(), pause(20_000)]);

  const copies = new Map<number, number>();
  await broker.consumeEach(topic, ({ value }) =>
    copies.set(Number(value), (copies.get(Number(value)) ?? 0) + 1),
  );
  const count = (is: (number: number) => boolean): number => [...acknowledged].filter(is).length;
  return {
    design: design.name,
    faults,
    resets,
    acknowledged: acknowledged.size,
    failed,
    lost: count((number) => !copies.has(number)),
    doubled: count((number) => copies.get(number)! > 1),
    crashes,
  };
};

const resetsOf = ({ struck }: FaultProxy): number => struck['cut-after'] + struck['cut-inside'];

let topics = 0;
const apiKey = apiKeys.produce;
const rulesOf: Record<string, FaultRule[]> = {
  none: [],
  'reset after the append, 2 %': [{ kind: 'cut-after', apiKey, probability: 0.02 }],
  'reset inside the answer, 2 %': [{ kind: 'cut-inside', apiKey, probability: 0.02 }],
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const port = await freePort();
const proxy = await startFaultProxy({ port: port!, seed: 3 });
const broker = await startBroker({ viaAdvertisedPort: proxy.port });
proxy.target = broker.ports['VIA']!;
const results: Result[] = [];
for (const faults of Object.keys(rulesOf)) {
  for (const design of [naive(true), naive(false), opsIntake]) {
    const result = await run(design, proxy, broker, faults);
    console.log(JSON.stringify(result));
    results.push(result);
  }
}
await proxy.close();
await broker.stop();
console.table(results);
// The naive clients cannot always be closed: their timers would keep this process alive.
const kept = results.filter(({ design }) => design === opsIntake.name);
process.exit(kept.every(({ lost, doubled, crashes: died }) => lost + doubled + died === 0) ? 0 : 1);
