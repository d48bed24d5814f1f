import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { builtFile } from '@workspace/testing';

/** The command as it is shipped, beside the built service. */
const MAIN = builtFile('release-web', 'release-data.js');

export interface CommandRun {
  readonly child: ChildProcess;
  readonly done: Promise<{ code: number | null; signal: string | null; notes: string }>;
}

/** Starts one command as a process of its own. With `killAt` it kills itself at that step. */
export const startCommand = (args: readonly string[], killAt?: number): CommandRun => {
  const preload = killAt === undefined ? [] : ['--import', join(__dirname, 'kill-at.js')];
  const child = spawn(process.execPath, [...preload, MAIN, ...args], {
    env: { PATH: process.env['PATH'], ...(killAt !== undefined && { KILL_AT: String(killAt) }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let notes = '';
  child.stderr.on('data', (chunk) => (notes += chunk));
  const done = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    notes,
  }));
  return { child, done };
};
