/**
 * Measures the speed figures of the README: all servers in one run, in many short rounds that take turns, so that all meet
 * the same noise. Other processes can only add to the CPU of a round, so the second best round counts.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtFile, workspaceRoot } from '@workspace/testing';
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
try {
  for (const { start } of subjects) servers.push(await start());
  const results = await measure();
  report(results);
} finally {
  await Promise.all(servers.map(stopServer));
}

async function measure(): Promise<Map<string, Measurement>> {
  const measured = new Map<string, Measurement[]>(subjects.map(({ name }) => [name, []]));
  for (const [i, { script }] of subjects.entries()) await warmUp(servers[i] as Server, script);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { name, script }] of subjects.entries()) {
      measured.get(name)?.push(await load(servers[i] as Server, script, seconds));
    }
  }
  const secondBest = (all: Measurement[]) =>
    all.toSorted((a, b) => a.cpuPerRequest - b.cpuPerRequest)[Math.min(1, all.length - 1)] as Measurement;
  return new Map([...measured].map(([name, all]) => [name, secondBest(all)]));
}

/** Counted in requests, not in time, because a busy machine does little in a second. */
async function warmUp(server: Server, script: string): Promise<void> {
  for (let requests = 0; requests < WARM_REQUESTS;) requests += (await load(server, script, 1)).requests;
}

function report(results: Map<string, Measurement>): void {
  const cpu = (name: string) => (results.get(name) as Measurement).cpuPerRequest;
  console.log(
    `Node ${process.version}, second best of ${rounds} rounds of ${seconds} s, wrk -t1 -c64, server and wrk on a core each\n`,
  );
  console.log(
    '| server | µs CPU per request | requests/s | × bare Fastify | peak MB |\n|---|---:|---:|---:|---:|',
  );
  for (const { name } of subjects) {
    const { cpuPerRequest, requestsPerSecond, failures, peakMegabytes } = results.get(name) as Measurement;
    const ratio = (cpuPerRequest / cpu('bare Fastify')).toFixed(2);
    const failed = failures > 0 ? ` (${failures} failed)` : '';
    console.log(
      `| ${name} | ${cpuPerRequest.toFixed(1)} | ${Math.round(requestsPerSecond)}${failed} | ${ratio} | ${peakMegabytes} |`,
    );
  }
  const eight = cpu('ip-locate, 8 languages, random');
  const bundled = results.get('ip-locate, bundled data, random') as Measurement;
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
  console.log('\n| goal | measured | at most | met |\n|---|---:|---:|---|');
  for (const [name, measured, most] of goals) {
    console.log(`| ${name} | ${measured.toFixed(2)} | ${most} | ${measured <= most ? 'yes' : 'no'} |`);
  }
}

/** Size of the bundled files, which the service keeps in memory. */
function bundledMegabytes(): number {
  const main = pathToFileURL(ours).href;
  const paths = [...(bundledData(main) ?? []), ...(bundledAsnData(main) ?? [])];
  return paths.reduce((sum, path) => sum + statSync(path).size / 1e6, 0);
}
