import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** How a process ended: by its own exit code, or by a signal. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process run by the supervisor. */
export interface Run {
  pid: number;
  exited: Promise<Exit>;
  /** Set once it has ended; its pid means nothing from then on. */
  exit?: Exit;
}

/** Starts programs that do not outlive this process. */
export interface Supervisor {
  run(command: string[], log: string): Promise<Run>;
  /** Kills what still runs, removes the folder, and waits for both. */
  close(): Promise<void>;
}

type Report = { id: number } & ({ pid: number } | { exit: Exit } | { error: string });

interface Pending {
  started: PromiseWithResolvers<number>;
  exited: PromiseWithResolvers<Exit>;
}

/**
 * Starts a supervisor (`supervisor.js`).
 * @param folder removed at the end, whatever happens to this process; none when absent. Make it after this call.
 */
export function startSupervisor(folder?: string): Supervisor {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'supervisor.js'), folder ?? ''], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true, // out of the terminal's group: Ctrl-C is for the starter alone
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const pending = new Map<number, Pending>();
  let lastId = 0;

  createInterface({ input: child.stdout }).on('line', (line) => {
    const report = JSON.parse(line) as Report;
    const { started, exited } = pending.get(report.id)!;
    if ('pid' in report) started.resolve(report.pid);
    else if ('exit' in report) exited.resolve(report.exit);
    else started.reject(new Error(report.error));
  });

  async function run(command: string[], log: string): Promise<Run> {
    const id = ++lastId;
    const entry = { started: deferred<number>(), exited: deferred<Exit>() };
    pending.set(id, entry);
    child.stdin.write(`${JSON.stringify({ id, command, log })}\n`);
    const run: Run = { pid: await entry.started.promise, exited: entry.exited.promise };
    void run.exited.then((exit) => (run.exit = exit));
    return run;
  }

  async function close(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.stdin.end();
    await exited;
  }

  return { run, close };
}

interface PromiseWithResolvers<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

// Promise.withResolvers came with Node 22.
function deferred<T>(): PromiseWithResolvers<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((ok, fail) => ((resolve = ok), (reject = fail)));
  return { promise, resolve, reject };
}
