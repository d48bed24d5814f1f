import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, freePort } from '@workspace/testing';

export interface Nginx {
  readonly url: string;
  /** Reads its files again; resolves when it answers by them. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Debian's nginx with the files that an export made for it.
 * @param folder for its own files
 * @param env of its process: a clock, for example
 */
export const startNginx = async (
  folder: string,
  exported: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Nginx> => {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  // The folders of a test are its own, and root's nginx answers as another user.
  const asUs = process.getuid?.() === 0 ? 'user root;' : '';
  const config = join(folder, 'nginx.conf');
  const generationPath = '/generation-of-the-test';
  let generation = 0;
  const writeConfig = (): void =>
    writeFileSync(
      config,
      [
        // nginx clears its environment.
        ...Object.keys(env).map((name) => `env ${name};`),
        `daemon off; ${asUs} pid ${folder}/pid; error_log stderr warn; events { }`,
        `http { access_log off; ${temporary.join(' ')}`,
        `include ${exported}/nginx/http.conf;`,
        `server { listen 127.0.0.1:${port}; include ${exported}/nginx/server.conf;`,
        `location = ${generationPath} { return 200 ${generation}; } } }`,
      ].join('\n'),
    );
  writeConfig();
  const child = spawn('nginx', ['-p', folder, '-c', config, '-e', 'stderr'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await answering(url, child, () => log);
  return {
    url,
    reload: async () => {
      generation += 1;
      writeConfig();
      const old = workersOf(child.pid!);
      child.kill('SIGHUP');
      await eventually('nginx with its new files', async () => {
        if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${log}`);
        const answered = await (await fetch(url + generationPath)).text();
        // Old workers take connections beside the new ones, until they have heard of it.
        const left = workersOf(child.pid!).filter((worker) => old.includes(worker));
        return answered === String(generation) && left.length === 0;
      });
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
};

/** The processes that answer. */
const workersOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);

const answering = async (url: string, child: ChildProcess, log: () => string): Promise<void> => {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${log()}`);
    try {
      await fetch(url, { method: 'HEAD' });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};
