import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
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

export const startRedis = async (): Promise<RedisServer> => {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;

  const restart = async (): Promise<void> => {
    const files = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'no', '--save', ''];
    const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...files], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    server = child;
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('Ready to accept connections')) resolve();
      });
      child.once('exit', () => reject(new Error('redis-server ended')));
    });
  };
  const kill = async (): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };

  await restart();
  return {
    url,
    kill,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    restart,
    command: async (...words) => {
      const client = await createClient({ url }).connect();
      try {
        return await client.sendCommand(words);
      } finally {
        client.destroy();
      }
    },
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
};
