// Requests a second and peak memory of the built service beside a bare Fastify, a bare node:http and PHP, in one run.
// npx nx bench release-web   (needs wrk; php for the last column)
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { phpTables } from '../e2e/php-tables.ts';
import { startService } from '../e2e/service.ts';
import { freePort, runTool } from '@workspace/testing';
import { loadDataFolder } from '@workspace/release-catalogue';
import {
  inTurns,
  machine,
  medianOf,
  peakMegabytes,
  printHead,
  printRow,
  runWrk,
  whole,
  type WrkResult,
} from '@workspace/testing/bench';

const SECONDS = Number(process.env['BENCH_SECONDS'] || 2);
const ROUNDS = 5;
const CONNECTIONS = 8;
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

const measure = async (url: string): Promise<WrkResult> => {
  const result = await runWrk(url, { connections: CONNECTIONS, seconds: SECONDS });
  if (result.failed > 0) throw new Error(`${url}: ${result.failed} failed`);
  return result;
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
// As in the image.
const service = await startService({ NODE_OPTIONS: '--max-semi-space-size=4' });
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
const phpPort = await freePort();
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
  `${machine()}; wrk -t1 -c${CONNECTIONS} -d${SECONDS}s, median of ${ROUNDS} rounds; requests/s (p99)\n`,
);
printHead('path', 'release-web', 'bare Fastify', 'bare node:http', 'php -S');
const phpUrl = `http://127.0.0.1:${phpPort}`;
try {
  for (const path of PATHS) {
    const urls = [service.url, fastify.url, http.url, ...(PHP_PATHS.includes(path) ? [phpUrl] : [])];
    const figures = await inTurns(urls, ROUNDS, (url) => measure(url + path));
    const cells = figures.map(
      (rounds) => `${whole(medianOf(rounds, 'perSecond'))} (${medianOf(rounds, 'p99').toFixed(2)} ms)`,
    );
    printRow(`\`${path}\``, ...[...cells, '-'].slice(0, 4));
  }
  const peaks = [service, fastify, http, { child: php }].map(
    ({ child }) => `${whole(peakMegabytes(child.pid))} MB`,
  );
  printRow('peak memory', ...peaks);
} finally {
  await Promise.all([service.stop(), stop(fastify.child), stop(http.child), stop(php)]);
  rmSync(folder, { recursive: true });
}
