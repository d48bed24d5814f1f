// nx bench ops-intake: throughput of the service, as ratios to what it is built on and to what it replaces.
//   BENCH_ROUNDS       5 unless set; servers take turns within a round, so that a busy machine is busy for all of them
//   BENCH_SECONDS      length of each turn, 2 unless set
//   BENCH_CONNECTIONS  100,500 unless set
import { cpus, loadavg } from 'node:os';
import { startBroker } from '@workspace/kafka-broker';
import { cpuMsOf, type ServerProcess, startServer } from './server-process.ts';
import { runWrk, type WrkResult } from './wrk.ts';

const SERVERS = ['bare-http', 'bare-fastify', 'without-kafka', 'one-send-per-request', 'ops-intake'] as const;
type ServerName = (typeof SERVERS)[number];

const rounds = Number(process.env['BENCH_ROUNDS'] || 5);
const seconds = Number(process.env['BENCH_SECONDS'] || 2);
const connectionCounts = (process.env['BENCH_CONNECTIONS'] || '100,500').split(',').map(Number);

interface Turn extends WrkResult {
  residentMb: number;
  /** CPU of the server's process, all threads: tells work apart from a busy machine */
  cpuMicrosPerRequest: number;
  /** CPU of the broker, which shares the cores */
  brokerMicrosPerRequest: number;
}

const turn = async (server: ServerProcess, connections: number): Promise<Turn> => {
  const brokerMs = () => cpuMsOf(broker.pid as number);
  const [before, brokerBefore] = [server.cpuMs(), brokerMs()];
  const result = await runWrk(server.url, connections, seconds);
  const each = (ms: number): number => (ms * 1_000) / result.requests;
  return {
    ...result,
    residentMb: server.residentMb(),
    cpuMicrosPerRequest: each(server.cpuMs() - before),
    brokerMicrosPerRequest: each(brokerMs() - brokerBefore),
  };
};

/** So many requests have V8 compile what it is going to: before, the compiler takes more CPU than the requests. */
const WARM_REQUESTS = 60_000;
const MOST_WARM_TURNS = 5;

const warmUp = async (server: ServerProcess, connections: number): Promise<void> => {
  let requests = 0;
  for (let count = 0; count < MOST_WARM_TURNS && requests < WARM_REQUESTS; count += 1) {
    requests += (await turn(server, connections)).requests;
  }
};

const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

const row = (name: string, turns: Turn[]): Record<string, string | number> => {
  const of = (field: keyof Turn, digits = 0) =>
    Number(median(turns.map((one) => one[field])).toFixed(digits));
  return {
    server: name,
    'submissions/s': of('perSecond'),
    'p50 ms': of('p50', 1),
    'p99 ms': of('p99', 1),
    'RSS MB': of('residentMb'),
    'CPU µs each': of('cpuMicrosPerRequest'),
    'broker µs': of('brokerMicrosPerRequest'),
    'not 2xx': turns.reduce((sum, { failed }) => sum + failed, 0),
  };
};

/** Median, least and greatest over the rounds of one server's rate by another's in the same round. */
const ratio = (of: Turn[], to: Turn[]): string => {
  const ratios = of.map(({ perSecond }, index) => perSecond / (to[index] as Turn).perSecond);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
  return `${median(ratios).toFixed(2)}  (${low} to ${high})`;
};

const broker = await startBroker({ optimized: true });
try {
  console.log(`${cpus().length} cores, Node ${process.version}, broker and wrk on the same cores,`);
  console.log(
    `${rounds} rounds of ${seconds} s each, load of the machine before: ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const connections of connectionCounts) {
    const servers = {} as Record<ServerName, ServerProcess>;
    const turns = {} as Record<ServerName, Turn[]>;
    for (const name of SERVERS) {
      const topic = `bench-${name}-${connections}`;
      await broker.createTopic(topic);
      servers[name] = await startServer(name, {
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
        KAFKA_TOPIC: topic,
      });
      turns[name] = [];
      await warmUp(servers[name], connections);
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const name of SERVERS) turns[name].push(await turn(servers[name], connections));
    }
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    console.log(`\n${connections} connections, 3 operations, acks=all; medians`);
    console.table(SERVERS.map((name) => row(name, turns[name])));
    const intake = turns['ops-intake'];
    console.log(`ops-intake : bare Fastify          ${ratio(intake, turns['bare-fastify'])}`);
    console.log(`ops-intake : the app without Kafka ${ratio(intake, turns['without-kafka'])}`);
    console.log(`ops-intake : one send per request  ${ratio(intake, turns['one-send-per-request'])}`);
    if (intake.some(({ failed }) => failed > 0)) process.exitCode = 1;
  }
} finally {
  await broker.stop();
}
