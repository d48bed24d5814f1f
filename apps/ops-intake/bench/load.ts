// nx bench ops-intake: throughput of the service, as ratios to what it is built on and to what it replaces.
//   BENCH_ROUNDS       5 unless set; servers take turns within a round, so that a busy machine is busy for all of them
//   BENCH_SECONDS      length of each turn, 2 unless set
//   BENCH_CONNECTIONS  100,500 unless set
import { join } from 'node:path';
import { startBroker } from '@workspace/kafka-broker';
import {
  cpuMilliseconds,
  inTurns,
  machine,
  medianOf,
  ratioOf,
  runWrk,
  type WrkResult,
} from '@workspace/testing/bench';
import { type ServerProcess, startServer } from './server-process.ts';

const SERVERS = ['bare-http', 'bare-fastify', 'without-kafka', 'one-send-per-request', 'ops-intake'] as const;
type ServerName = (typeof SERVERS)[number];

const rounds = Number(process.env['BENCH_ROUNDS'] || 5);
const seconds = Number(process.env['BENCH_SECONDS'] || 2);
const connectionCounts = (process.env['BENCH_CONNECTIONS'] || '100,500').split(',').map(Number);

/** POSTs of three operations. */
const SCRIPT = join(import.meta.dirname, 'submission.lua');

interface Turn extends WrkResult {
  residentMb: number;
  /** CPU of the server's process, all threads: it distinguishes work from a busy machine */
  cpuMicrosPerRequest: number;
  /** CPU of the broker, which shares the cores */
  brokerMicrosPerRequest: number;
}

const turn = async (server: ServerProcess, connections: number): Promise<Turn> => {
  const brokerMs = () => cpuMilliseconds(broker.pid);
  const [before, brokerBefore] = [server.cpuMs(), brokerMs()];
  const result = await runWrk(server.url, { connections, seconds, script: SCRIPT });
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

const row = (name: string, turns: Turn[]): Record<string, string | number> => {
  const of = (field: keyof Turn, digits = 0) => Number(medianOf(turns, field).toFixed(digits));
  return {
    server: name,
    'submissions/s': of('perSecond'),
    'p50 ms': of('p50', 1),
    'p99 ms': of('p99', 1),
    'RSS MB': of('residentMb'),
    'CPU µs each': of('cpuMicrosPerRequest'),
    'broker µs': of('brokerMicrosPerRequest'),
    'not 2xx': turns.reduce((sum, { failed, socketErrors }) => sum + failed + socketErrors, 0),
  };
};

const ratio = (of: Turn[], to: Turn[]): string =>
  ratioOf(
    of.map(({ perSecond }) => perSecond),
    to.map(({ perSecond }) => perSecond),
  );

const broker = await startBroker({ optimized: true });
try {
  console.log(`${machine()}; broker and wrk on the same cores, ${rounds} rounds of ${seconds} s each`);
  for (const connections of connectionCounts) {
    const servers = {} as Record<ServerName, ServerProcess>;
    for (const name of SERVERS) {
      const topic = `bench-${name}-${connections}`;
      await broker.createTopic(topic);
      servers[name] = await startServer(name, {
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
        KAFKA_TOPIC: topic,
      });
      await warmUp(servers[name], connections);
    }
    const figures = await inTurns(SERVERS, rounds, (name) => turn(servers[name], connections));
    const turns = Object.fromEntries(SERVERS.map((name, at) => [name, figures[at]])) as Record<
      ServerName,
      Turn[]
    >;
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    console.log(`\n${connections} connections, 3 operations, acks=all; medians`);
    console.table(SERVERS.map((name) => row(name, turns[name])));
    const intake = turns['ops-intake'];
    console.log(`ops-intake : bare Fastify          ${ratio(intake, turns['bare-fastify'])}`);
    console.log(`ops-intake : the app without Kafka ${ratio(intake, turns['without-kafka'])}`);
    console.log(`ops-intake : one send per request  ${ratio(intake, turns['one-send-per-request'])}`);
    if (intake.some(({ failed, socketErrors }) => failed + socketErrors > 0)) process.exitCode = 1;
  }
} finally {
  await broker.stop();
}
