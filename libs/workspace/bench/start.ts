// How long each service takes from the start of its process to its first answer, and what it needs for that, beside a bare
// Fastify, in interleaved rounds. CPU time is steadier than wall time on a busy machine. A round before the first one
// leaves V8's bytecode behind. ops-intake opens its port after its first probe of Kafka, so it is measured
// with a broker and, as the others, without one.
// Run it with `nx bench workspace`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startBroker } from '@workspace/kafka-broker';
import { builtFile } from '@workspace/testing';
import {
  cpuMilliseconds,
  inTurns,
  machine,
  medianOf,
  printHead,
  printRow,
  ratioOf,
  residentMegabytes,
} from '@workspace/testing/bench';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] || 9);

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
const start = async ({
  file,
  path,
  env = {},
}: (typeof subjects)[number]): Promise<{ wall: number; cpu: number; memory: number }> => {
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
};

for (const subject of subjects) await start(subject);
const figures = await inTurns(subjects, ROUNDS, start);
console.log(`${machine()}; medians of ${ROUNDS} starts`);
printHead(
  'service',
  'ms to the first answer',
  'by bare Fastify’s (least to greatest)',
  'shortest',
  'ms of CPU',
  'MB',
);
const walls = (index: number): number[] => figures[index]!.map(({ wall }) => wall);
for (const [index, { name }] of subjects.entries()) {
  const rounds = figures[index]!;
  const [wall, cpu, memory] = (['wall', 'cpu', 'memory'] as const).map((figure) =>
    Math.round(medianOf(rounds, figure)),
  );
  printRow(
    name,
    wall!,
    ratioOf(walls(index), walls(0)),
    Math.round(Math.min(...walls(index))),
    cpu!,
    memory!,
  );
}
await broker.stop();
