import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@workspace/testing';

export interface Nginx {
  readonly url: string;
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
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    [
      // nginx clears its environment.
      ...Object.keys(env).map((name) => `env ${name};`),
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr warn; events { }`,
      `http { access_log off; ${temporary.join(' ')}`,
      `include ${exported}/nginx/http.conf;`,
      `server { listen 127.0.0.1:${port}; include ${exported}/nginx/server.conf; } }`,
    ].join('\n'),
  );
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
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
};

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
