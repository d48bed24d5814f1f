import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The command line as one file, so that it starts as fast as it can. @returns its path */
export const buildCommandLine = async (folder: string): Promise<string> => {
  const outfile = join(folder, 'release-data.mjs');
  await build({
    entryPoints: [join(__dirname, '../../src/cli/main.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  return outfile;
};

export interface CommandRun {
  readonly child: ChildProcess;
  readonly done: Promise<{ code: number | null; signal: string | null; notes: string }>;
}

/** Starts one command as a process of its own. With `killAt` it kills itself at that step. */
export const startCommand = (main: string, args: readonly string[], killAt?: number): CommandRun => {
  const preload = killAt === undefined ? [] : ['--import', join(__dirname, 'kill-at.js')];
  const child = spawn(process.execPath, [...preload, main, ...args], {
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
