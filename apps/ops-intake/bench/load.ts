// nx bench ops-intake: throughput of the service, as ratios to what it is built on and to what it replaces.
//   BENCH_ROUNDS       5 unless set; servers take turns within a round, so that a busy machine is busy for all of them
//   BENCH_SECONDS      length of each turn, 2 unless set
//   BENCH_CONNECTIONS  100 unless set; separated by commas
//   --write            puts the figures into docs/measurements.md
import { join } from 'node:path';
import { startBroker } from '@workspace/kafka-broker';
import {
  goProgram,
  inTurns,
  medianOf,
  ratioOf,
  Report,
  runWrk,
  whole,
  type WrkResult,
} from '@workspace/testing/bench';
import { startBuiltApp } from './built-app.ts';
import { startProgram, startServer } from './server-process.ts';

const ALL = ['bare-http', 'bare-fastify', 'one-send-per-request', 'go', 'ops-intake', 'own-schema'] as const;
type ServerName = (typeof ALL)[number];
type Server = Awaited<ReturnType<typeof startBuiltApp>>;
const go = goProgram(join(import.meta.dirname, 'servers/go'));
const SERVERS = ALL.filter((name) => name !== 'go' || go !== undefined);
/** The built service; the others are in `servers/`. */
const isTheApp = (name: ServerName): boolean => name === 'ops-intake' || name === 'own-schema';

const rounds = Number(process.env['BENCH_ROUNDS'] || 5);
const seconds = Number(process.env['BENCH_SECONDS'] || 2);
const connectionCounts = (process.env['BENCH_CONNECTIONS'] || '100').split(',').map(Number);

/** The schema of the three members as a file: the same submissions, judged by ajv. */
const OWN_SCHEMA = join(import.meta.dirname, '../examples/operations.v2.json');

/** What is sent: by how many connections, and how many operations at once. */
interface Load {
  readonly connections: number;
  readonly operations: number;
  readonly script: string;
}
const script = (name: string): string => join(import.meta.dirname, name);
const LOADS: readonly Load[] = [
  ...connectionCounts.map((connections) => ({
    connections,
    operations: 3,
    script: script('submission.lua'),
  })),
  { connections: 100, operations: 1_000, script: script('large-submission.lua') },
];

interface Figures extends WrkResult {
  residentMb: number;
  /** CPU of the server's process, all threads: it distinguishes work from a busy machine */
  cpuMicrosPerRequest: number;
}

const measure = async (server: Server, { connections, script }: Load): Promise<Figures> => {
  const before = server.cpuMs();
  const result = await runWrk(server.url, { connections, seconds, script });
  return {
    ...result,
    residentMb: server.residentMb(),
    cpuMicrosPerRequest: ((server.cpuMs() - before) * 1_000) / result.requests,
  };
};

/** So many requests have V8 compile what it is going to: before, the compiler takes more CPU than the requests. */
const WARM_REQUESTS = 60_000;
const MOST_WARM_TURNS = 5;

const warmUp = async (server: Server, load: Load): Promise<void> => {
  let requests = 0;
  for (let count = 0; count < MOST_WARM_TURNS && requests < WARM_REQUESTS; count += 1) {
    requests += (await measure(server, load)).requests;
  }
};

const LABELS: Readonly<Record<ServerName, string>> = {
  'bare-http': 'bare node:http, the body unread',
  'bare-fastify': 'bare Fastify',
  'one-send-per-request': 'kafkajs',
  go: 'Go with franz-go',
  'ops-intake': '**ops-intake**',
  'own-schema': 'ops-intake, schema as a file',
};

const ratio = (of: Figures[], to: Figures[]): string =>
  ratioOf(
    of.map(({ perSecond }) => perSecond),
    to.map(({ perSecond }) => perSecond),
  );

const report = new Report(
  'apps/ops-intake/docs/measurements.md',
  'load',
  `medians of ${rounds} rounds of ${seconds} s, acks=all; broker and wrk on the same cores`,
);
const broker = await startBroker({ optimized: true });
try {
  for (const [index, load] of LOADS.entries()) {
    const { connections, operations } = load;
    const servers = {} as Record<ServerName, Server>;
    for (const name of SERVERS) {
      const topic = `bench-${name}-${index}`;
      await broker.createTopic(topic);
      const env = {
        ...(name === 'own-schema' && { OPERATION_SCHEMA_FILE: OWN_SCHEMA }),
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
        KAFKA_TOPIC: topic,
        // As in the image.
        NODE_OPTIONS: '--max-semi-space-size=16',
      };
      if (isTheApp(name)) servers[name] = await startBuiltApp(env);
      else servers[name] = await (name === 'go' ? startProgram(go!, env) : startServer(name, env));
      await warmUp(servers[name], load);
    }
    const figures = await inTurns(SERVERS, rounds, (name) => measure(servers[name], load));
    const turns = Object.fromEntries(SERVERS.map((name, at) => [name, figures[at]])) as Record<
      ServerName,
      Figures[]
    >;
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    report.head(
      ...[
        `${connections} connections, ${whole(operations)} operations`,
        'submissions/s',
        '× bare Fastify (least to greatest)',
      ],
      ...['p99, ms', 'CPU each, µs', 'RSS, MB'],
    );
    for (const name of SERVERS) {
      const of = turns[name];
      const failed = of.reduce((sum, one) => sum + one.failed + one.socketErrors, 0);
      report.row(
        LABELS[name],
        `${whole(medianOf(of, 'perSecond'))}${failed > 0 ? ` (${failed} failed)` : ''}`,
        ratio(of, turns['bare-fastify']),
        medianOf(of, 'p99').toFixed(1),
        medianOf(of, 'cpuMicrosPerRequest').toFixed(0),
        whole(medianOf(of, 'residentMb')),
      );
      if (isTheApp(name) && failed > 0) process.exitCode = 1;
    }
  }
  await report.write();
} finally {
  await broker.stop();
}
