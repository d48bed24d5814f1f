import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type LogLine, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { builtFile } from './workspace.ts';

/** A built service as a process of its own. */
export interface BuiltService extends Omit<ServiceProcess, 'url'> {
  readonly url: string;
  readonly port: number;
  /** Resolves with the next line, from now on, that has this message. */
  nextLine(message: string): Promise<LogLine>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Ends what a failed test left running. */
export const killServices = async (): Promise<void> => {
  const ended = [...running].map((child) => once(child, 'exit'));
  running.forEach((child) => child.kill('SIGKILL'));
  await Promise.all(ended);
};

/** Starts `dist/apps/<app>/main.js`, on a free port unless `env` says otherwise; resolves when it listens. */
export const startBuiltService = async (
  app: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BuiltService> => {
  const service = startServiceProcess({ args: [builtFile(app)], env: { DRAIN_DELAY_MS: '0', ...env } });
  const { child } = service;
  endWithUs(child);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const url = await service.url();
  return {
    ...service,
    url,
    port: Number(new URL(url).port),
    nextLine: (message) =>
      service.logged(message, service.lines.filter(({ msg }) => msg === message).length + 1),
  };
};

/** Lets a process die when this process dies, kill -9 included: a shell waits for the end of a pipe from us. */
export const endWithUs = (child: ChildProcess): void => {
  const watchdog = spawn('/bin/sh', ['-c', 'read line; kill -9 "$0"', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.once('exit', () => watchdog.kill('SIGKILL'));
};
