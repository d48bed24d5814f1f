// nx bench ops-intake: throughput of the service, as ratios to what it is built on and to what it replaces.
//   BENCH_ROUNDS       5 unless set; servers take turns within a round, so that a busy machine is busy for all of them
//   BENCH_SECONDS      length of each turn, 2 unless set
//   BENCH_CONNECTIONS  100,500 unless set
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

const OTHERS = ['bare-http', 'bare-fastify', 'one-send-per-request', 'go'] as const;
const OURS = ['ops-intake', 'two-processes', 'own-schema'] as const;
const ALL = [...OTHERS, ...OURS];
type ServerName = (typeof ALL)[number];
type Server = Awaited<ReturnType<typeof startBuiltApp>>;
const go = goProgram(join(import.meta.dirname, 'servers/go'));
const SERVERS = ALL.filter((name) => name !== 'go' || go !== undefined);
/** With many connections, Go uses both cores: does a second process make up for that? */
const OF_MANY: readonly ServerName[] = ['bare-fastify', 'go', 'ops-intake', 'two-processes'];
const MANY = 500;
const serversOf = ({ connections }: Load): readonly ServerName[] =>
  SERVERS.filter((name) => (connections < MANY ? name !== 'two-processes' : OF_MANY.includes(name)));
/** The built service; the others are in `servers/`. */
const isTheApp = (name: ServerName): boolean => OURS.some((one) => one === name);

const rounds = Number(process.env['BENCH_ROUNDS'] || 5);
const seconds = Number(process.env['BENCH_SECONDS'] || 2);
const connectionCounts = (process.env['BENCH_CONNECTIONS'] || '100,500').split(',').map(Number);

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

/** The processes of a server share the connections. */
const measure = async (processes: readonly Server[], { connections, script }: Load): Promise<Figures> => {
  const sum = <One>(ones: readonly One[], of: (one: One) => number): number =>
    ones.reduce((total, one) => total + of(one), 0);
  const cpuMs = (): number => sum(processes, (one) => one.cpuMs());
  const before = cpuMs();
  const options = { connections: connections / processes.length, seconds, script };
  const results = await Promise.all(processes.map(({ url }) => runWrk(url, options)));
  const requests = sum(results, (one) => one.requests);
  return {
    requests,
    perSecond: sum(results, (one) => one.perSecond),
    p50: Math.max(...results.map(({ p50 }) => p50)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
    failed: sum(results, (one) => one.failed),
    socketErrors: sum(results, (one) => one.socketErrors),
    residentMb: sum(processes, (one) => one.residentMb()),
    cpuMicrosPerRequest: ((cpuMs() - before) * 1_000) / requests,
  };
};

/** So many requests have V8 compile what it is going to: before, the compiler takes more CPU than the requests. */
const WARM_REQUESTS = 60_000;
const MOST_WARM_TURNS = 5;

const warmUp = async (processes: readonly Server[], load: Load): Promise<void> => {
  let requests = 0;
  for (let count = 0; count < MOST_WARM_TURNS && requests < WARM_REQUESTS; count += 1) {
    requests += (await measure(processes, load)).requests;
  }
};

const LABELS: Readonly<Record<ServerName, string>> = {
  'bare-http': 'bare node:http, the body unread',
  'bare-fastify': 'bare Fastify',
  'one-send-per-request': 'kafkajs',
  go: 'Go with franz-go',
  'ops-intake': '**ops-intake**',
  'two-processes': 'ops-intake, two processes',
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
    const servers = {} as Record<ServerName, Server[]>;
    const names = serversOf(load);
    for (const name of names) {
      const topic = `bench-${name}-${index}`;
      await broker.createTopic(topic);
      const env = {
        ...(name === 'own-schema' && { OPERATION_SCHEMA_FILE: OWN_SCHEMA }),
        KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
        KAFKA_TOPIC: topic,
        // As in the image.
        NODE_OPTIONS: '--max-semi-space-size=16',
      };
      const start = (): Promise<Server> => {
        if (isTheApp(name)) return startBuiltApp(env);
        return name === 'go' ? startProgram(go!, env) : startServer(name, env);
      };
      servers[name] = [await start()];
      if (name === 'two-processes') servers[name].push(await start());
      await warmUp(servers[name], load);
    }
    const figures = await inTurns(names, rounds, (name) => measure(servers[name], load));
    const turns = Object.fromEntries(names.map((name, at) => [name, figures[at]])) as Record<
      ServerName,
      Figures[]
    >;
    await Promise.all(Object.values(servers).flatMap((ones) => ones.map((one) => one.stop())));
    report.head(
      ...[
        `${connections} connections, ${whole(operations)} operations`,
        'submissions/s',
        '× bare Fastify (least to greatest)',
      ],
      ...['p99, ms', 'CPU each, µs', 'RSS, MB'],
    );
    for (const name of names) {
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
