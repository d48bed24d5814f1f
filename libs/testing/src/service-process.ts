import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface LogLine extends Record<string, unknown> {
  msg: string;
}

/** A service running as a process of its own, seen through its log. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** what it logged so far */
  readonly lines: readonly LogLine[];
  /** what it wrote to stderr so far */
  stderr(): string;
  /** Resolves with the line, logged already or to come, that has this message for the nth time; rejects when it ends before. */
  logged(message: string, nth?: number): Promise<LogLine>;
  /** The base URL it listens on. */
  url(): Promise<string>;
  /** resolves with the exit code; null when a signal ended it */
  readonly exited: Promise<number | null>;
  /** SIGTERM, and the wait for the exit code */
  stop(): Promise<number | null>;
}

export interface ServiceProcessOptions {
  /** arguments of node: the file to run, loaders before it */
  args: readonly string[];
  /** the environment besides PATH and PORT=0 */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** another Node than the one that runs the test */
  node?: string;
}

/** Starts a service under the Node that runs the test, on a free port unless `env` says otherwise. */
export const startServiceProcess = ({
  args,
  env,
  cwd,
  node = process.execPath,
}: ServiceProcessOptions): ServiceProcess => {
  const child = spawn(node, args, {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: LogLine[] = [];
  const listeners = new Set<() => void>();
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line) as LogLine);
    for (const listener of listeners) listener();
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  // Not `exit`, after which output may still arrive.
  const exited = once(child, 'close').then(([code]) => code as number | null);

  const logged = (message: string, nth = 1): Promise<LogLine> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.filter(({ msg }) => msg === message)[nth - 1];
        if (!found) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
      void exited.then((code) =>
        reject(new Error(`ended with ${code} before it logged "${message}": ${stderr}`)),
      );
    });

  return {
    child,
    lines,
    stderr: () => stderr,
    logged,
    url: async () => String((await logged('ready for requests'))['address']),
    exited,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
};
