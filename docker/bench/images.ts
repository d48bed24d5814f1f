// nx bench-images docker: what the images hold, and how long each service takes from the start of its process to its first
// answer, beside a bare Fastify in an image of its own. The containers start in turns.
//   BENCH_ROUNDS  7 unless set
//   --write       puts the figures into docs/images.md
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { freePort, workspaceRoot } from '@workspace/testing';
import { cpuMilliseconds, inTurns, medianOf, ratioOf, Report, whole } from '@workspace/testing/bench';
import { run } from '../e2e/support/process.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] || 7);
/** MB (1,000,000 bytes) that a service may add to the base, Debian's libraries and Node; ip-locate's data makes it larger. */
const OVER_BASE_LIMIT = 15;

const docker = (...args: string[]): Promise<string> => run({ command: 'docker', args, cwd: workspaceRoot });
const { version: fastify } = createRequire(import.meta.url)('fastify/package.json') as { version: string };

interface Subject {
  readonly name: string;
  readonly path: string;
  readonly build: readonly string[];
}
const service = (name: string, path: string): Subject => ({
  name,
  path,
  build: ['--file', `apps/${name}/Dockerfile`, '.'],
});
const SUBJECTS: readonly Subject[] = [
  {
    name: 'bare Fastify',
    path: '/',
    build: [
      ...['--file', 'docker/bench/bare-image/Dockerfile', '--build-arg', `FASTIFY=${fastify}`],
      'docker/bench/bare-image',
    ],
  },
  service('release-web', '/releases/branches.php'),
  service('ops-intake', '/health/live'),
  service('ip-locate', '/8.8.8.8/json'),
];
const imageOf = ({ name }: Subject): string => `three-services-bench/${name.toLowerCase().replace(' ', '-')}`;

/** Bytes of all files under a folder of an image; a file with two names counts once. */
const bytesIn = (folder: string, path: string): number => {
  const files = readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)));
  return [...new Map(files.map(({ ino, size }) => [ino, size])).values()].reduce(
    (sum, size) => sum + size,
    0,
  );
};
/** Megabytes of such a folder, and in brackets those of a compressed archive, as a registry keeps a layer. */
const sizeOf = async (folder: string, path: string): Promise<string> => {
  const command = `tar --create --directory '${folder}' '${path}' | gzip | wc --bytes`;
  const packed = Number(await run({ command: 'sh', args: ['-euc', command] }));
  return `${megabytes(bytesIn(folder, path))} (${megabytes(packed)})`;
};
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

const measureSizes = async (subject: Subject, report: Report): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  const container = (await docker('create', imageOf(subject))).trim();
  const unpack = `docker export ${container} | tar --extract --directory '${folder}'`;
  await run({ command: 'sh', args: ['-euc', unpack] });
  await docker('rm', container);
  const all = bytesIn(folder, '.');
  const hasData = subject.name === 'ip-locate';
  if (hasData) renameSync(join(folder, 'app/data'), join(folder, 'data'));
  const isSmall = bytesIn(folder, 'app') / 1e6 <= OVER_BASE_LIMIT ? 'yes' : 'no';
  report.row(
    subject.name,
    megabytes(all),
    await sizeOf(folder, 'app'),
    hasData ? await sizeOf(folder, 'data') : '',
    isSmall,
  );
  rmSync(folder, { recursive: true });
};

interface Start {
  readonly wall: number;
  readonly cpu: number;
}

const start = async (subject: Subject): Promise<Start> => {
  const settings = {
    ...{ HOST: '127.0.0.1', MANAGEMENT_HOST: '127.0.0.1', PORT: '0', MANAGEMENT_PORT: await freePort() },
    ...{ DRAIN_DELAY_MS: '0', ALLOW_ANONYMOUS: 'true', KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9' },
  };
  const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const container = (
    await docker('create', '--network', 'host', '--read-only', ...env, imageOf(subject))
  ).trim();
  try {
    const attached: ChildProcessByStdio<null, Readable, null> = spawn(
      'docker',
      ['start', '--attach', container],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    for await (const line of createInterface(attached.stdout)) {
      const url = /"address":"(http:[^"]+)".*ready|^(http:\S+)$/.exec(line);
      if (!url) continue;
      const answer = await fetch((url[1] ?? url[2]) + subject.path);
      await answer.arrayBuffer();
      const now = performance.timeOrigin + performance.now();
      if (!answer.ok) throw new Error(`${subject.name} answered ${answer.status}`);
      const [startedAt = '', pid] = (
        await docker('inspect', '--format', '{{.State.StartedAt}} {{.State.Pid}}', container)
      )
        .trim()
        .split(' ');
      const figures = {
        wall: now - Date.parse(startedAt),
        cpu: cpuMilliseconds(Number(pid)),
      };
      const ended = once(attached, 'exit');
      await docker('stop', container);
      await ended;
      return figures;
    }
    throw new Error(`${subject.name} ended before it listened`);
  } finally {
    await docker('rm', '--force', container);
  }
};

for (const subject of SUBJECTS) {
  await docker('build', '--quiet', '--tag', imageOf(subject), ...subject.build);
}

const sizes = new Report(
  'docker/docs/images.md',
  'sizes',
  'MB are 1,000,000 bytes; in brackets as a compressed archive',
);
sizes.head(
  'image',
  'MB in all',
  'service, over Debian’s libraries and Node',
  'data, apart',
  `at most ${OVER_BASE_LIMIT} MB`,
);
for (const subject of SUBJECTS) await measureSizes(subject, sizes);
await sizes.write();

const starts = new Report(
  'docker/docs/images.md',
  'starts',
  `medians of ${ROUNDS} starts in turns; containers with the network of the host, no broker`,
);
starts.head(...['image', 'ms to the first answer', 'by bare Fastify’s (least to greatest)', 'ms of CPU']);
// Not counted: the first start of an image.
for (const subject of SUBJECTS) await start(subject);
const figures = await inTurns(SUBJECTS, ROUNDS, start);
const walls = (index: number): number[] => figures[index]!.map(({ wall }) => wall);
for (const [index, { name }] of SUBJECTS.entries()) {
  const all = figures[index]!;
  starts.row(
    name,
    whole(medianOf(all, 'wall')),
    ratioOf(walls(index), walls(0)),
    whole(medianOf(all, 'cpu')),
  );
}
await starts.write();
for (const subject of SUBJECTS) await docker('image', 'rm', imageOf(subject));
