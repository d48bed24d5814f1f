import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Health } from '@workspace/schemas';
import { MAIN } from './workspace.ts';

export type LogLine = Record<string, unknown>;

/** The built service as a process of its own. */
export interface RunningService {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Resolves with the next line, from now on, that fulfils the condition. */
  nextLine(fulfils: (line: LogLine) => boolean): Promise<LogLine>;
  health(): Promise<Health>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts dist/apps/ip-locate/main.js on a free port and waits until it is ready for requests. */
export async function startService(env: Record<string, string> = {}): Promise<RunningService> {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], PORT: '0', DRAIN_DELAY_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const waiting = new Set<(line: LogLine) => void>();
  createInterface(child.stdout).on('line', (text) => {
    const line = JSON.parse(text) as LogLine;
    waiting.forEach((look) => look(line));
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => (complaint += String(chunk)));
  const exited = once(child, 'exit').then(([code]) => code as number | null);

  const nextLine = (fulfils: (line: LogLine) => boolean) =>
    new Promise<LogLine>((resolve, reject) => {
      const look = (line: LogLine): void => {
        if (!fulfils(line)) return;
        waiting.delete(look);
        resolve(line);
      };
      waiting.add(look);
      void exited.then((code) => reject(new Error(`the service ended with ${code}: ${complaint}`)));
    });

  const ready = await nextLine(({ msg }) => msg === 'ready for requests');
  const url = String(ready['address']);
  return {
    url,
    port: Number(new URL(url).port),
    child,
    nextLine,
    health: async () => (await fetch(`${url}/health`)).json() as Promise<Health>,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
