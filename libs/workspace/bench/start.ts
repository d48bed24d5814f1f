// How long each service takes from the start of its process to its first answer, and what it needs for that, beside a bare
// Fastify, in interleaved rounds. CPU time is steadier than wall time on a busy machine. A round before the first one
// leaves V8's bytecode behind, as in an image. ops-intake opens its port after its first probe of Kafka, so it is measured
// with a broker and, as the others, without one. Run it with `nx bench workspace`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startBroker } from '@workspace/kafka-broker';
import { builtFile } from '@workspace/testing';

const ROUNDS = Number(process.argv[2] ?? 9);
/** Ticks of /proc/<pid>/stat are 1/100 s on every Linux Node runs on. */
const MILLISECONDS_PER_TICK = 10;

const broker = await startBroker();
const subjects: readonly { name: string; file: string; path: string; env?: Record<string, string> }[] = [
  { name: 'bare Fastify', file: fileURLToPath(new URL('bare-fastify.js', import.meta.url)), path: '/' },
  { name: 'release-web', file: builtFile('release-web'), path: '/releases/branches.php' },
  { name: 'ops-intake, no broker', file: builtFile('ops-intake'), path: '/health/live' },
  {
    name: 'ops-intake',
    file: builtFile('ops-intake'),
    path: '/health/live',
    env: { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers },
  },
  { name: 'ip-locate', file: builtFile('ip-locate'), path: '/8.8.8.8/json' },
];

/** Milliseconds of wall and CPU time until the first answer, and megabytes of memory then. */
async function start({
  file,
  path,
  env = {},
}: (typeof subjects)[number]): Promise<{ wall: number; cpu: number; memory: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      DRAIN_DELAY_MS: '0',
      KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = /"address":"(http:[^"]+)".*ready|^(http:\S+)$/.exec(line);
      if (!url) continue;
      await (await fetch((url[1] ?? url[2]) + path)).arrayBuffer();
      const wall = performance.now() - began;
      return { wall, cpu: cpuMilliseconds(child.pid), memory: residentMegabytes(child.pid) };
    }
    throw new Error(`${file} ended before it listened`);
  } finally {
    // In an orderly way, because Node writes the bytecode at the end.
    child.kill('SIGTERM');
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

/** Resident memory, which includes the pages of Node itself. */
function residentMegabytes(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}

for (const subject of subjects) await start(subject);
const measured = subjects.map((subject) => ({
  ...subject,
  wall: [] as number[],
  cpu: [] as number[],
  memory: [] as number[],
}));
for (let round = 0; round < ROUNDS; round++) {
  for (const subject of measured) {
    const one = await start(subject);
    subject.wall.push(one.wall);
    subject.cpu.push(one.cpu);
    subject.memory.push(one.memory);
  }
}
const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
console.log(`Node ${process.version}, median of ${ROUNDS} starts\n`);
console.log('| service | ms to the first answer | shortest | ms of CPU | MB |\n|---|---:|---:|---:|---:|');
for (const { name, wall, cpu, memory } of measured) {
  const cells = [median(wall), Math.min(...wall), median(cpu), median(memory)].map(Math.round);
  console.log(`| ${[name, ...cells].join(' | ')} |`);
}
await broker.stop();
