import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtFile, residentMegabytes, type ServiceProcess, startServiceProcess } from '@workspace/testing';

/** The built service as a process of its own. */
export interface RunningService extends Omit<ServiceProcess, 'url'> {
  readonly url: string;
  readonly port: number;
  readonly managementUrl: string;
  signal(name: NodeJS.Signals): void;
  /** Resident memory in MiB, as the kernel counts it. */
  rss(): number;
}

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Ends what a failed test left running. */
export async function killServices(): Promise<void> {
  const ended = [...running].map((child) => once(child, 'exit'));
  running.forEach((child) => child.kill('SIGKILL'));
  await Promise.all(ended);
}

/**
 * Starts `dist/apps/ops-intake/main.js`; resolves when it listens, which does not mean that it has found Kafka.
 * @param port a free one when left out
 */
export async function startService(
  env: { KAFKA_BOOTSTRAP_SERVERS: string } & Record<string, string>,
  port = 0,
): Promise<RunningService> {
  const service = startServiceProcess({
    args: [builtFile('ops-intake')],
    env: { PORT: String(port), MANAGEMENT_PORT: '0', LOG_LEVEL: 'info', ...env },
  });
  const { child } = service;
  endWithUs(child);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const url = await service.url();
  return {
    ...service,
    url,
    port: Number(new URL(url).port),
    managementUrl: String((await service.logged('management listening'))['address']),
    signal: (name) => child.kill(name),
    rss: () => residentMegabytes(child.pid),
  };
}

/** Lets the service die when this process dies, kill -9 included: a shell waits for the end of a pipe from us. */
function endWithUs(child: ChildProcess): void {
  const watchdog = spawn('/bin/sh', ['-c', 'read line; kill -9 "$0"', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.once('exit', () => watchdog.kill('SIGKILL'));
}
