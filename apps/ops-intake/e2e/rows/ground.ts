import { type StandaloneBroker, freePorts, startBroker } from '@workspace/kafka-broker';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { untilHealth } from '../support/health.ts';
import { type Ledger, createLedger } from '../support/ledger.ts';
import { type Load, startLoad } from '../support/load.ts';
import { type RunningService, startService } from '../support/service.ts';

/** What every row of the fault table stands on: one broker with a proxy in front. */
export interface Ground {
  broker: StandaloneBroker;
  proxy: FaultProxy;
  /** Full counts (`nx faults ops-intake`) instead of the short form. */
  long: boolean;
  /** Makes a new topic of three partitions. */
  topic(name: string): Promise<string>;
}

/** What a row found: figures for the table, and what did not hold (nothing, if all is well). */
export interface Finding {
  figures: Record<string, string | number>;
  violations: string[];
  /** Limits of time that were exceeded. They depend on the machine, so only the long form fails by them. */
  late?: string[];
}

/** One row of the fault table. */
export interface Row {
  id: string;
  fault: string;
  run(ground: Ground): Promise<Finding>;
}

export async function layGround(long: boolean): Promise<Ground> {
  const [port] = await freePorts(1);
  const proxy = await startFaultProxy({ port: port!, seed: 20_261_121 });
  const broker = await startBroker({ viaAdvertisedPort: proxy.port });
  proxy.target = broker.ports['VIA']!;
  let topics = 0;
  return {
    broker,
    proxy,
    long,
    topic: async (name) => {
      const topic = `${name}-${(topics += 1)}`;
      await broker.createTopic(topic, { partitions: 3 });
      return topic;
    },
  };
}

export async function clearGround(ground: Ground | undefined): Promise<void> {
  await ground?.proxy.close();
  await ground?.broker.stop();
}

/** A service on a topic, 64 clients posting to it, and the ledger of what they were told. */
export interface Scene {
  topic: string;
  service: RunningService;
  load: Load;
  ledger: Ledger;
}

/** Sets up service and load, directly at the broker or `via` the proxy, and goes on when submissions are accepted. */
export async function openScene(
  ground: Ground,
  name: string,
  options: {
    via?: boolean;
    keyedEvery?: number;
    env?: Record<string, string>;
    clients?: number;
    restMs?: number;
  } = {},
): Promise<Scene> {
  const topic = await ground.topic(name);
  const port = options.via ? ground.proxy.port : ground.broker.port;
  const service = await startService({
    KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${port}`,
    KAFKA_TOPIC: topic,
    ...options.env,
  });
  await untilHealth(service.url, 200);
  const ledger = createLedger();
  const { keyedEvery = 0, clients = 64, restMs = 50 } = options;
  const load = startLoad({ url: () => service.url, ledger, keyedEvery, clients, restMs });
  await load.accepted();
  return { topic, service, load, ledger };
}

/** Resolves when this many more submissions have been accepted. */
export async function acceptedMore(load: Load, count: number): Promise<void> {
  const goal = load.acceptedCount + count;
  while (load.acceptedCount < goal) await load.accepted();
}

/** How long a fault lasts: the one thing here that is waited for by the clock. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function milliseconds(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}
