/** Measures the speed figures of docs/measurements.md: all servers in one run, in many short rounds that take turns. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtFile, workspaceRoot } from '@workspace/testing';
import { inTurns, machine, medianOf, printHead, printRow, whole } from '@workspace/testing/bench';
import { bundledAsnData, bundledData } from '../src/adapters/mmdb/bundled-data.ts';
import { eightLanguages } from './eight-languages.ts';
import { load, type Measurement, type Server, startProgram, startServer, stopServer } from './load.ts';
import { nginxMissing, nginxWithGeoip2 } from './nginx.ts';

const ours = builtFile('ip-locate');
const database = join(workspaceRoot, 'tmp/ip-locate/GeoLite2-City-like.mmdb');
const seconds = Number(process.env['BENCH_SECONDS'] ?? 2);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 10);
/** A service runs for weeks: its code is compiled and its caches are full. */
const WARM_REQUESTS = 150_000;
const hot = join(import.meta.dirname, 'hot.lua');
const random = join(import.meta.dirname, 'random.lua');

/** As in the image. */
const quiet = {
  PORT: '0',
  LOG_LEVEL: 'info',
  NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=512',
  MALLOC_ARENA_MAX: '1',
};
const server = (name: string) => join(import.meta.dirname, 'servers', `${name}.ts`);
const missing = nginxMissing();
if (missing) console.log(`without nginx: ${missing}`);
const subjects: { name: string; start: () => Promise<Server>; script: string }[] = [
  { name: 'bare node:http', start: () => startServer(server('bare-http'), []), script: random },
  { name: 'bare Fastify', start: () => startServer(server('bare-fastify'), []), script: random },
  {
    name: 'bare Fastify, same headers',
    start: () => startServer(server('bare-fastify-headers'), []),
    script: random,
  },
  {
    name: 'naive geoip2-node, 8 languages, random',
    start: () => startServer(server('naive'), [database]),
    script: random,
  },
  { name: 'ip-locate, repeated', start: () => startServer(ours, [], quiet), script: hot },
  { name: 'ip-locate, bundled data, random', start: () => startServer(ours, [], quiet), script: random },
  {
    name: 'ip-locate, 8 languages, random',
    start: () => startServer(ours, [], { ...quiet, DATABASE_PATH: database }),
    script: random,
  },
];
if (!missing) {
  const start = async () => {
    const { command, url } = await nginxWithGeoip2(database, join(workspaceRoot, 'tmp/ip-locate/nginx'));
    return startProgram(command, url);
  };
  subjects.push({ name: 'nginx with geoip2, 8 languages, random', start, script: random });
}

if (!existsSync(ours)) throw new Error('build first: npx nx build ip-locate');
eightLanguages(database);
const servers: Server[] = [];

const measure = async (): Promise<Map<string, Figures>> => {
  for (const [i, { script }] of subjects.entries()) await warmUp(servers[i] as Server, script);
  const figures = await inTurns([...subjects.entries()], rounds, ([i, { script }]) =>
    load(servers[i] as Server, script, seconds),
  );
  return new Map(subjects.map(({ name }, i) => [name, mediansOf(figures[i] as Measurement[])]));
};

const report = (results: Map<string, Figures>): void => {
  const cpu = (name: string) => (results.get(name) as Figures).cpuPerRequest;
  console.log(
    `${machine()}; median of ${rounds} rounds of ${seconds} s, wrk -t1 -c64, server and wrk on a core each\n`,
  );
  printHead('server', 'µs CPU per request', 'requests/s', '× bare Fastify', 'peak MB');
  for (const { name } of subjects) {
    const { cpuPerRequest, perSecond, failed, peakMegabytes } = results.get(name) as Figures;
    const ratio = (cpuPerRequest / cpu('bare Fastify')).toFixed(2);
    const failures = failed > 0 ? ` (${failed} failed)` : '';
    printRow(
      name,
      cpuPerRequest.toFixed(1),
      `${Math.round(perSecond)}${failures}`,
      ratio,
      whole(peakMegabytes),
    );
  }
  const eight = cpu('ip-locate, 8 languages, random');
  const bundled = results.get('ip-locate, bundled data, random') as Figures;
  const goals = [
    ['repeated addresses, × bare Fastify', cpu('ip-locate, repeated') / cpu('bare Fastify'), 1.25],
    ['bundled data, × bare Fastify', cpu('ip-locate, bundled data, random') / cpu('bare Fastify'), 2],
    ['8 languages, × bare Fastify', eight / cpu('bare Fastify'), 2.75],
    ['8 languages, × naive', eight / cpu('naive geoip2-node, 8 languages, random'), 0.7],
    [
      'repeated addresses, × bare Fastify, same headers',
      cpu('ip-locate, repeated') / cpu('bare Fastify, same headers'),
      1.1,
    ],
    [
      'bundled data, × bare Fastify, same headers',
      bundled.cpuPerRequest / cpu('bare Fastify, same headers'),
      1.4,
    ],
    ['bundled data, peak MB beyond its files', bundled.peakMegabytes - bundledMegabytes(), 120],
  ] as const;
  console.log();
  printHead('goal', 'measured', 'at most', 'met');
  for (const [name, measured, most] of goals) {
    printRow(name, measured.toFixed(2), most, measured <= most ? 'yes' : 'no');
  }
};

type Figures = Pick<Measurement, 'cpuPerRequest' | 'perSecond' | 'peakMegabytes' | 'failed'>;

const mediansOf = (all: readonly Measurement[]): Figures => ({
  cpuPerRequest: medianOf(all, 'cpuPerRequest'),
  perSecond: medianOf(all, 'perSecond'),
  peakMegabytes: medianOf(all, 'peakMegabytes'),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
});

/** Counted in requests, not in time, because a busy machine does little in a second. */
const warmUp = async (server: Server, script: string): Promise<void> => {
  for (let requests = 0; requests < WARM_REQUESTS;) requests += (await load(server, script, 1)).requests;
};

/** Size of the bundled files, which the service keeps in memory. */
const bundledMegabytes = (): number => {
  const main = pathToFileURL(ours).href;
  const paths = [...(bundledData(main) ?? []), ...(bundledAsnData(main) ?? [])];
  return paths.reduce((sum, path) => sum + statSync(path).size / 1024 / 1024, 0);
};

try {
  for (const { start } of subjects) servers.push(await start());
  const results = await measure();
  report(results);
} finally {
  await Promise.all(servers.map(stopServer));
}
