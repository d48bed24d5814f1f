import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@workspace/testing';
import { eventually, workspaceRoot } from '@workspace/testing';
import { run } from './process.ts';
import { type Answer, ask, type Question } from './request.ts';
import { keysOf } from './topic-reader.ts';

/** The settings of docker/.env; an undefined one is left out. */
export type Settings = Record<string, string | undefined>;

/** What `docker inspect` says of a container, as far as the tests read it. */
export interface ContainerInfo {
  Id: string;
  State: {
    ExitCode: number;
    Running: boolean;
    /** of its first process, on the machine of the engine */
    Pid: number;
    StartedAt: string;
    OOMKilled: boolean;
    Health?: { FailingStreak: number };
  };
  RestartCount: number;
  Config: { User: string };
  HostConfig: {
    Memory: number;
    ReadonlyRootfs: boolean;
    CapDrop: string[] | null;
    SecurityOpt: string[] | null;
    LogConfig: { Config: Record<string, string> };
  };
  NetworkSettings: {
    Ports: Record<string, { HostIp: string; HostPort: string }[] | null>;
    Networks: Record<string, { IPAddress: string; GlobalIPv6Address: string; Gateway: string }>;
  };
}

/**
 * The compose files with a docker/.env of their own, in a folder of their own, as a project of its own: the tests neither
 * see nor change what else runs on the engine.
 */
export class Stack {
  /** the copy of docker/, where an operator would stand */
  readonly folder: string;
  readonly port: number;
  /** of Kafka, on this machine */
  readonly kafkaPort: number;
  /** the project's name for Compose */
  readonly project: string;
  readonly #root: string;
  #settings: Settings;

  private constructor(root: string, [http, kafka]: number[], settings: Settings) {
    this.#root = root;
    this.folder = join(root, 'docker');
    this.port = http as number;
    this.kafkaPort = kafka as number;
    this.project = `three-services-e2e-${http}`;
    this.#settings = {
      COMPOSE_PROJECT_NAME: this.project,
      HTTP_PORT: String(http),
      KAFKA_PORT: String(kafka),
      ...settings,
    };
  }

  /** Copies the files; starts nothing. */
  static async create(settings: Settings = {}): Promise<Stack> {
    const root = mkdtempSync(join(tmpdir(), 'stack-'));
    const stack = new Stack(root, await freePorts(2), settings);
    cpSync(join(workspaceRoot, 'docker'), stack.folder, {
      recursive: true,
      filter: (path) => !/\/(e2e|test|bench|engine|images)$/.test(path),
    });
    mkdirSync(join(root, 'apps/release-web'), { recursive: true });
    cpSync(join(workspaceRoot, 'apps/release-web/data'), join(root, 'apps/release-web/data'), {
      recursive: true,
    });
    checkHealthOften(stack.folder);
    stack.set({});
    return stack;
  }

  /** Changes docker/.env. */
  set(changes: Settings): void {
    this.#settings = { ...this.#settings, ...changes };
    const lines = Object.entries(this.#settings).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    );
    writeFileSync(join(this.folder, '.env'), `${lines.join('\n')}\n`);
  }

  /** `docker compose` in the folder; resolves with what it printed, rejects when it fails. */
  compose(...words: string[]): Promise<string> {
    return run({ command: 'docker', args: ['compose', '--ansi', 'never', ...words], cwd: this.folder });
  }

  /** Starts services and waits until those with a health check are healthy. */
  async up(...services: string[]): Promise<void> {
    await this.compose('up', '--detach', '--no-build', '--wait', '--wait-timeout', '500', ...services);
  }

  /** Removes everything: containers, volumes, network, folder. */
  async remove(): Promise<void> {
    await this.compose('down', '--volumes', '--remove-orphans', '--timeout', '5');
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Runs shell commands as an operator would, standing in docker/; the stack's port takes the place of 8080. */
  shell(commands: readonly string[], env: Record<string, string> = {}): Promise<string> {
    // `cd docker` is the first thing a page says; here the shell stands there.
    const script = commands
      .join('\n')
      .replaceAll(/^ *cd docker$/gm, '')
      .replaceAll('localhost:8080', `localhost:${this.port}`);
    return run({ command: 'sh', args: ['-euc', script], cwd: this.folder, env: { ...process.env, ...env } });
  }

  /** A request through the proxy. */
  ask(service: string, path: string, more: Partial<Question> = {}): Promise<Answer> {
    return ask({ port: this.port, host: `${service}.localhost`, path, ...more });
  }

  /** The containers of a service, stopped ones too. */
  async containers(service: string): Promise<ContainerInfo[]> {
    const ids = (await this.compose('ps', '--all', '--quiet', service)).split('\n').filter(Boolean);
    return JSON.parse(await run({ command: 'docker', args: ['inspect', ...ids] })) as ContainerInfo[];
  }

  /** Kills one container of a service, as a crash would. */
  async kill(service: string, index: number): Promise<void> {
    await run({ command: 'docker', args: ['kill', await this.#id(service, index)] });
  }

  /** Stops the processes of one container, which still accepts connections; `unpause` continues them. */
  async pause(service: string, index: number, command: 'pause' | 'unpause' = 'pause'): Promise<void> {
    await run({ command: 'docker', args: [command, await this.#id(service, index)] });
  }

  /** Restarts one container of a service and waits until it is healthy. */
  async restart(service: string, index: number): Promise<void> {
    const id = await this.#id(service, index);
    await run({ command: 'docker', args: ['restart', id] });
    await eventually(`healthy ${service}`, async () => {
      const health = await run({
        command: 'docker',
        args: ['inspect', '--format', '{{.State.Health.Status}}', id],
      });
      return health.trim() === 'healthy' ? true : undefined;
    });
  }

  async #id(service: string, index: number): Promise<string> {
    const { Id } = (await this.containers(service))[index] ?? {};
    if (Id === undefined) throw new Error(`${service} has no container ${index}`);
    return Id;
  }

  /** Resolves when ops-intake can write to Kafka. */
  async writable(): Promise<void> {
    await eventually('healthy ops-intake', async () =>
      (await this.ask('ops-intake', '/health')).status === 200 ? true : undefined,
    );
  }

  /** Lets the key store have kept every key for a day, as most have: a new one has every key looked up in the topic. */
  async ageKeyStore(): Promise<void> {
    const aDayAgo = String(Date.now() - 86_400_000);
    await this.compose('exec', '-T', 'valkey', 'valkey-cli', 'hset', 'ops-intake:store', 'since', aDayAgo);
    await this.compose('restart', 'ops-intake');
    await this.up();
    await this.writable();
  }

  /** The keys (submission ids) of all records of a topic. */
  async keys(topic = 'operations'): Promise<string[]> {
    const addresses = new Map<string, string>();
    for (const broker of ['kafka', 'kafka-2', 'kafka-3']) {
      const [container] = await this.containers(broker).catch(() => []);
      const [network] = Object.values(container?.NetworkSettings.Networks ?? {});
      if (network?.IPAddress) addresses.set(broker, network.IPAddress);
    }
    const brokers = [...addresses.keys()].map((broker) => `${broker}:19092`);
    // While brokers come and go, a reader may be sent to one that has just gone.
    return eventually('keys', () => keysOf({ brokers, addresses, topic }));
  }
}

/**
 * Changes how often the health checks of the services run and how patient all checks are, and nothing else of them: with the
 * interval of their images, most of the time of a test would be spent waiting for the first check. The other intervals stay:
 * each check starts a process in a container, and with ten containers that adds up.
 */
const checkHealthOften = (folder: string): void => {
  const service = 'x-service: &service\n  <<: *hardened\n';
  for (const name of ['compose.yaml', 'compose.cluster.yaml']) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8')
      .replace(service, `${service}  healthcheck: { interval: 5s, timeout: 10s, retries: 20 }\n`)
      .replaceAll(/^( +timeout:) \d+s$/gm, '$1 10s')
      .replaceAll(/^( +retries:) \d+$/gm, '$1 20');
    writeFileSync(file, text);
  }
};

/** The smallest submission. */
export const SUBMISSION: Partial<Question> = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
};
