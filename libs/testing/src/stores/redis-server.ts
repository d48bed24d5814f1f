import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from 'redis';
import { freePort } from '../ports.ts';

/**
 * A real redis-server that writes every change to its file before it answers, so that killing it loses nothing. It does
 * not wait for the disk, which can take seconds on a busy machine: that would be a store that hangs.
 */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Starts again on the same data and port; resolves when it answers. */
  restart(): Promise<void>;
  /** Sends one command on a connection of its own, as an operator would with redis-cli. */
  command(...words: string[]): Promise<unknown>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export interface RedisServerSettings {
  /** another program than Debian's redis-server */
  readonly program?: string;
  /** lines of the configuration, over those that all tests need */
  readonly settings?: readonly string[];
  /** a Sentinel instead of a server that keeps data */
  readonly isSentinel?: boolean;
  /** the user `default` has it */
  readonly password?: string;
  /** tried first; another where it is taken */
  readonly port?: number;
}

/** Duplicates share its class, which takes 20 ms to make. */
const CLIENT = createClient();

const KEEPS_DATA = ['appendonly yes', 'appendfsync no', 'save ""'];

export const startRedis = async (options: RedisServerSettings = {}): Promise<RedisServer> => {
  for (let triesLeft = 5; ; triesLeft--) {
    const { port = await freePort() } = triesLeft === 5 ? options : {};
    const server = await newServer(options, port);
    try {
      await server.restart();
      return server;
    } catch (error) {
      await server.stop();
      // Another program took a port since it was looked at.
      if (triesLeft === 0 || !/Address already in use/.test(String(error))) throw error;
    }
  }
};

/** A server that is configured and not started. */
const newServer = async (options: RedisServerSettings, port: number): Promise<RedisServer> => {
  const { program = 'redis-server', settings = [], isSentinel = false, password } = options;
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
  const configuration = join(folder, 'redis.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    ...(isSentinel ? [] : KEEPS_DATA),
    ...(password === undefined
      ? []
      : [`requirepass ${password}`, ...(isSentinel ? [] : [`masterauth ${password}`])]),
    ...settings,
  ];
  await writeFile(configuration, `${lines.join('\n')}\n`);
  let server: ChildProcess | undefined;

  const restart = async (): Promise<void> => {
    const child = spawn(program, [configuration, ...(isSentinel ? ['--sentinel'] : [])], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    server = child;
    const output: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (output.length < 50) output.push(line);
        if (/Ready to accept connections|Sentinel ID is/.test(line)) resolve();
      });
      // Not `exit`, after which output may still arrive.
      child.once('close', () => reject(new Error(`${program} ended:\n${output.join('\n')}`)));
      child.once('error', reject);
    });
  };
  const kill = async (): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };

  return {
    url,
    port,
    kill,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    restart,
    command: async (...words) => {
      const client = CLIENT.duplicate({ url, socket: { reconnectStrategy: false } });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return await client.sendCommand(words);
      } finally {
        client.destroy();
      }
    },
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
