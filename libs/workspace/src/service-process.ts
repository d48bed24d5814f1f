import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { workspaceRoot } from '@workspace/testing';

/** A service running from its sources as a process of its own. */
export interface ServiceProcess {
  readonly name: string;
  /** resolves with the exit code; null when a signal ended it */
  readonly exited: Promise<number | null>;
  /** SIGTERM, and the wait for its end */
  stop(): Promise<void>;
}

/**
 * Starts apps/<name>/src/main.ts. Its process group is its own, so that Ctrl-C reaches only the starter, which then
 * stops everything in order.
 * @param onLine takes every line the service writes, stdout and stderr
 */
export const startServiceProcess = (
  name: string,
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): ServiceProcess => {
  const follow = join(workspaceRoot, 'libs/workspace/src/follow-parent.js');
  const child: ChildProcess = spawn(
    process.execPath,
    ['--import', 'tsx', '--import', follow, 'src/main.ts'],
    { cwd: join(workspaceRoot, 'apps', name), env, stdio: 'pipe', detached: true },
  );
  for (const stream of [child.stdout, child.stderr]) createInterface(stream!).on('line', onLine);
  // Writing is never done, but a pipe whose reader dies may still report it.
  child.stdin!.on('error', () => undefined);
  // Not `exit`, after which output may still arrive.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  return { name, exited, stop };
};
