import { type StandaloneBroker, startBroker } from '@workspace/kafka-broker';
import { freePort } from '@workspace/testing';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { untilHealth } from '../support/health.ts';
import { type AnswerLog, type Audit, createAnswerLog, violations } from '../support/answer-log.ts';
import { type Load, type Span, startLoad } from '../support/load.ts';
import { type RunningService, startService } from '../support/service.ts';

/** What all fault scenarios share: one broker with a proxy in front. */
export interface TestBed {
  broker: StandaloneBroker;
  proxy: FaultProxy;
  /** Full counts (`nx faults ops-intake`) instead of the short form. */
  long: boolean;
  /** Makes a new topic of three partitions. */
  topic(name: string): Promise<string>;
}

/** The result of a scenario: figures for the table, and what did not hold (nothing, if all is well). */
export interface ScenarioResult {
  figures: Record<string, string | number>;
  violations: string[];
  /** Limits of time that were exceeded. They depend on the machine, so only the long form fails by them. */
  late?: string[];
}

/** One fault scenario: a row of the fault table. */
export interface FaultScenario {
  id: string;
  fault: string;
  run(bed: TestBed): Promise<ScenarioResult>;
}

export const openTestBed = async (long: boolean): Promise<TestBed> => {
  const port = await freePort();
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
};

export const closeTestBed = async (bed: TestBed | undefined): Promise<void> => {
  await bed?.proxy.close();
  await bed?.broker.stop();
};

/** A service on a topic, 64 clients posting to it, and the answers that they got. */
export interface LoadedService {
  topic: string;
  service: RunningService;
  load: Load;
  answers: AnswerLog;
  /** Ends load and service. @returns what the topic has, and what does not hold */
  end(): Promise<{ readonly audit: Audit; readonly found: string[] }>;
}

/** Sets up service and load, directly at the broker or `via` the proxy, and continues when submissions are accepted. */
export const startUnderLoad = async (
  bed: TestBed,
  name: string,
  options: {
    via?: boolean;
    keyedEvery?: number;
    env?: Record<string, string>;
    clients?: number;
    restMs?: number;
  } = {},
): Promise<LoadedService> => {
  const topic = await bed.topic(name);
  const port = options.via ? bed.proxy.port : bed.broker.port;
  const service = await startService({
    KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${port}`,
    KAFKA_TOPIC: topic,
    ...options.env,
  });
  await untilHealth(service.url, 200);
  const answers = createAnswerLog();
  const { keyedEvery = 0, clients = 64, restMs = 50 } = options;
  const load = startLoad({ url: () => service.url, answers, keyedEvery, clients, restMs });
  await load.accepted();
  const end = async () => {
    await load.stop();
    const exit = await service.stop();
    const audit = await answers.audit(bed.broker, topic);
    const found = violations(audit);
    if (exit !== 0) found.push(`exit code ${exit}`);
    if (load.incomplete > 0) found.push(`${load.incomplete} × 503 without Retry-After or outcome`);
    return { audit, found };
  };
  return { topic, service, load, answers, end };
};

/** Resolves when this many more submissions have been accepted. */
export const acceptedMore = async (load: Load, count: number): Promise<void> => {
  const goal = load.acceptedCount + count;
  while (load.acceptedCount < goal) await load.accepted();
};

/** A second less than the service's deadline: reconnecting and sending again take time, too. */
const DEADLINE_KEPT_MS = 4_000;

/** Unnecessary answers `unknown`: during those requests, Kafka was never unavailable for as long as the deadline. */
export const needlessUnknowns = (load: Load, outages: readonly Span[]): number => {
  const long = outages.filter(({ from, until }) => until - from > DEADLINE_KEPT_MS);
  return load.unknowns.filter((one) => !long.some(({ from, until }) => from < one.until && one.from < until))
    .length;
};

/** How long a fault lasts: the one thing here that is waited for by the clock. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const milliseconds = (ms: number): string => `${ms.toFixed(0)} ms`;
