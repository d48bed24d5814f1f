// nx run ops-intake:bench-keys: what an Idempotency-Key costs in each store, at each level of IDEMPOTENCY_STORE_DURABILITY.
//   BENCH_ROUNDS       3 unless set; servers take turns within a round
//   BENCH_SECONDS      length of each turn, 2 unless set
//   BENCH_CONNECTIONS  100 unless set
//   --write            puts the figures into docs/measurements.md
import { join } from 'node:path';
import { startBroker } from '@workspace/kafka-broker';
import { inTurns, medianOf, ratioOf, Report, runWrk, whole, type WrkResult } from '@workspace/testing/bench';
import { startPostgres, startRedis, valkeyProgram } from '@workspace/testing/stores';
import { MIGRATE, TABLE } from '../src/features/shared-keys/postgres/statements.ts';
import { startBuiltApp } from './built-app.ts';
import { startServer } from './server-process.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] || 3);
const seconds = Number(process.env['BENCH_SECONDS'] || 2);
const connections = Number(process.env['BENCH_CONNECTIONS'] || 100);

const UNKEYED = join(import.meta.dirname, 'submission.lua');
const KEYED = join(import.meta.dirname, 'keyed-submission.lua');

const ends: (() => unknown)[] = [];
const ending = <Started extends { stop(): unknown }>(started: Started): Started => {
  ends.push(() => started.stop());
  return started;
};

/** Of a new store, each key would be looked up in the topic. */
const redisOfADay = async (program: string, settings: string[], hasReplica: boolean): Promise<string> => {
  const server = ending(await startRedis({ program, settings }));
  const replica = ['appendonly no', `replicaof 127.0.0.1 ${server.port}`, 'repl-diskless-sync-delay 0'];
  if (hasReplica) ending(await startRedis({ program, settings: replica }));
  await server.command('HSET', 'ops-intake:store', 'since', String(Date.now() - 86_400_000));
  return server.url;
};
const postgresOfADay = async (): Promise<string> => {
  const server = ending(await startPostgres({ fsync: 'on' }));
  ending(await server.standby());
  await server.query("ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
  await server.query(
    MIGRATE,
    `INSERT INTO ${TABLE} (id, state, claimed_at, expires_at)
     VALUES ('00000000-0000-0000-0000-000000000000', 'store', now() - interval '1 day', 'infinity')`,
  );
  // What `none` leaves to the server: that it does not wait.
  await server.query("ALTER SYSTEM SET synchronous_commit = 'off'", 'SELECT pg_reload_conf()');
  return server.url;
};

interface Server {
  url: string;
  cpuMs: () => number;
  script: string;
}
interface Figures extends WrkResult {
  cpuMicros: number;
}

try {
  const broker = ending(await startBroker({ optimized: true }));
  const valkey = await valkeyProgram();
  const alone = await redisOfADay(valkey, ['appendonly no'], false);
  const memory = await redisOfADay(valkey, ['appendonly no'], true);
  const disk = await redisOfADay(valkey, ['appendfsync always'], true);
  const postgres = await postgresOfADay();
  const servers: Record<string, Server> = {};

  const bare = ending(await startServer('bare-fastify'));
  servers['bare Fastify'] = { ...bare, script: UNKEYED };
  const service = async (name: string, script: string, env: Record<string, string>): Promise<void> => {
    const topic = `keys-${Object.keys(servers).length}`;
    await broker.createTopic(topic);
    const app = await startBuiltApp({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      KAFKA_TOPIC: topic,
      ...env,
    });
    servers[name] = { ...ending(app), script };
  };
  await service('without keys', UNKEYED, {});
  await service('keys in memory', KEYED, { IDEMPOTENCY_ENTRIES: '1000000' });
  for (const [name, url, level] of [
    ['Valkey without a replica, none', alone, 'none'],
    ['Valkey, none', memory, 'none'],
    ['Valkey, local', disk, 'local'],
    ['Valkey, replicated', memory, 'replicated'],
    ['PostgreSQL, none', postgres, 'none'],
    ['PostgreSQL, local', postgres, 'local'],
    ['PostgreSQL, replicated', postgres, 'replicated'],
  ] as const) {
    await service(name, KEYED, { IDEMPOTENCY_STORE_URL: url, IDEMPOTENCY_STORE_DURABILITY: level });
  }

  const measure = async ({ url, cpuMs, script }: Server): Promise<Figures> => {
    const before = cpuMs();
    const result = await runWrk(url, { connections, seconds, script });
    return { ...result, cpuMicros: ((cpuMs() - before) * 1_000) / result.requests };
  };
  const names = Object.keys(servers);
  const report = new Report(
    'apps/ops-intake/docs/measurements.md',
    'keys',
    `medians of ${rounds} rounds of ${seconds} s, ${connections} connections; broker, wrk, stores and their replicas on the same cores`,
  );
  // The first round has V8 compile.
  const [...figures] = await inTurns(names, rounds + 1, (name) => measure(servers[name]!));
  const turns = Object.fromEntries(names.map((name, at) => [name, figures[at]!.slice(1)]));
  const rate = (name: string) => turns[name]!.map(({ perSecond }) => perSecond);
  report.head('store', 'submissions/s', 'by bare Fastify’s (least to greatest)', 'p99', 'CPU each');
  for (const name of names) {
    const of = turns[name]!;
    const failed = of.reduce((sum, one) => sum + one.failed + one.socketErrors, 0);
    report.row(
      name,
      `${whole(medianOf(of, 'perSecond'))}${failed > 0 ? ` (${failed} failed)` : ''}`,
      ratioOf(rate(name), rate('bare Fastify')),
      `${medianOf(of, 'p99').toFixed(1)} ms`,
      `${medianOf(of, 'cpuMicros').toFixed(0)} µs`,
    );
  }
  await report.write();
} finally {
  for (const end of ends.reverse()) await end();
}
