import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Ticks of /proc/<pid>/stat are 1/100 s on every Linux Node runs on. */
const MICROSECONDS_PER_TICK = 10_000;

export interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

export interface Measurement {
  readonly requests: number;
  /** microseconds of CPU, user and system, of the server */
  readonly cpuPerRequest: number;
  readonly requestsPerSecond: number;
  /** most resident memory since it started */
  readonly peakMegabytes: number;
  /** answers with another status than 2xx */
  readonly failures: number;
}

/** Starts a server on a core of its own and waits for the address in its output. */
export async function startServer(
  script: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const child = spawn('taskset', ['-c', '0', process.execPath, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, process: child };
  }
  throw new Error(`${script} ended before it listened`);
}

/** Starts another program on the same core and waits until it accepts connections. */
export async function startProgram(command: readonly string[], url: string): Promise<Server> {
  const child = spawn('taskset', ['-c', '0', ...command], { stdio: ['ignore', 'ignore', 'inherit'] });
  while (child.exitCode === null) {
    if (await fetch(url).then(Boolean, () => false)) return { url, process: child };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${command[0]} ended before it listened`);
}

export async function stopServer({ process: child }: Server): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Puts load on a server from the other core. */
export async function load(server: Server, script: string, seconds: number): Promise<Measurement> {
  const before = cpuTicks(server);
  const { stdout } = await promisify(execFile)('taskset', [
    ...['-c', '1', 'wrk', '-t1', '-c64', `-d${seconds}s`, '-s', script, server.url],
  ]);
  const ticks = cpuTicks(server) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  return {
    requests,
    cpuPerRequest: (ticks * MICROSECONDS_PER_TICK) / requests,
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    peakMegabytes: peakMegabytes(server),
    failures: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
  };
}

/** User and system time, fields 14 and 15; the name in field 2 may hold anything but `)`. */
function cpuTicks({ process: { pid } }: Server): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function peakMegabytes({ process: { pid } }: Server): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1000);
}
