// nx bench ops-intake: what the service takes, as ratios to what it is built on and to what it replaces.
//   BENCH_SECONDS      length of each run, 5 unless set
//   BENCH_CONNECTIONS  100,500 unless set
import { cpus } from 'node:os';
import { startBroker } from '@workspace/kafka-broker';
import { startServer } from './server-process.ts';
import { runWrk, type WrkResult } from './wrk.ts';

const SERVERS = ['bare-http', 'bare-fastify', 'without-kafka', 'one-send-per-request', 'intake'] as const;
type ServerName = (typeof SERVERS)[number];
const WARM_UP_SECONDS = 2;

const seconds = Number(process.env['BENCH_SECONDS'] || 5);
const connectionCounts = (process.env['BENCH_CONNECTIONS'] || '100,500').split(',').map(Number);

interface Measured extends WrkResult {
  residentMb: number;
  /** CPU of the server's process, all threads: tells work apart from a busy machine */
  cpuMicrosPerRequest: number;
}

const measure = async (
  name: ServerName,
  connections: number,
  env: Record<string, string>,
): Promise<Measured> => {
  const server = await startServer(name, env);
  try {
    await runWrk(server.url, connections, WARM_UP_SECONDS);
    const before = server.cpuMs();
    const result = await runWrk(server.url, connections, seconds);
    const cpuMicrosPerRequest = ((server.cpuMs() - before) * 1_000) / result.requests;
    return { ...result, residentMb: server.residentMb(), cpuMicrosPerRequest };
  } finally {
    await server.stop();
  }
};

const row = (name: string, m: Measured): Record<string, string | number> => ({
  server: name,
  'submissions/s': Math.round(m.perSecond),
  'p50 ms': Number(m.p50.toFixed(1)),
  'p99 ms': Number(m.p99.toFixed(1)),
  'RSS MB': Math.round(m.residentMb),
  'CPU µs each': Math.round(m.cpuMicrosPerRequest),
  'not 2xx': m.failed,
});

const ratio = (of: Measured, to: Measured): string => (of.perSecond / to.perSecond).toFixed(2);

const broker = await startBroker();
try {
  console.log(
    `${cpus().length} cores, Node ${process.version}, ${seconds} s each, broker and wrk on the same cores`,
  );
  for (const connections of connectionCounts) {
    const measured = {} as Record<ServerName, Measured>;
    for (const name of SERVERS) {
      const topic = `bench-${name}-${connections}`;
      await broker.createTopic(topic);
      const env = { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers, KAFKA_TOPIC: topic };
      measured[name] = await measure(name, connections, env);
      await broker.deleteTopic(topic);
    }
    console.log(`\n${connections} connections, 3 operations, acks=all`);
    console.table(SERVERS.map((name) => row(name, measured[name])));
    const { intake } = measured;
    console.log(`intake : bare Fastify          ${ratio(intake, measured['bare-fastify'])}`);
    console.log(`intake : the app without Kafka ${ratio(intake, measured['without-kafka'])}`);
    console.log(`intake : one send per request  ${ratio(intake, measured['one-send-per-request'])}`);
    if (intake.failed > 0) process.exitCode = 1;
  }
} finally {
  await broker.stop();
}
