import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { freePorts, type StandaloneBroker } from '@workspace/kafka-broker';
import { parse } from 'yaml';
import type { Neighbourhood } from './neighbourhood.ts';
import { start } from './process.ts';
import { type App, type Instance, startService } from './service.ts';
import { startValkey, type Valkey } from './valkey.ts';
import { workspace } from './workspace.ts';

interface Call {
  words: string[];
  env: Record<string, string>;
}
interface ComposeService {
  image: string;
  environment?: Record<string, string | null>;
  volumes?: string[];
  deploy?: { replicas?: number };
}

/** Classes behind the scripts of the image docker.io/apache/kafka. */
const KAFKA_TOOLS: Record<string, string> = {
  'kafka-topics.sh': 'org.apache.kafka.tools.TopicCommand',
  'kafka-configs.sh': 'kafka.admin.ConfigCommand',
  'kafka-log-dirs.sh': 'org.apache.kafka.tools.LogDirsCommand',
  'kafka-consumer-groups.sh': 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
  'kafka-broker-api-versions.sh': 'org.apache.kafka.tools.BrokerApiVersionsCommand',
};

const isApp = (name: string): name is App => ['release-web', 'ops-intake', 'ip-locate'].includes(name);

/**
 * Does what `docker compose` would do with the services of compose.yaml, on processes of this machine: the real services,
 * broker and proxy. The files are read by the real docker-compose, so a setting or a name that is not in them is an error.
 */
export class ComposeStandIn {
  readonly folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  readonly images = new Map<App, string>();
  private readonly around: Neighbourhood;
  private readonly broker: StandaloneBroker;
  private readonly replicas = new Map<App, Instance[]>();
  private readonly managementPorts = new Map<App, number>();
  private store: Valkey | undefined;
  private readonly server = createServer({ allowHalfOpen: true }, (socket) => {
    void json(socket)
      .then((call) => this.run(call as Call))
      .then(
        (output) => socket.end(JSON.stringify({ output, code: 0 })),
        (error: Error) => socket.end(JSON.stringify({ output: `${error.message}\n`, code: 1 })),
      );
  });

  constructor(around: Neighbourhood, broker: StandaloneBroker) {
    this.around = around;
    this.broker = broker;
  }

  /** Opens the door for the stand-in's `docker`; resolves with the environment that finds it. */
  async open(): Promise<Record<string, string>> {
    const socket = join(this.folder, 'socket');
    this.server.listen(socket);
    await once(this.server, 'listening');
    symlinkSync(resolve('e2e/support/docker-stand-in.js'), join(this.folder, 'docker'));
    return { STAND_IN_SOCKET: socket, PATH: `${this.folder}:${process.env['PATH']}` };
  }

  async close(): Promise<void> {
    this.server.close();
    for (const app of this.replicas.keys()) await this.stop(app);
    await this.store?.stop();
    rmSync(this.folder, { recursive: true });
  }

  async run({ words, env }: Call): Promise<string> {
    if (words[0] !== 'compose') throw new Error(`docker ${words[0]} is not on these pages`);
    const files: string[] = [];
    let rest = words.slice(1);
    for (; rest[0] === '-f'; rest = rest.slice(2)) files.push(String(rest[1]));
    const services = config(files, env);
    const [verb, ...args] = rest;
    const names = args.filter((word) => Object.hasOwn(services, word));
    const name = String(names.at(verb === 'exec' ? 0 : -1));
    switch (verb) {
      case 'ps':
        return this.ps(Object.keys(services));
      case 'logs':
        return this.logs(name);
      case 'up':
        return this.up(name, services[name], args);
      case 'restart':
        if (name !== 'proxy') throw new Error('the pages restart only the proxy');
        await this.around.proxy.restart();
        return '';
      case 'kill':
        for (const instance of this.replicas.get(name as App) ?? []) {
          process.kill(instance.pid, `SIG${args[args.indexOf('-s') + 1]}`);
        }
        return '';
      case 'run': {
        if (name !== 'kafka') throw new Error(`the pages run nothing in a new container of ${name}`);
        const program = String(args[args.indexOf('--entrypoint') + 1]);
        return this.exec(name, [program, ...args.slice(args.indexOf(name) + 1)]);
      }
      case 'exec':
        return this.exec(name, args.slice(args.indexOf(name) + 1));
      default:
        throw new Error(`docker compose ${verb} is not on these pages`);
    }
  }

  private logs(name: string): string {
    if (isApp(name)) return this.replicas.get(name)?.[0]?.output() ?? '';
    if (name === 'kafka') return readFileSync(join(this.broker.folder, 'broker-1.log'), 'utf8');
    return `${name} logs to a file here\n`;
  }

  private ps(names: string[]): string {
    const state = (name: string) => {
      if (name === 'kafka') return this.broker.pid === undefined ? 'exited' : 'running';
      if (isApp(name)) return `running, ${this.replicas.get(name)?.length ?? 0} of ${this.images.get(name)}`;
      return 'running';
    };
    return names.map((name) => `${name}\t${state(name)}\n`).join('');
  }

  private async up(name: string, service: ComposeService | undefined, args: string[]): Promise<string> {
    if (name === 'kafka') {
      if (this.broker.pid === undefined) await this.broker.restart();
      return '';
    }
    if (!isApp(name) || !service) throw new Error(`the pages do not start ${name}`);
    const scale = args.find((word) => word.startsWith(`${name}=`))?.split('=')[1];
    const count = Number(scale ?? service.deploy?.replicas ?? 1);
    await this.stop(name);
    const env = await this.environment(name, service);
    const addresses = Array.from({ length: count }, (_none, index) => `127.0.0.${index + 1}`);
    this.replicas.set(
      name,
      await Promise.all(
        addresses.map((host) =>
          startService(name, { host, port: this.around.ports[name], env: { ...env, MANAGEMENT_HOST: host } }),
        ),
      ),
    );
    this.images.set(name, service.image);
    this.around.names.set(name, addresses);
    return `Container ${name} started\n`;
  }

  private async stop(app: App): Promise<void> {
    this.around.names.set(app, []);
    for (const instance of this.replicas.get(app) ?? []) {
      const { code } = await instance.end();
      if (code !== 0) throw new Error(`${app} ended with ${code}:\n${instance.output()}`);
    }
    this.replicas.delete(app);
  }

  /** The environment compose gives, with the names of its network and its mounts translated to this machine. */
  private async environment(app: App, { environment = {}, volumes = [] }: ComposeService) {
    const [management] = (await freePorts(1)) as [number];
    this.managementPorts.set(app, management);
    const env: Record<string, string> = {};
    for (const [key, value] of Object.entries(environment)) {
      env[key] = volumes.map(String).reduce(
        (text, volume) => {
          const [host, inside] = volume.split(':') as [string, string];
          return text.startsWith(inside) ? host + text.slice(inside.length) : text;
        },
        String(value ?? ''),
      );
    }
    if (env['KAFKA_BOOTSTRAP_SERVERS']) env['KAFKA_BOOTSTRAP_SERVERS'] = this.broker.bootstrapServers;
    if (env['TRUST_PROXY']) env['TRUST_PROXY'] = 'loopback';
    if (env['IDEMPOTENCY_STORE_URL']) {
      this.store ??= await startValkey();
      env['IDEMPOTENCY_STORE_URL'] = this.store.url;
    }
    return { ...env, MANAGEMENT_PORT: String(management), LOG_LEVEL: 'info' };
  }

  private exec(name: string, command: string[]): Promise<string> {
    const [program, ...args] = command as [string, ...string[]];
    if (isApp(name) && program === 'node' && args[0] === 'healthcheck.js') {
      const env = { ...process.env, MANAGEMENT_PORT: String(this.managementPorts.get(name)) };
      return output('node', ['images/healthcheck.js', ...args.slice(1)], env);
    }
    if (name !== 'kafka') throw new Error(`the pages run nothing like ${program} in ${name}`);
    const translated = args.map((word) =>
      word
        .replace('localhost:19092', this.broker.bootstrapServers)
        .replace('/var/lib/kafka/data', join(this.broker.folder, 'data-1')),
    );
    if (program === 'df' || program === 'du') return output(program, translated);
    const tool = KAFKA_TOOLS[program.replace('/opt/kafka/bin/', '')];
    if (!tool) throw new Error(`${program} is no tool of Kafka's that the pages use`);
    return output('java', ['-cp', `${kafkaJars()}/*`, tool, ...translated]);
  }
}

/** Runs a program without holding up the stand-in; its output, both kinds, or an error with it. */
async function output(command: string, args: string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const running = start({ command, args, ...(env && { env }) });
  const { code } = await running.ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${running.output()}`);
  return running.output();
}

/** Where the broker of the tests keeps Kafka's jars. */
function kafkaJars(): string {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'three-services');
  const folder = readdirSync(cache).find((name) => /^kafka-[\d.]+-[0-9a-f]+$/.test(name));
  return join(cache, String(folder));
}

function config(files: string[], env: Record<string, string>): Record<string, ComposeService> {
  const args = [...files.flatMap((file) => ['-f', join(workspace, file)]), 'config'];
  const { status, stdout, stderr } = spawnSync('docker-compose', args, { encoding: 'utf8', env });
  if (status !== 0) throw new Error(stderr);
  return (parse(stdout) as { services: Record<string, ComposeService> }).services;
}

/** Whether the programs that the pages use besides docker are here. */
export const pageTools = ['docker-compose', 'curl', 'jq', 'java', 'python3', 'nginx'] as const;
