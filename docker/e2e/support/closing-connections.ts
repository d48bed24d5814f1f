import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { StandaloneBroker } from '@workspace/kafka-broker';
import { eventually } from '@workspace/testing';
import type { ProxiedServices } from './proxied-services.ts';
import { startService } from './service.ts';
import { compareWithRecords, type Submissions, type SubmitOptions, submitAll } from './submissions.ts';

/**
 * How the connections of ops-intake end, unlike those of the real one: `idle` closes each within 3 ms after a response; `broken`
 * also resets one in ten, when it is new or when a request was read.
 */
export type Closing = 'idle' | 'broken';

export interface Options extends Pick<SubmitOptions, 'kinds'> {
  readonly closing: Closing;
  readonly count: number;
}

/**
 * Sends submissions through the proxy on 64 connections to ops-intake, whose connections end at random, and compares the answers
 * with the records.
 * @param broker whose topic `operations` is deleted at the end
 */
export const submitWhileClosing = async (
  { proxy, ports, names }: ProxiedServices,
  broker: StandaloneBroker,
  { kinds, closing, count }: Options,
): Promise<Submissions> => {
  const env = { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers, IDEMPOTENCY_ENTRIES: String(count) };
  const service = await startService('ops-intake', { port: 0, env });
  const relays = await Promise.all(
    ['127.0.0.1', '127.0.0.2'].map((address) =>
      closingRelay(address, ports['ops-intake'], service.port, closing),
    ),
  );
  names.set('ops-intake', ['127.0.0.1', '127.0.0.2']);
  await proxy.restart();
  await eventually('health', async () => (await fetch(`${service.url}/health`)).ok);
  const received = await submitAll(proxy.port, { kinds, connections: 64, goesOn: (sent) => sent < count });
  for (const relay of relays) relay.close();
  await service.stop();
  return compareWithRecords(received, broker);
};

/** Passes connections on to the service, and ends them at random. */
const closingRelay = async (address: string, port: number, target: number, closing: Closing) => {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (closing === 'broken' && Math.random() < 0.05) {
      near.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    const pair = [near, far];
    for (const socket of pair) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .once('close', () => {
          sockets.delete(socket);
          for (const one of pair) one.destroy();
        });
    }
    // A socket that ends cannot be reset: it would never be closed, and this process would wait for it at its exit.
    const reset = (): void => {
      if (!near.writableEnded) near.resetAndDestroy();
    };
    near.on('data', (bytes) => {
      far.write(bytes);
      // The service has read it, and its answer is lost.
      if (closing === 'broken' && Math.random() < 0.05) setTimeout(reset, 1);
    });
    far.on('data', (bytes) => {
      near.write(bytes);
      setTimeout(() => near.end(), Math.random() * 3);
    });
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
