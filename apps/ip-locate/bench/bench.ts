/**
 * Compares CPU, requests per second and memory of ip-locate with other servers: all in one run, in many short rounds that take turns.
 *   npx nx bench ip-locate [--write]   --write puts the figures into docs/measurements.md
 * nginx with geoip2 and echoip take part where they are installed.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtFile, freePort, missingTools, workspaceRoot } from '@workspace/testing';
import { goProgram, inTurns, median, medianOf, ratioOf, Report, whole } from '@workspace/testing/bench';
import { bundledData } from '../src/adapters/mmdb/bundled-data.ts';
import { eightLanguages } from './eight-languages.ts';
import { load, type Measurement, type Server, startProgram, startServer, stopServer } from './load.ts';
import { nginxMissing, nginxWithGeoip2 } from './nginx.ts';

const ours = builtFile('ip-locate');
const database = join(workspaceRoot, 'tmp/ip-locate/GeoLite2-City-like.mmdb');
const seconds = Number(process.env['BENCH_SECONDS'] ?? 2);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 10);
/** A service runs for weeks: its code is compiled and its caches are full. */
const WARM_REQUESTS = 150_000;
const ECHOIP = 'echoip, 8 languages, random';
const GO = 'Go with maxminddb-golang, 8 languages, random';
const hot = join(import.meta.dirname, 'hot.lua');
const random = join(import.meta.dirname, 'random.lua');
const randomQuery = join(import.meta.dirname, 'random-query.lua');

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

const go = goProgram(join(import.meta.dirname, 'servers/go'));
if (go) subjects.push({ name: GO, start: () => startServer(go, [database]), script: random });
if (missingTools('echoip').length === 0) {
  const start = async () => {
    const address = `127.0.0.1:${await freePort()}`;
    return startProgram(['echoip', '-l', address, '-c', database, '-f', database], `http://${address}`);
  };
  subjects.push({ name: ECHOIP, start, script: randomQuery });
} else console.log('without echoip: it is not in PATH');

if (!existsSync(ours)) throw new Error('build first: npx nx build ip-locate');
eightLanguages(database);
const servers: Server[] = [];

const measure = async (): Promise<Results> => {
  for (const [i, { script }] of subjects.entries()) await warmUp(servers[i] as Server, script);
  const figures = await inTurns([...subjects.entries()], rounds, ([i, { script }]) =>
    load(servers[i] as Server, script, seconds),
  );
  return new Map(subjects.map(({ name }, i) => [name, figures[i] as Measurement[]]));
};

const report = async (results: Results): Promise<void> => {
  const figures = new Report(
    'apps/ip-locate/docs/measurements.md',
    'speed',
    `medians of ${rounds} rounds of ${seconds} s, wrk -t1 -c64, server and wrk on a core each`,
  );
  const sameHeaders = of(results, 'bare Fastify, same headers');
  figures.head(
    'server',
    'µs CPU per request',
    'requests/s',
    '× bare Fastify, same headers (least to greatest)',
    'peak MB',
  );
  for (const { name } of subjects) {
    const all = of(results, name);
    const failed = all.reduce((sum, one) => sum + one.failed, 0);
    figures.row(
      name,
      medianOf(all, 'cpuPerRequest').toFixed(1),
      `${whole(medianOf(all, 'perSecond'))}${failed > 0 ? ` (${failed} failed)` : ''}`,
      ratioOf(cpuOf(all), cpuOf(sameHeaders)),
      whole(medianOf(all, 'peakMegabytes')),
    );
  }
  const goal = (name: string, measured: number, most: number): void =>
    console.log(
      `goal ${measured <= most ? 'met' : 'missed'}: ${name}: ${measured.toFixed(2)} of at most ${most}`,
    );
  // As in the table: medians of ratios, not ratios of medians, because the machine's speed changes from round to round.
  const ratio = (name: string, other: string): number => {
    const others = cpuOf(of(results, other));
    return median(cpuOf(of(results, name)).map((cpu, round) => cpu / (others[round] ?? NaN)));
  };
  const [bundled, eight] = ['ip-locate, bundled data, random', 'ip-locate, 8 languages, random'] as const;
  goal(
    'repeated addresses, × bare Fastify, same headers',
    ratio('ip-locate, repeated', 'bare Fastify, same headers'),
    1.1,
  );
  goal('bundled data, × bare Fastify, same headers', ratio(bundled, 'bare Fastify, same headers'), 1.2);
  goal('8 languages, × naive', ratio(eight, 'naive geoip2-node, 8 languages, random'), 0.7);
  if (results.has(GO)) goal('8 languages, × Go', ratio(eight, GO), 1.5);
  if (results.has(ECHOIP)) goal('8 languages, × echoip', ratio(eight, ECHOIP), 1);
  goal(
    'bundled data, peak MB beyond its files',
    medianOf(of(results, bundled), 'peakMegabytes') - bundledMegabytes(),
    120,
  );
  await figures.write();
};

type Results = ReadonlyMap<string, readonly Measurement[]>;

const of = (results: Results, name: string): readonly Measurement[] => results.get(name)!;
const cpuOf = (all: readonly Measurement[]): number[] => all.map(({ cpuPerRequest }) => cpuPerRequest);

/** Counted in requests, not in time, because a busy machine does little in a second. */
const warmUp = async (server: Server, script: string): Promise<void> => {
  for (let requests = 0; requests < WARM_REQUESTS;) requests += (await load(server, script, 1)).requests;
};

/** Size of the bundled files, which the service keeps in memory. */
const bundledMegabytes = (): number => {
  const { city = [], asn = [] } = bundledData(pathToFileURL(ours).href);
  const paths = [...city, ...asn];
  return paths.reduce((sum, path) => sum + statSync(path).size / 1024 / 1024, 0);
};

try {
  for (const { start } of subjects) servers.push(await start());
  await report(await measure());
} finally {
  await Promise.all(servers.map(stopServer));
}
