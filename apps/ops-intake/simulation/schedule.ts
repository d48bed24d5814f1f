import { Client } from './client.ts';
import { Clock } from './clock.ts';
import { createCluster } from './cluster.ts';
import type { FaultName } from './fault-names.ts';
import { letHappen } from './faults.ts';
import { idempotencyLeaseMs } from '../src/config.ts';
import { config, startInstance } from './instance.ts';
import { KeyStore } from './key-store.ts';
import { Ledger } from './ledger.ts';
import { Machine } from './machine.ts';
import { Network } from './network.ts';
import { drawFrom } from './random.ts';
import type { World } from './world.ts';

const BROKERS = 3;
/** When the faults have begun that a schedule has. */
const FAULTS_UNTIL_MS = 60_000;
/** Every fault is over by then, and every client has had its answer some time after it. */
const LONGEST_MS = 600_000;
/** Bytes that were held back may arrive as late as this after the last answer. */
const AFTERWARDS_MS = 60_000;
const STEP_MS = 1_000;

export interface ScheduleOptions {
  readonly seed: number;
  /** the faults to draw from */
  readonly faults: readonly FaultName[];
  /** parts of the schedule that do not take part, by name: `fault-1`, `client-2` */
  readonly leftOut?: readonly string[] | undefined;
  /** told what happens, with the time in milliseconds */
  readonly trace?: ((text: string, at: number) => void) | undefined;
}

export interface ScheduleResult {
  /** what broke a promise */
  readonly violations: readonly string[];
  /** how many answers were judged */
  readonly answers: number;
  /** what took part and could be left out */
  readonly parts: readonly string[];
}

/** Runs one schedule: instances, brokers, key store and clients from the start until every client has its answer. */
export const runSchedule = async (options: ScheduleOptions): Promise<ScheduleResult> => {
  const { seed, faults, leftOut = [], trace } = options;
  const draw = drawFrom(seed);
  const clock = new Clock();
  const world: World = {
    clock,
    network: new Network(clock, draw.of('network')),
    cluster: createCluster(clock, draw.of('cluster'), BROKERS),
    store: new KeyStore(new Machine('store', clock, draw.of('store')), {
      ttlMs: config.IDEMPOTENCY_TTL_MS,
      leaseMs: idempotencyLeaseMs(config),
      isReplicated: draw.of('durability').chance(0.5),
    }),
    instances: [],
    clients: [],
    isIndexed: draw.of('index').chance(0.5),
    curiosity: draw.chance(0.4) ? 0 : 0.6,
    ledger: new Ledger(),
    lasting: 0,
    disturbedAt: 0,
    onRequest: () => undefined,
    trace: (text) => trace?.(text, clock.now),
  };
  const named = (kind: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `${kind}-${at + 1}`);
  for (const name of named('instance', 2 + draw.index(2)))
    world.instances.push(startInstance(new Machine(name, clock, draw.of(name)), world));
  const parts = [...named('client', 1 + draw.index(6)), ...named('fault', draw.index(5))].filter(
    (part) => !leftOut.includes(part),
  );
  for (const part of parts) {
    const own = draw.of(part);
    if (part.startsWith('client')) world.clients.push(new Client(part, world, own));
    else letHappen(own.one(faults), world, own, FAULTS_UNTIL_MS);
  }
  await clock.runUntil(STEP_MS);
  for (const client of world.clients)
    client.run().catch((error: Error) => world.ledger.violation(String(error.stack)));
  const isOver = (): boolean => world.lasting === 0 && world.clients.every(({ isDone }) => isDone);
  while (clock.now < LONGEST_MS && !isOver()) await clock.runUntil(clock.now + STEP_MS);
  if (!isOver()) world.ledger.violation('stuck: a client was not answered in the end');
  await clock.runUntil(clock.now + AFTERWARDS_MS);
  const logs = world.cluster.logs().map(({ batches }) => batches);
  const violations = await world.ledger.judge(logs, world.cluster.truncated, (id, at) =>
    world.store.hadForgotten(id, at),
  );
  return { violations, answers: world.ledger.answers, parts };
};
