import type { Runtime } from '@workspace/kafka-producer';
import { createLogger, type Logger } from '@workspace/logging';
import type { Timers } from '@workspace/service-process';
import { openKafkaLog } from '../src/adapters/kafka/kafka-log.ts';
import { openSharedStore } from '../src/features/shared-keys/shared-store.ts';
import { createFindSubmission, type FoundSubmission } from '../src/application/find-submission.ts';
import { SubmissionsInFlight } from '../src/application/submissions-in-flight.ts';
import type { Submit } from '../src/application/submit.ts';
import type { SubmitResult } from '../src/application/submit-result.ts';
import { idempotencyLeaseMs, readSettings } from '../src/config.ts';
import { kafkaSettings, submissionLogOptions } from '../src/log-options.ts';
import type { FillRandomly } from '../src/domain/randomness.ts';
import type { Machine } from './machine.ts';
import { SimulatedSocket } from './socket.ts';
import type { World } from './world.ts';
import { createSubmitter } from '../test/submitter.ts';

const TOPIC = 't';
const PARTITIONS = 2;

/** The defaults of the service: they are what is promised. */
export const config = readSettings([], { KAFKA_TOPIC: TOPIC });
const STORE_TIMEOUT_MS = 500;

const silent: Logger = createLogger({ name: 'simulation', level: 'fatal' });

/** One replica of ops-intake, from the use cases down to the bytes on its sockets. */
export interface Instance {
  readonly machine: Machine;
  submit(submit: Omit<Submit, 'now'>): Promise<SubmitResult>;
  find(id: string, client: string): Promise<FoundSubmission>;
}

/** Time and network as a process has them. */
export const runtimeOf = (
  machine: Machine,
  { clock, network, cluster }: Pick<World, 'clock' | 'network' | 'cluster'>,
): Runtime => ({
  now: () => clock.now,
  setTimeout: (callback, milliseconds) => ({ cancel: machine.after(milliseconds, callback) }),
  clearTimeout: (timer) => (timer as { cancel(): void } | undefined)?.cancel(),
  setImmediate: (callback) => void machine.after(0, callback),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const cancel = machine.after(milliseconds, resolve);
      signal?.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    }),
  connect: ({ host }) => {
    const node = cluster.nodes.findIndex(({ name }) => name === host) + 1;
    return new SimulatedSocket(machine, cluster.nodes[node - 1]!, network, (end) =>
      cluster.accept(node, end),
    ).asSocket();
  },
});

export const startInstance = (machine: Machine, world: World): Instance => {
  const { clock, network, cluster, store } = world;
  const { draw } = machine;
  const runtime = runtimeOf(machine, world);
  const now = (): Date => new Date(machine.wallClock);
  const leaseMs = idempotencyLeaseMs(config);
  const fillRandomly: FillRandomly = (target, start) => {
    for (let index = start; index < target.length; index += 1) target[index] = draw.index(256);
  };
  const log = openKafkaLog({
    settings: {
      brokers: [cluster.nodes[draw.index(cluster.nodes.length)]!, ...cluster.nodes].map(
        ({ name }) => `${name}:9092`,
      ),
      ...kafkaSettings(config),
    },
    ...submissionLogOptions(config, world.isIndexed),
    create: { partitions: PARTITIONS, replicationFactor: cluster.nodes.length },
    now,
    logger: silent,
    runtime,
  });
  const timers: Timers = {
    now: () => clock.now,
    setTimeout: (callback, milliseconds, argument) => ({
      unref: () => undefined,
      cancel: machine.after(milliseconds, () => callback(argument)),
    }),
    clearTimeout: (timer) => (timer as unknown as { cancel(): void } | undefined)?.cancel(),
  };
  const keys = openSharedStore((events) => store.connect(machine, network, events), {
    ttlMs: config.IDEMPOTENCY_TTL_MS,
    timeoutMs: STORE_TIMEOUT_MS,
    clock: now,
    timers,
    logger: silent,
  });
  const inFlight = new SubmissionsInFlight(config.DEADLINE_MS, timers);
  const submitOperations = createSubmitter({
    log,
    store: keys,
    deadlineMs: config.DEADLINE_MS,
    inFlight,
    timers,
    fillRandomly,
    search: log,
    isStoreShared: true,
    lookupWindowMs: Math.min(config.STATUS_WINDOW_MS, config.IDEMPOTENCY_TTL_MS),
    longestSendMs: leaseMs,
  });
  const findSubmission = createFindSubmission({
    fillRandomly,
    store: keys,
    search: log,
    inFlight,
    longestSendMs: leaseMs,
    windowMs: config.STATUS_WINDOW_MS,
  });
  return {
    machine,
    submit: (submit) => submitOperations({ ...submit, now: now() }),
    find: (id, client) => findSubmission(id, { principal: undefined, client, now: now() }),
  };
};
