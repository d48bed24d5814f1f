import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '@workspace/testing';
import { type Broker, type BrokerOptions, brokerOf } from './broker.ts';
import { makeCertificate } from './certificate.ts';
import { archiveClasses } from './class-archive.ts';
import type { FirstStartStep } from './first-start.ts';
import { kafkaJars } from './jars.ts';
import { optimizedJvm } from './java-command.ts';
import { listenerNames, listeners, scramArguments } from './listeners.ts';
import { kafkaNode } from './node.ts';
import { startSupervisor } from './supervised.ts';

/** A broker on its own. */
export interface StandaloneBroker extends Broker {
  /** Ends the broker for good and removes its temporary data. */
  stop(): Promise<void>;
}

/** Brokers in KRaft's combined mode, each a controller as well. */
export interface Cluster {
  readonly brokers: readonly Broker[];
  /** All plain listeners, comma separated. */
  readonly bootstrapServers: string;
  /** Ends all brokers for good and removes their temporary data. */
  stop(): Promise<void>;
}

type OnFirstStart = (progress: FirstStartStep) => void;

/**
 * Starts one broker; resolves when it answers. Rejects with Kafka's own words when it ends instead.
 * @param options.dataFolder data folder that stays; without it the data is temporary and goes with the broker
 * @param options.onFirstStart is told what only the first start of this version of Kafka does
 */
export const startBroker = async (
  options: BrokerOptions & { dataFolder?: string; onFirstStart?: OnFirstStart } = {},
): Promise<StandaloneBroker> => {
  const { brokers, stop } = await start([options], options.dataFolder, options.onFirstStart);
  return Object.assign(Object.create(brokers[0]!) as Broker, { stop });
};

/**
 * Starts a cluster; resolves when each broker answers and knows all others. Topics get three replicas unless asked
 * otherwise, and a write needs all but one of them (min.insync.replicas=2 of 3).
 */
export const startCluster = async (options: BrokerOptions[] = [{}, {}, {}]): Promise<Cluster> =>
  start(options, undefined);

const start = async (
  nodesOptions: BrokerOptions[],
  dataFolder: string | undefined,
  onFirstStart?: OnFirstStart,
): Promise<Cluster> => {
  const jars = await kafkaJars(onFirstStart);
  await archiveClasses(jars, onFirstStart);
  const folder = resolve(dataFolder ?? join(tmpdir(), `kafka-${randomUUID()}`));
  const supervisor = startSupervisor(dataFolder ? undefined : folder);
  try {
    await mkdir(folder, { recursive: true });
    const plans = await Promise.all(nodesOptions.map((options, index) => plan(options, index + 1, folder)));
    const controllers = plans.map(({ id, controllerPort: port }) => ({ id, port }));
    const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A'); // Kafka forbids a leading dash
    const nodes = plans.map(({ id, listeners, overrides, formatArguments, jvmOptions }) => {
      const layout = { id, listeners, controllers, dataFolder: join(folder, `data-${id}`), overrides };
      return kafkaNode({ jars, layout, clusterId, folder, formatArguments, supervisor, jvmOptions });
    });
    const brokers = nodes.map((node, index) =>
      brokerOf({ node, ...plans[index]!, folder, jars, clusterSize: nodes.length }),
    );
    await Promise.all(brokers.map((broker) => broker.restart()));
    const stop = async (): Promise<void> => {
      if (dataFolder) await Promise.all(nodes.map((node) => node.terminate()));
      await supervisor.close();
    };
    return { brokers, bootstrapServers: brokers.map((b) => b.bootstrapServers).join(','), stop };
  } catch (error) {
    await supervisor.close();
    throw error;
  }
};

/** Chooses the ports of one node and makes what its listeners need. */
const plan = async (options: BrokerOptions, id: number, folder: string) => {
  const tls = options.tls ? await makeCertificate(folder, id) : undefined;
  const wishes = { viaAdvertisedPort: options.viaAdvertisedPort, sasl: options.sasl, tls };
  const [controllerPort, ...ports] = await freePorts(1 + listenerNames(wishes).length);
  if (options.port) ports[0] = options.port;
  return {
    id,
    controllerPort: controllerPort!,
    listeners: listeners(wishes, ports),
    certificate: tls?.pem,
    overrides: options.overrides ?? {},
    formatArguments: options.sasl ? scramArguments(options.sasl) : [],
    jvmOptions: options.optimized ? optimizedJvm : undefined,
  };
};
