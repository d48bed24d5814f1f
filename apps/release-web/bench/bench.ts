// Requests a second and peak memory of the built service beside a bare Fastify, a bare node:http and PHP, in one run.
// npx nx bench release-web   (needs wrk; php for the last column)
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { phpTables } from '../e2e/php-tables.ts';
import { startService } from '../e2e/service.ts';
import { runTool } from '@workspace/testing';
import { loadDataFolder } from '@workspace/release-catalogue';

const SECONDS = process.env['BENCH_SECONDS'] ?? '2';
/** Rounds go through all servers in turn, so that a busy moment of the machine meets all of them; the median counts. */
const ROUNDS = 5;
const CONNECTIONS = '8';
const PATHS = [
  '/mirror-info.php',
  '/releases/feed.php',
  '/releases/branches.php',
  '/pre-release-builds.php',
  '/pre-release-builds.php?format=serialize',
  '/pre-release-builds.php?only=dev_versions',
];
/** What the PHP reference answers too; its other pages are php.net's own and not here to be measured. */
const PHP_PATHS = PATHS.filter((path) => path !== '/mirror-info.php' && path !== '/releases/feed.php');

const here = import.meta.dirname;
const app = join(here, '..');

interface Measured {
  readonly requests: number;
  readonly p99: string;
}

const measure = async (url: string): Promise<Measured> => {
  const report = await runTool('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '--latency', url]);
  if (/Non-2xx/.test(report)) throw new Error(`${url}: ${report}`);
  const requests = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
  return { requests: Math.round(requests), p99: /^ +99%\s+(\S+)/m.exec(report)?.[1] ?? '?' };
};

/** The most memory a process ever had resident, in MB. */
const peakMegabytes = ({ pid }: ChildProcess): number => {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
};

/** Starts a program that prints its address as its first line. */
const startBare = async (file: string, bodies: string) => {
  const child = spawn(process.execPath, [join(here, file), bodies], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: line.toString().trim(), child };
};

const stop = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGTERM');
  await once(child, 'exit');
};

const folder = mkdtempSync(join(tmpdir(), 'release-web-bench-'));
const main = join(app, '../../dist/apps/release-web/main.js');
// As in the image.
const service = await startService({ NODE_OPTIONS: '--max-semi-space-size=4' }, main);
const bodies: Record<string, string> = {};
for (const path of PATHS) bodies[path] = await (await fetch(service.url + path)).text();
const bodiesFile = join(folder, 'bodies.json');
writeFileSync(bodiesFile, JSON.stringify(bodies));

const fastify = await startBare('bare-fastify.js', bodiesFile);
const http = await startBare('bare-http.js', bodiesFile);

const { catalogue } = await loadDataFolder(join(app, 'data'));
const tables = join(folder, 'tables.php');
const literal = await runTool(
  'php',
  ['-r', 'echo "<?php return ", var_export(json_decode(stream_get_contents(STDIN), true), true), ";";'],
  JSON.stringify(phpTables(catalogue, new Date())),
);
writeFileSync(tables, literal);
const phpPort = 3497;
const php = spawn(
  'php',
  ['-d', 'opcache.enable_cli=1', '-S', `127.0.0.1:${phpPort}`, join(app, 'e2e/reference.php')],
  {
    env: { ...process.env, TABLES: tables },
    stdio: ['ignore', 'ignore', 'pipe'],
  },
);
await once(php.stderr, 'data');
php.stderr.resume();

console.log(
  `wrk -t1 -c${CONNECTIONS} -d${SECONDS}s, median of ${ROUNDS} rounds, node ${process.version}; requests/s (p99)\n`,
);
console.log(
  '| path | release-web | bare Fastify | bare node:http | php -S |\n| --- | ---: | ---: | ---: | ---: |',
);
const phpUrl = `http://127.0.0.1:${phpPort}`;
for (const path of PATHS) {
  const urls = [service.url, fastify.url, http.url, ...(PHP_PATHS.includes(path) ? [phpUrl] : [])];
  const rounds: Measured[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const results: Measured[] = [];
    for (const url of urls) results.push(await measure(url + path));
    rounds.push(results);
  }
  const cells = urls.map((_, column) => {
    const ordered = rounds.map((results) => results[column]!).sort((a, b) => a.requests - b.requests);
    const { requests, p99 } = ordered[Math.floor(ROUNDS / 2)]!;
    return `${requests.toLocaleString('en')} (${p99})`;
  });
  console.log(`| \`${path}\` | ${[...cells, '-'].slice(0, 4).join(' | ')} |`);
}
const peaks = [service, fastify, http, { child: php }].map(({ child }) => `${peakMegabytes(child)} MB`);
console.log(`| peak memory | ${peaks.join(' | ')} |`);

await Promise.all([service.stop(), stop(fastify.child), stop(http.child), stop(php)]);
rmSync(folder, { recursive: true });
