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
  /** told what happens, with the time in milliseconds */
  readonly trace?: ((text: string, at: number) => void) | undefined;
}

export interface ScheduleResult {
  /** what broke a promise */
  readonly violations: readonly string[];
  /** how many answers were judged */
  readonly answers: number;
}

/** Runs one schedule: instances, brokers, key store and clients from the start until every client has its answer. */
export const runSchedule = async ({ seed, faults, trace }: ScheduleOptions): Promise<ScheduleResult> => {
  const draw = drawFrom(seed);
  const clock = new Clock();
  const world: World = {
    clock,
    draw,
    network: new Network(clock, draw),
    cluster: createCluster(clock, draw, BROKERS),
    store: new KeyStore(new Machine('store', clock, draw), {
      ttlMs: config.IDEMPOTENCY_TTL_MS,
      leaseMs: idempotencyLeaseMs(config),
    }),
    instances: [],
    clients: [],
    ledger: new Ledger(),
    lasting: 0,
    onRequest: () => undefined,
    trace: (text) => trace?.(text, clock.now),
  };
  for (let number = 1; number <= 2 + draw.index(2); number += 1)
    world.instances.push(startInstance(new Machine(`instance-${number}`, clock, draw), world));
  const { clients } = world;
  for (let number = 3 + draw.index(4); number > 0; number -= 1)
    clients.push(new Client(`client-${number}`, world));
  for (let left = draw.index(5); left > 0; left -= 1) {
    letHappen(draw.one(faults), world, FAULTS_UNTIL_MS);
  }
  await clock.runUntil(STEP_MS);
  for (const client of clients)
    client.run(2 + draw.index(6)).catch((error: Error) => world.ledger.violation(String(error.stack)));
  const isOver = (): boolean => world.lasting === 0 && clients.every(({ isDone }) => isDone);
  while (clock.now < LONGEST_MS && !isOver()) await clock.runUntil(clock.now + STEP_MS);
  if (!isOver()) world.ledger.violation('stuck: a client was not answered in the end');
  await clock.runUntil(clock.now + AFTERWARDS_MS);
  return { violations: await world.ledger.judge(world.cluster.logs()), answers: world.ledger.answers };
};
