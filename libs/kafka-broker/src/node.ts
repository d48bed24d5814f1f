import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isFree } from '@workspace/testing';
import { javaCommand } from './java-command.ts';
import { askMetadata } from './metadata.ts';
import { type NodeLayout, nodeSettings, propertiesText } from './properties.ts';
import type { Run, Supervisor } from './supervised.ts';

/** One Kafka process on one data folder: what is done to it, not what is asked of it. */
export interface KafkaNode {
  /** Formats the data folder unless it is already, and starts the process. Does not wait for it to answer. */
  start(): Promise<void>;
  /** Resolves when the broker on `port` answers Metadata and knows `brokers` brokers; rejects when it ends before. */
  answers(port: number, brokers: number): Promise<void>;
  /** SIGTERM: Kafka closes its logs and leaves. SIGKILL follows after `timeoutMs`, ten seconds by default. */
  terminate(timeoutMs?: number): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGSTOP. Returns when all threads stand still. */
  freeze(): void;
  thaw(): void;
  readonly pid: number | undefined;
}

export interface NodeOptions {
  jars: string;
  layout: NodeLayout;
  clusterId: string;
  /** Where server.properties and broker.log go. */
  folder: string;
  formatArguments: string[];
  supervisor: Supervisor;
  /** Options of the JVM in place of the class archive. */
  jvmOptions?: string[] | undefined;
}

export const kafkaNode = ({
  jars,
  layout,
  clusterId,
  folder,
  formatArguments,
  supervisor,
  jvmOptions,
}: NodeOptions): KafkaNode => {
  const configuration = join(folder, `server-${layout.id}.properties`);
  const log = join(folder, `broker-${layout.id}.log`);
  let run: Run | undefined;

  const alive = (): Run | undefined => (run?.exit ? undefined : run);
  const signal = (name: NodeJS.Signals): void => {
    const current = alive();
    if (!current) throw new Error(`broker ${layout.id} is not running`);
    process.kill(current.pid, name);
  };

  const format = async (): Promise<void> => {
    if (existsSync(join(layout.dataFolder, 'meta.properties'))) return;
    const args = ['format', '--cluster-id', clusterId, '--config', configuration, ...formatArguments];
    const tool = await supervisor.run(javaCommand(jars, 'kafka.tools.StorageTool', args), log);
    const { code } = await tool.exited;
    if (code !== 0) throw new Error(`Kafka could not format ${layout.dataFolder}:\n${await lastLines(log)}`);
  };

  const start = async (): Promise<void> => {
    if (alive()) throw new Error(`broker ${layout.id} runs already`);
    for (const port of portsOf(layout)) {
      if (!(await isFree(port))) throw new Error(`port ${port} is in use; is another broker running?`);
    }
    await writeFile(configuration, propertiesText(nodeSettings(layout)));
    await format();
    run = await supervisor.run(javaCommand(jars, 'kafka.Kafka', [configuration], jvmOptions), log);
  };

  const answers = async (port: number, brokers: number): Promise<void> => {
    const deadline = Date.now() + 60_000;
    for (;;) {
      if (!alive()) throw new Error(`Kafka ended instead of answering:\n${await lastLines(log)}`);
      const known = await askMetadata(port, 2_000).catch(() => []);
      if (known.length >= brokers) return;
      if (Date.now() > deadline)
        throw new Error(`Kafka did not answer within 60 s:\n${await lastLines(log)}`);
      await pause(50);
    }
  };

  const end = async (name: 'SIGTERM' | 'SIGKILL', timeoutMs = 10_000): Promise<void> => {
    const current = alive();
    if (!current) return;
    signal(name);
    const late = setTimeout(() => !current.exit && process.kill(current.pid, 'SIGKILL'), timeoutMs);
    await current.exited;
    clearTimeout(late);
  };

  return {
    start,
    answers,
    terminate: (timeoutMs) => end('SIGTERM', timeoutMs),
    kill: () => end('SIGKILL'),
    freeze: () => {
      signal('SIGSTOP');
      waitUntilStopped(run!.pid);
    },
    thaw: () => signal('SIGCONT'),
    get pid() {
      return alive()?.pid;
    },
  };
};

/**
 * Waits, for a second at most. The signal is handled by one thread of the process, which on a busy machine may have to wait for
 * its turn; the other threads continue meanwhile, and could still acknowledge a record. Only Linux reports it; elsewhere this returns at once.
 */
const waitUntilStopped = (pid: number): void => {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return;
  const deadline = performance.now() + 1_000;
  const clock = new Int32Array(new SharedArrayBuffer(4));
  while (!readdirSync(tasks).every((task) => isStopped(join(tasks, task, 'stat')))) {
    if (performance.now() > deadline) throw new Error(`process ${pid} has not stopped within a second`);
    Atomics.wait(clock, 0, 0, 1);
  }
};

/** The state follows the name, which is in parentheses and may contain any character. */
const isStopped = (stat: string): boolean => / T [^)]*$/.test(readFileSync(stat, 'utf8'));

const portsOf = (layout: NodeLayout): number[] => {
  const own = layout.controllers.filter((controller) => controller.id === layout.id);
  return [...layout.listeners, ...own].map(({ port }) => port);
};

const lastLines = async (file: string): Promise<string> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-15).join('\n');
};
