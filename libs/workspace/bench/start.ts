// How long each service takes from the start of its process to its first answer, beside a bare Fastify, in interleaved
// rounds. CPU time is steadier than wall time on a busy machine. Run it with `nx bench workspace`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { workspaceRoot } from '../src/workspace-root.ts';

const ROUNDS = Number(process.argv[2] ?? 9);
/** Ticks of /proc/<pid>/stat are 1/100 s on every Linux Node runs on. */
const MILLISECONDS_PER_TICK = 10;

const service = (name: string) => join(workspaceRoot, 'dist/apps', name, 'main.js');
const subjects = [
  { name: 'bare Fastify', file: fileURLToPath(new URL('bare-fastify.js', import.meta.url)), path: '/' },
  { name: 'release-web', file: service('release-web'), path: '/releases/branches.php' },
  { name: 'ops-intake', file: service('ops-intake'), path: '/health/live' },
  { name: 'ip-locate', file: service('ip-locate'), path: '/8.8.8.8/json' },
] as const;

/** Milliseconds of wall and CPU time until the first answer. */
async function start(file: string, path: string): Promise<{ wall: number; cpu: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = /"address":"(http:[^"]+)".*ready|^(http:\S+)$/.exec(line);
      if (!url) continue;
      await (await fetch((url[1] ?? url[2]) + path)).arrayBuffer();
      return { wall: performance.now() - began, cpu: cpuMilliseconds(child.pid) };
    }
    throw new Error(`${file} ended before it listened`);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** User and system time, fields 14 and 15; the name in field 2 may hold anything but `)`. */
function cpuMilliseconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MILLISECONDS_PER_TICK;
}

const measured = subjects.map((subject) => ({ ...subject, wall: [] as number[], cpu: [] as number[] }));
for (let round = 0; round < ROUNDS; round++) {
  for (const { file, path, wall, cpu } of measured) {
    const one = await start(file, path);
    wall.push(one.wall);
    cpu.push(one.cpu);
  }
}
const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
console.log(`Node ${process.version}, median of ${ROUNDS} starts\n`);
console.log('| service | ms to the first answer | shortest | ms of CPU |\n|---|---:|---:|---:|');
for (const { name, wall, cpu } of measured) {
  console.log(
    `| ${name} | ${Math.round(median(wall))} | ${Math.round(Math.min(...wall))} | ${median(cpu)} |`,
  );
}
