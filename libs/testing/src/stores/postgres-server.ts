import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../eventually.ts';
import { freePort } from '../ports.ts';
import { runTool } from '../tools.ts';

/** A real PostgreSQL. It asks for a password, which is in the URL. */
export interface PostgresServer {
  readonly url: string;
  kill(): Promise<void>;
  /** SIGSTOP to all its processes: connections stay open, nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Starts again on the same data and port; resolves when it answers. */
  restart(): Promise<void>;
  /** Runs statements as the superuser, on a connection of its own; returns the rows of the last. */
  query(...statements: string[]): Promise<Record<string, unknown>[]>;
  /** Starts a hot standby that replicates this server. */
  standby(): Promise<PostgresServer>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

const PASSWORD = 'correct-horse';
const DEBIAN = '/usr/lib/postgresql';

/** Debian keeps the server's programs off PATH, a folder for each version. */
const program = (name: string): string => {
  if (!existsSync(DEBIAN)) return name;
  const newest = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))[0] ?? '';
  const path = join(DEBIAN, newest, 'bin', name);
  return existsSync(path) ? path : name;
};

/** The server's programs do not run as root. */
const asPostgres = (command: string, args: readonly string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--reset-env', command, ...args]]
    : [command, [...args]];

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  if (process.getuid?.() === 0) spawnSync('chown', ['postgres:postgres', folder]);
  await chmod(folder, 0o700);
  return folder;
};

/** @param settings of the server, beside those that all tests need */
export const startPostgres = async (settings: Record<string, string> = {}): Promise<PostgresServer> => {
  const folder = await newFolder();
  const passwords = join(folder, 'password');
  await writeFile(passwords, `${PASSWORD}\n`, { mode: 0o644 });
  const data = join(folder, 'data');
  const initdb = ['--pgdata', data, '--username=postgres', '--auth=scram-sha-256', '--no-sync'];
  await runTool(...asPostgres(program('initdb'), [...initdb, '--encoding=UTF8', `--pwfile=${passwords}`]));
  return serve(folder, data, settings);
};

const serve = async (
  folder: string,
  data: string,
  given: Record<string, string>,
): Promise<PostgresServer> => {
  const port = await freePort();
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;

  const processes = (): number[] => {
    const pid = server?.pid;
    if (pid === undefined || server?.exitCode !== null || server.signalCode !== null) return [];
    return [
      pid,
      ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    ];
  };
  /** Every process of the server has the data as its working folder. @param pid a name in /proc */
  const worksOnData = (pid: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === data;
    } catch {
      return false;
    }
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const pid of processes()) {
      try {
        process.kill(pid, signal);
      } catch {
        // It ended meanwhile.
      }
    }
  };

  const query = async (...statements: string[]): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    // The server may be killed while it is connected.
    client.on('error', () => undefined);
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const sql of statements) ({ rows } = await client.query(sql));
      return rows;
    } finally {
      await client.end();
    }
  };

  const restart = async (): Promise<void> => {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: folder,
      // A server that is killed loses nothing that it confirmed; only a machine without power would.
      fsync: 'off',
      timezone: 'UTC',
      ...given,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(...asPostgres(program('postgres'), ['-D', data, ...args]), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = child;
    let output = '';
    child.stderr?.on('data', (text: Buffer) => (output = (output + text.toString()).slice(-10_000)));
    await eventually('answer of PostgreSQL', async () => {
      if (child.exitCode !== null) return true;
      return (await query('SELECT 1')).length === 1;
    });
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}:\n${output}`);
  };

  const kill = async (): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    signalAll('SIGKILL');
    await exited;
    // A server does not start while a process of the one before it still has the shared memory.
    await eventually('end of all processes', () => !readdirSync('/proc').some(worksOnData));
  };

  await restart();
  return {
    url,
    kill,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    restart,
    query,
    standby: async () => {
      const copyFolder = await newFolder();
      const copy = join(copyFolder, 'data');
      const args = [
        '--dbname',
        url,
        '--pgdata',
        copy,
        '--write-recovery-conf',
        '--no-sync',
        '--checkpoint=fast',
      ];
      await runTool(...asPostgres(program('pg_basebackup'), args));
      return serve(copyFolder, copy, given);
    },
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
