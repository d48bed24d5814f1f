import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program under test, its output kept for the message of a failing test. */
export interface Running {
  readonly pid: number;
  readonly output: () => string;
  readonly running: () => boolean;
  /** How it ended, once it has. */
  readonly ended: Promise<Ending>;
  /** Sends the signal (SIGTERM when left out); resolves with how the program ended. */
  end(signal?: NodeJS.Signals): Promise<Ending>;
}

export interface Command {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

export const start = ({ command, args, env, cwd }: Command): Running => {
  const child: ChildProcess = spawn(command, args, {
    env: env ?? process.env,
    ...(cwd && { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code, signal]): Ending => ({ code, signal }));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-20_000_000)));
  }
  return {
    pid: child.pid ?? -1,
    output: () => output,
    ended,
    running: () => child.exitCode === null && child.signalCode === null,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
};

/** Runs a program to its end; resolves with what it printed on both streams, rejects with that when it fails. */
export const run = async (command: Command): Promise<string> => {
  const running = start(command);
  const { code } = await running.ended;
  if (code !== 0) {
    throw new Error(`${command.command} ${command.args.join(' ')} ended with ${code}:\n${running.output()}`);
  }
  return running.output();
};
