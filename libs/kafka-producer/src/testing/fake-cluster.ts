import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { KafkaSettings } from '../settings.ts';
import { frameCollector } from '../wire/response-frames.ts';
import type { BrokerAddress } from '../wire/broker-connection.ts';
import type { FakeBrokers } from './broker-state.ts';
import { createFakeBrokers } from './fake-brokers.ts';

/**
 * Brokers with Kafka's protocol on TCP, for tests: one topic, real sequence checks, and mistakes on request. It is
 * held to a real broker by the tests in e2e/.
 */
export interface FakeCluster extends FakeBrokers {
  /** ports of the brokers, by node; nodes count from 1 */
  readonly ports: readonly number[];
  /** further brokers that they name */
  readonly invented: BrokerAddress[];
  /** nodes that new connections to another one reach: addresses are given to others */
  readonly misrouted: Map<number, number>;
  readonly settings: KafkaSettings;
  /** connections that are open at a node */
  connections(node: number): number;
  /** ends the connections of a node and stops listening */
  stop(node: number): Promise<void>;
  start(node: number): Promise<void>;
  close(): Promise<void>;
}

export const startFakeCluster = async (nodes = 1): Promise<FakeCluster> => {
  const servers: Server[] = [];
  const sockets: Set<Socket>[] = [];
  const ports: number[] = [];
  const invented: BrokerAddress[] = [];
  const misrouted = new Map<number, number>();
  const brokers = createFakeBrokers(() => [
    ...ports.map((port) => ({ host: '127.0.0.1', port })),
    ...invented,
  ]);

  const onFrame = async (frame: Buffer, socket: Socket, node: number): Promise<void> => {
    const answered = brokers.answer(node, frame);
    const answer = answered instanceof Promise ? await answered : answered;
    if (answer === 'cut') socket.destroy();
    else if (answer) socket.write(answer);
  };

  const start = async (node: number): Promise<void> => {
    const open = (sockets[node - 1] = new Set());
    const server = createServer((socket) => {
      open.add(socket);
      const reached = misrouted.get(node) ?? node;
      const collect = frameCollector((frame) => void onFrame(frame, socket, reached));
      socket
        .on('data', collect)
        .on('error', () => undefined)
        .on('close', () => open.delete(socket));
    }).listen(ports[node - 1] ?? 0, '127.0.0.1');
    await once(server, 'listening');
    servers[node - 1] = server;
    ports[node - 1] = (server.address() as AddressInfo).port;
  };

  const stop = async (node: number): Promise<void> => {
    const server = servers[node - 1]!;
    for (const socket of sockets[node - 1]!) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };

  const own = {
    ports,
    invented,
    misrouted,
    get settings() {
      return {
        brokers: [`127.0.0.1:${ports[0]}`],
        clientId: 'test',
        topic: 't',
        connectionTimeoutMs: 5_000,
        requestTimeoutMs: 5_000,
        deliveryTimeoutMs: 30_000,
      };
    },
    connections: (node: number) => sockets[node - 1]!.size,
    stop,
    start,
    close: async () => {
      for (let node = 1; node <= nodes; node += 1) await stop(node);
    },
  };
  for (let node = 1; node <= nodes; node += 1) await start(node);
  // One object with the properties of both: tests read and set them.
  return Object.defineProperties(brokers, Object.getOwnPropertyDescriptors(own)) as FakeCluster;
};
