import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@workspace/testing';
import { kafkaVersion, pomFile } from './jars.ts';
import { oldestJava } from './java.ts';
import { askMetadata } from './metadata.ts';

/** A broker in a container: single, without login, its data gone with it. */
export interface ContainerBroker {
  /** `host:port` for clients on this machine */
  readonly bootstrapServers: string;
  /** Ends the broker and removes its container. */
  stop(): Promise<void>;
}

/** Whether a Docker engine answers. */
export const dockerAnswers = (): boolean =>
  spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;

/** Stops the broker when stdin ends, also because the starter was killed, so that no container is left behind. */
const UNTIL_STDIN_ENDS = 'exec 3<&0; (cat <&3 >/dev/null; kill -TERM 1) & exec /etc/kafka/docker/run';

/**
 * The engine's own network on Linux: Docker before version 28 lets neighbours reach a port that is published on loopback only.
 * Elsewhere the engine is in a virtual machine, which no neighbour reaches.
 */
const ON_HOST = process.platform === 'linux';

const settings = (port: number, inside: number, controller: number): Record<string, string> => ({
  CLUSTER_ID: randomBytes(16).toString('base64url').replace(/^-/, 'A'),
  KAFKA_NODE_ID: '1',
  KAFKA_PROCESS_ROLES: 'broker,controller',
  KAFKA_CONTROLLER_QUORUM_VOTERS: `1@localhost:${controller}`,
  KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
  KAFKA_INTER_BROKER_LISTENER_NAME: 'INSIDE',
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT',
  KAFKA_LISTENERS: `INSIDE://localhost:${inside},OUTSIDE://${ON_HOST ? '127.0.0.1' : ''}:${port},CONTROLLER://localhost:${controller}`,
  KAFKA_ADVERTISED_LISTENERS: `INSIDE://localhost:${inside},OUTSIDE://localhost:${port}`,
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  KAFKA_HEAP_OPTS: '-Xms256m -Xmx512m',
});

/**
 * Starts Apache Kafka's own image on `port` of 127.0.0.1, and fetches it first if it is missing. Resolves when the broker
 * answers; rejects with the last lines of Docker or Kafka when it ends instead.
 * @param say is called with each line that the fetch prints
 */
export const startContainerBroker = async (
  port: number,
  say: (line: string) => void,
): Promise<ContainerBroker> => {
  const image = `docker.io/apache/kafka:${kafkaVersion(readFileSync(pomFile, 'utf8'))}`;
  if (spawnSync('docker', ['image', 'inspect', image], { stdio: 'ignore' }).status !== 0) {
    say(`fetching ${image} ...`);
    const pull = spawn('docker', ['pull', image], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    await ended(pull, say).catch((cause: Error) => {
      const reason = cause.message.split('\n').at(-1);
      const remedy = `install a JDK ${oldestJava} or newer and Maven, or run docker/engine/run npm start, which builds the image`;
      throw new Error(`Docker could not fetch ${image} (${reason}); ${remedy}`, { cause });
    });
  }
  const [inside = 0, controller = 0] = await freePorts(2);
  const variables = Object.entries(settings(port, inside, controller)).flatMap(([name, value]) => [
    '--env',
    `${name}=${value}`,
  ]);
  const network = ON_HOST ? ['--network', 'host'] : ['--publish', `127.0.0.1:${port}:${port}`];
  const child = spawn(
    'docker',
    [
      'run',
      '--rm',
      '--name',
      `kafka-${port}`,
      '--interactive',
      '--init',
      ...network,
      ...variables,
      image,
      'sh',
      '-c',
      UNTIL_STDIN_ENDS,
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true }, // out of the terminal's group: Ctrl-C is for the starter alone
  );
  const gone = ended(child);
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await gone.catch(() => undefined);
  };
  const deadline = performance.now() + 120_000;
  const answering = async (): Promise<void> => {
    while (!(await askMetadata(port, 2_000).catch(() => undefined))) {
      if (performance.now() > deadline) throw new Error('Kafka did not answer within two minutes');
      await sleep(100);
    }
  };
  try {
    await Promise.race([answering(), gone.then(() => Promise.reject(new Error('Kafka ended at once')))]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { bootstrapServers: `localhost:${port}`, stop };
};

/** Resolves when a process ends well; rejects with the last lines that it wrote. */
const ended = async (child: ChildProcess, say?: (line: string) => void): Promise<void> => {
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream! }).on('line', (line) => {
      say?.(line);
      last.push(line);
      if (last.length > 5) last.shift();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(last.join('\n') || `docker ended with ${code}`);
};
