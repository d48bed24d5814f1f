import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build as esbuild } from 'esbuild';
import { cpuMilliseconds, residentMegabytes } from '@workspace/testing/bench';
import type { LoopDelay } from './servers/loop-delay.ts';

/** A server under load, in a process of its own. */
export interface ServerProcess {
  url: string;
  /** resident memory, in megabytes */
  residentMb(): number;
  /** CPU time used so far, in milliseconds; of 10 ms resolution */
  cpuMs(): number;
  /** what the server has measured since it was last asked; only of servers that report it */
  loopDelay(): Promise<LoopDelay>;
  stop(): Promise<void>;
}

const project = new URL('..', import.meta.url).pathname;

/** Builds a server as the service itself is built: the output of tsx at run time is slower. */
const build = async (name: string): Promise<string> => {
  const outfile = join(project, '../../dist/bench/ops-intake', `${name}.js`);
  await esbuild({
    entryPoints: [join(project, 'bench/servers', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: join(project, 'tsconfig.json'),
    // Our own code only, as in the service; `@workspace` are paths and not packages.
    plugins: [
      {
        name: 'packages stay outside',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@workspace/') ? undefined : { path, external: true },
          );
        },
      },
    ],
  });
  return outfile;
};

/** Starts `bench/servers/<name>.ts`; resolves when it listens. */
export const startServer = async (name: string, env: Record<string, string> = {}): Promise<ServerProcess> => {
  // Without this process's own arguments: tsx among them hooks into every import, keeps requests alive longer, and took a
  // third of the service's CPU for collecting garbage.
  const child = fork(await build(name), { env: { ...process.env, ...env }, execArgv: [] });
  const exited = once(child, 'exit');
  const [message] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error(`${name} ended before it listened`);
    }),
  ])) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${message.port}/operations`,
    residentMb: () => residentMegabytes(child.pid),
    cpuMs: () => cpuMilliseconds(child.pid),
    loopDelay: async () => {
      child.send('loop-delay');
      const [delay] = (await once(child, 'message')) as [LoopDelay];
      return delay;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

/** Starts a program that prints its address; resolves when it has. */
export const startProgram = async (
  program: string,
  env: Record<string, string>,
): Promise<Omit<ServerProcess, 'loopDelay'>> => {
  const child = spawn(program, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => {
      throw new Error(`${program} ended before it listened`);
    }),
  ])) as [string];
  return {
    url: `${url}/operations`,
    residentMb: () => residentMegabytes(child.pid),
    cpuMs: () => cpuMilliseconds(child.pid),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
