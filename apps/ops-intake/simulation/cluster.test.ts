import { setTimeout as pause } from 'node:timers/promises';
import { describeBrokers } from '@workspace/kafka-producer/testing';
import { Clock } from './clock.ts';
import { createCluster } from './cluster.ts';
import { runtimeOf } from './instance.ts';
import { Machine } from './machine.ts';
import { Network } from './network.ts';
import { drawFrom } from './random.ts';

/** Simulated milliseconds for each that passes, about. */
const STEP_MS = 10;

describeBrokers('simulated ones', async (topicSettings) => {
  const clock = new Clock();
  const draw = drawFrom(1);
  const network = new Network(clock, draw);
  const cluster = createCluster(clock, draw, 3);
  cluster.brokers.createTopic(1, topicSettings);
  let isOpen = true;
  const run = async (): Promise<void> => {
    for (; isOpen; await pause(1)) await clock.runUntil(clock.now + STEP_MS);
  };
  const running = run();
  const client = new Machine('client', clock, draw);
  return {
    settings: {
      brokers: cluster.nodes.map(({ name }) => `${name}:9092`),
      clientId: 'test',
      topic: 't',
      connectionTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
      deliveryTimeoutMs: 30_000,
    },
    runtime: runtimeOf(client, { clock, network, cluster }),
    now: () => cluster.nodes[0]!.wallClock,
    moveLeader: async () => cluster.moveLeader(0),
    deleteBefore: async (offset) => cluster.deleteBefore(0, offset),
    close: async () => {
      isOpen = false;
      await running;
    },
  };
});
