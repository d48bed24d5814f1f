import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { cpuMilliseconds, peakMegabytes, runWrk, type WrkResult } from '@workspace/testing/bench';

export interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

export interface Measurement extends WrkResult {
  /** microseconds of CPU, user and system, of the server */
  readonly cpuPerRequest: number;
  /** most resident memory since it started */
  readonly peakMegabytes: number;
}

/** Starts a server, a script or a program, on a core of its own and waits for the address in its output. */
export const startServer = async (
  script: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Server> => {
  const child = spawn(
    'taskset',
    ['-c', '0', ...(/\.[jt]s$/.test(script) ? [process.execPath] : []), script, ...args],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, process: child };
  }
  throw new Error(`${script} ended before it listened`);
};

/** Starts another program on the same core and waits until it accepts connections. */
export const startProgram = async (command: readonly string[], url: string): Promise<Server> => {
  const child = spawn('taskset', ['-c', '0', ...command], { stdio: ['ignore', 'ignore', 'inherit'] });
  while (child.exitCode === null) {
    if (await fetch(url).then(Boolean, () => false)) return { url, process: child };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${command[0]} ended before it listened`);
};

export const stopServer = async ({ process: child }: Server): Promise<void> => {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
};

/** Puts load on a server from the other core. */
export const load = async (server: Server, script: string, seconds: number): Promise<Measurement> => {
  const { pid } = server.process;
  const before = cpuMilliseconds(pid);
  const result = await runWrk(server.url, { connections: 64, seconds, script, core: 1 });
  const cpuPerRequest = ((cpuMilliseconds(pid) - before) * 1_000) / result.requests;
  return { ...result, cpuPerRequest, peakMegabytes: peakMegabytes(pid) };
};
