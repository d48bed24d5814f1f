import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { javaEnvironment } from './java.ts';

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

const supervisorFile = join(import.meta.dirname, 'supervisor.js');

/**
 * Starts its arguments in the background, with the pipe as stdin, and ends. Then no process is the supervisor's parent: tools that
 * kill a process with all its descendants (Nx does) would otherwise kill it before it has cleaned up.
 */
const adrift = '"$@" <&3 3<&- &';

type Report = { id: number } & ({ pid: number } | { exit: Exit } | { error: string });

interface Pending {
  started: PromiseWithResolvers<number>;
  exited: PromiseWithResolvers<Exit>;
}

/**
 * Starts a supervisor (`supervisor.js`).
 * @param folder removed at the end, whatever happens to this process; none when absent. Make it after this call.
 */
export const startSupervisor = (folder?: string): Supervisor => {
  const child = spawn('/bin/sh', ['-c', adrift, 'sh', process.execPath, supervisorFile, folder ?? ''], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    detached: true, // out of the terminal's group: Ctrl-C is for the starter alone
    env: { ...javaEnvironment(), NODE_OPTIONS: '' },
  });
  // Not the shell's stdin, which Node destroys when the shell ends.
  const pipe = child.stdio[3] as Writable;
  const output = child.stdout as Readable;
  const ended = once(output, 'close');
  const pending = new Map<number, Pending>();
  let lastId = 0;

  createInterface({ input: output }).on('line', (line) => {
    const report = JSON.parse(line) as Report;
    const { started, exited } = pending.get(report.id)!;
    if ('pid' in report) started.resolve(report.pid);
    else if ('exit' in report) exited.resolve(report.exit);
    else started.reject(new Error(report.error));
  });

  const run = async (command: string[], log: string): Promise<Run> => {
    const id = ++lastId;
    const entry = { started: Promise.withResolvers<number>(), exited: Promise.withResolvers<Exit>() };
    pending.set(id, entry);
    pipe.write(`${JSON.stringify({ id, command, log })}\n`);
    const run: Run = { pid: await entry.started.promise, exited: entry.exited.promise };
    void run.exited.then((exit) => (run.exit = exit));
    return run;
  };

  const close = async (): Promise<void> => {
    pipe.end();
    await ended;
  };

  return { run, close };
};
