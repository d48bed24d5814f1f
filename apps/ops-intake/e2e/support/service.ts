import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '@workspace/kafka-broker';

/** The built service. */
export const artefact = join(import.meta.dirname, '../../../../dist/apps/ops-intake/main.js');

/** The built service as a child process. */
export interface RunningService {
  readonly url: string;
  readonly port: number;
  readonly managementUrl: string;
  readonly pid: number;
  /** Log lines so far, as printed. */
  readonly log: readonly string[];
  /** How it ended; pending while it runs. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  signal(name: NodeJS.Signals): void;
  /** Resident memory in MiB, as the kernel counts it. */
  rss(): number;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | null>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Ends what a failed test left running. */
export async function killServices(): Promise<void> {
  const ended = [...running].map((child) => once(child, 'exit'));
  running.forEach((child) => child.kill('SIGKILL'));
  await Promise.all(ended);
}

/** Starts `dist/apps/ops-intake/main.js`; resolves when it listens, which does not mean that it has found Kafka. */
export async function startService(
  env: { KAFKA_BOOTSTRAP_SERVERS: string } & Record<string, string>,
  port?: number,
): Promise<RunningService> {
  if (!existsSync(artefact)) throw new Error(`${artefact} is not built: nx build ops-intake`);
  const [ownPort, managementPort] = await freePorts(2);
  const publicPort = port ?? ownPort!;
  const child = spawn(process.execPath, [artefact], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(publicPort),
      MANAGEMENT_PORT: String(managementPort),
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithUs(child);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const log: string[] = [];
  const exited = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  await listening(child, log);
  return {
    url: `http://127.0.0.1:${publicPort}`,
    port: publicPort,
    managementUrl: `http://127.0.0.1:${managementPort}`,
    pid: child.pid!,
    log,
    exited,
    signal: (name) => child.kill(name),
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    stop: async () => {
      child.kill('SIGTERM');
      return (await exited).code;
    },
  };
}

/** Lets the service die when this process dies, kill -9 included: a shell waits for the end of a pipe from us. */
function endWithUs(child: ChildProcess): void {
  const watchdog = spawn('/bin/sh', ['-c', 'read line; kill -9 "$0"', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.once('exit', () => watchdog.kill('SIGKILL'));
}

/** Resolves at the log line by which the service says that it takes requests. */
function listening(child: ChildProcess, log: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      log.push(line);
      if (line.includes('ready for requests')) resolve();
    });
    child.once('exit', () => reject(new Error(`the service ended:\n${log.join('\n')}`)));
  });
}
