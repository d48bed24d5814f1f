import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runTool } from '@workspace/testing';
import { type Running, start } from './process.ts';
import { answered } from './service.ts';

/** What compose.yaml hands the proxy in its environment. */
export type ProxyEnvironment = Record<
  | 'DOMAIN'
  | 'TLS'
  | 'HTTP_PORT'
  | 'HTTPS_PORT'
  | 'PUBLIC_HTTPS_PORT'
  | 'NO_IPV6'
  | 'PUBLISHED_ON'
  | 'GATEWAY'
  | 'GATEWAY_IPV6'
  | 'LOCAL_NETWORK'
  | 'KAFKA_PORT'
  | 'OPS_INTAKE_TOKENS'
  | 'CERTIFICATES'
  | 'TRUSTED_PROXY'
  | 'ACCESS_LOG'
  | 'NGINX_LOCAL_RESOLVERS'
  | 'RELEASE_WEB'
  | 'OPS_INTAKE'
  | 'IP_LOCATE',
  string
>;

export interface Proxy {
  readonly port: number;
  readonly folder: string;
  readonly output: () => string;
  /** ends it and starts it again, with an empty cache, as a new container would */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** As the image's entry point does it with envsubst: only `${NAME}` of the given names is replaced, nginx's own $names stay. */
const fillIn = (template: string, environment: Record<string, string>): string =>
  template.replace(/\$\{([A-Z_0-9]+)\}/g, (whole, name: string) => environment[name] ?? whole);

/** Writes the proxy's configuration as the container's entry point would, into a new folder below `parent`. */
const renderProxy = async (environment: ProxyEnvironment, parent = tmpdir()): Promise<string> => {
  const templates = resolve('proxy');
  const folder = await mkdtemp(join(parent, 'proxy-'));
  for (const entry of await readdir(templates, { recursive: true })) {
    if (!entry.endsWith('.template')) continue;
    const target = join(folder, entry.slice(0, -'.template'.length));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, fillIn(await readFile(join(templates, entry), 'utf8'), environment));
  }
  return folder;
};

/** Starts nginx with the very files of docker/proxy; resolves when it answers. */
export const startProxy = async (environment: ProxyEnvironment, parent?: string): Promise<Proxy> => {
  const folder = await renderProxy(environment, parent);
  // Here, because other users may not read root's cache.
  const program = join(folder, 'nginx');
  await copyFile((await runTool('tools/nginx', [])).trim(), program);
  const port = Number(environment.HTTP_PORT);
  // nginx as the container runs it: an ordinary user, with no system folder to write to.
  const root = process.getuid?.() === 0;
  if (root) execFileSync('chown', ['-R', '65534:65534', folder]);
  const asUser = root ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const nginx = [program, '-p', `${folder}/`, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
  const [command, ...args] = [...asUser, ...nginx];
  const begin = async (): Promise<Running> => {
    const begun = start({ command: command as string, args });
    await answered(begun, `http://127.0.0.1:${port}/proxy-health`);
    return begun;
  };
  let running = await begin();
  return {
    port,
    folder,
    output: () => running.output(),
    restart: async () => {
      await running.end();
      await rm(join(folder, 'cache'), { recursive: true });
      running = await begin();
    },
    stop: async () => {
      await running.end();
      await rm(folder, { recursive: true });
    },
  };
};
