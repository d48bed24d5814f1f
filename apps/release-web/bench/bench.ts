// CPU per request, requests a second and memory of the built service beside bare Fastify and bare node:http with the same
// answers, nginx with them as files, an earlier build, and PHP, all in turns.
//   npx nx bench release-web [--write]   needs wrk, nginx and php; --write puts the figures into docs/measurements.md
//   BENCH_EARLIER   main.js of an earlier build, to be measured too
//   BENCH_ROUNDS    5 unless set
//   BENCH_SECONDS   length of each turn, 2 unless set
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadDataFolder } from '@workspace/release-catalogue';
import { phpTables } from '@workspace/release-catalogue/testing';
import {
  builtFile,
  eventually,
  freePort,
  runTool,
  startServiceProcess,
  workspaceRoot,
} from '@workspace/testing';
import {
  cpuMilliseconds,
  inTurns,
  medianOf,
  peakMegabytes,
  ratioOf,
  Report,
  runWrk,
  whole,
  type WrkResult,
} from '@workspace/testing/bench';
import { type Form, record, type Recording } from './recording.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] || 2);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] || 5);
const EARLIER = process.env['BENCH_EARLIER'];
const CONNECTIONS = 8;
const MOST_CONNECTIONS = 2_000;
const PATHS = process.env['BENCH_PATHS']?.split(',') ?? [
  '/releases/branches.php',
  '/releases/feed.php',
  '/pre-release-builds.php',
  '/mirror-info.php',
  '/api/v1/branches',
];
/** What the PHP reference answers too. */
const PHP_PATHS = ['/releases/branches.php', '/pre-release-builds.php'];
const LABELS: Readonly<Record<Form, string>> = {
  plain: '',
  unchanged: ': 304',
};

const app = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'release-web-bench-'));

interface Subject {
  readonly name: string;
  readonly url: string;
  readonly pid: number | undefined;
  stop(): Promise<unknown>;
}
interface Turn extends WrkResult {
  /** microseconds for a request, of all threads */
  readonly cpu: number;
}

/** On a core of its own; wrk has the other. */
const PINNED = ['-c', '0', process.execPath];

const startService = async (name: string, main: string): Promise<Subject> => {
  const service = startServiceProcess({
    args: [main],
    env: {
      DATA_DIR: join(workspaceRoot, 'libs/release-catalogue/fixtures/data'),
      DATA_STALE_DAYS: '100000',
      DRAIN_DELAY_MS: '0',
      MAX_CONNECTIONS: String(2 * MOST_CONNECTIONS + 1),
      // As in the image.
      NODE_OPTIONS: '--max-semi-space-size=4',
      MALLOC_ARENA_MAX: '1',
    },
  });
  const url = await service.url();
  await runTool('taskset', ['-a', '-p', '-c', '0', String(service.child.pid)]);
  return { name, url, pid: service.child.pid, stop: () => service.stop() };
};

const ended = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGTERM');
  await once(child, 'exit');
};

const startBare = async (kind: string, file: string): Promise<Subject> => {
  const child = spawn('taskset', [...PINNED, join(import.meta.dirname, 'bare.js'), kind, file], {
    env: { ...process.env, NODE_OPTIONS: '--max-semi-space-size=4' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { name: `bare ${kind}`, url, pid: child.pid, stop: () => ended(child) };
};

const startPhp = async (): Promise<Subject> => {
  const { catalogue } = await loadDataFolder(join(app, 'data'));
  const literal = await runTool(
    'php',
    ['-r', 'echo "<?php return ", var_export(json_decode(stream_get_contents(STDIN), true), true), ";";'],
    JSON.stringify({ now: new Date(), ...phpTables(catalogue) }),
  );
  const tables = join(folder, 'tables.php');
  writeFileSync(tables, literal);
  const port = await freePort();
  const php = ['php', '-d', 'opcache.enable_cli=1', '-S', `127.0.0.1:${port}`, 'e2e/reference.php'];
  const child = spawn('taskset', ['-c', '0', ...php], {
    cwd: app,
    env: { ...process.env, TABLES: tables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(child.stderr, 'data');
  child.stderr.resume();
  return { name: 'php -S', url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => ended(child) };
};

/** nginx with one process and the bodies as files, which it keeps open. */
const startNginx = async (recordings: Readonly<Record<string, Recording>>): Promise<Subject> => {
  const port = await freePort();
  const locations = Object.entries(recordings).map(([path, { answers }], index) => {
    writeFileSync(join(folder, `body-${index}`), Buffer.from(answers.plain?.body ?? '', 'base64'));
    const type = String(answers.plain?.headers['content-type']);
    return `location = ${path} { default_type "${type}"; try_files /body-${index} =404; }`;
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const conf = join(folder, 'nginx.conf');
  writeFileSync(
    conf,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off; keepalive_requests 1000000000; open_file_cache max=100; sendfile on; tcp_nopush on; types {}
  ${temporary.join(' ')}
  server { listen 127.0.0.1:${port}; root ${folder}; ${locations.join(' ')} }
}
`,
  );
  const child = spawn('taskset', ['-c', '0', 'nginx', '-p', folder, '-c', conf], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually('nginx', () => fetch(url).then(Boolean));
  return { name: 'nginx, files', url, pid: child.pid, stop: () => ended(child) };
};

const measure = async (
  { name, url, pid }: Subject,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  connections = CONNECTIONS,
): Promise<Turn> => {
  const before = cpuMilliseconds(pid);
  const result = await runWrk(url + path, { connections, seconds: SECONDS, headers, core: 1 });
  if (result.failed > 0) throw new Error(`${name}${path}: ${result.failed} failed`);
  return { ...result, cpu: ((cpuMilliseconds(pid) - before) * 1_000) / result.requests };
};

const report = new Report(
  'apps/release-web/docs/measurements.md',
  'speed',
  `wrk -t1 -c${CONNECTIONS}, medians of ${ROUNDS} rounds of ${SECONDS} s, server and wrk on a core each`,
);
const subjects: Subject[] = [await startService('release-web', builtFile('release-web'))];
try {
  const [service] = subjects as [Subject];
  const recordings: Record<string, Recording> = {};
  for (const path of PATHS) recordings[path] = await record(service.url + path);
  const file = join(folder, 'answers.json');
  writeFileSync(
    file,
    JSON.stringify(Object.fromEntries(PATHS.map((path) => [path, recordings[path]!.answers]))),
  );
  if (EARLIER) subjects.push(await startService('earlier build', EARLIER));
  subjects.push(await startBare('fastify', file), await startBare('http', file));
  // V8 compiles.
  for (const subject of subjects) for (const path of PATHS) await measure(subject, path);

  const nginx = await startNginx(recordings);
  const php = await startPhp();
  report.line('Requests a second and their p99; CPU by that of bare Fastify:');
  report.head('path', ...[...subjects, nginx, php].map(({ name }) => name), 'CPU (least to greatest)');
  for (const path of PATHS) {
    for (const [form, headers] of Object.entries(recordings[path]!.asked) as [
      Form,
      Record<string, string>,
    ][]) {
      // The files have other validators.
      const others = form === 'plain' ? [nginx] : [];
      const figures = await inTurns([...subjects, ...others], ROUNDS, (subject) =>
        measure(subject, path, headers),
      );
      const isForPhp = form === 'plain' && PHP_PATHS.includes(path);
      const [ofPhp = []] = isForPhp ? await inTurns([php], ROUNDS, () => measure(php, path)) : [];
      const cells = [...figures, ...(others.length > 0 ? [] : [[]]), ofPhp].map((rounds) =>
        rounds.length > 0
          ? `${whole(medianOf(rounds, 'perSecond'))} (${medianOf(rounds, 'p99').toFixed(2)} ms)`
          : '',
      );
      const cpu = (index: number): number[] => figures[index]!.map((round) => round.cpu);
      report.row(`\`${path}\`${LABELS[form]}`, ...cells, ratioOf(cpu(0), cpu(subjects.length - 2)));
    }
  }
  await php.stop();
  await nginx.stop();

  report.line('');
  report.line('Peak memory, in MB:');
  report.head('connections', ...subjects.map(({ name }) => name));
  for (const connections of [CONNECTIONS, 64, MOST_CONNECTIONS]) {
    if (connections > CONNECTIONS) {
      for (const subject of subjects) for (const path of PATHS) await measure(subject, path, {}, connections);
    }
    report.row(whole(connections), ...subjects.map(({ pid }) => whole(peakMegabytes(pid))));
  }
  await report.write();
} finally {
  await Promise.all(subjects.map((subject) => subject.stop()));
  rmSync(folder, { recursive: true });
}
