import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The workspace's root; a function, because bench/ loads this file where `__dirname` is not known. */
export const workspace = (): string => join(__dirname, '../../..');

/** The built service as a process of its own. */
export interface RunningService {
  readonly url: string;
  readonly child: ChildProcess;
  /** every line it logged so far */
  readonly lines: Record<string, unknown>[];
  /** Resolves with the line, logged already or to come, that says this for the nth time. */
  logged(message: string, nth?: number): Promise<Record<string, unknown>>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts the service on a free port and waits until it is ready for requests.
 * @param main the built main.js; dist/apps/release-web/main.js when left out
 */
export const startService = async (
  env: Record<string, string> = {},
  main = join(workspace(), 'dist/apps/release-web/main.js'),
): Promise<RunningService> => {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], PORT: '0', DRAIN_DELAY_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Record<string, unknown>[] = [];
  const listeners = new Set<() => void>();
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
    listeners.forEach((listener) => listener());
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => (complaint += chunk));
  const exited = once(child, 'exit').then(([code]) => code as number | null);

  const logged = (message: string, nth = 1) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const look = (): void => {
        const found = lines.filter(({ msg }) => msg === message)[nth - 1];
        if (!found) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
      void exited.then((code) => reject(new Error(`the service ended with ${code}: ${complaint}`)));
    });

  const ready = await logged('ready for requests');
  return {
    url: String(ready['address']),
    child,
    lines,
    logged,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
};
