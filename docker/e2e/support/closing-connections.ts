import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { StandaloneBroker } from '@workspace/kafka-broker';
import { eventually, freePort } from '@workspace/testing';
import type { ProxiedServices } from './proxied-services.ts';
import { startService } from './service.ts';

/**
 * How the connections of ops-intake end: `idle` closes each within 3 ms after a response; `broken` also resets one in ten, when
 * it is new or when a request was read.
 */
export type Closing = 'idle' | 'broken';

export interface Submissions {
  /** how often each answer came, keyed submissions apart: `202`, `502 unknown`, `keyed 202`, … */
  readonly answers: Readonly<Record<string, number>>;
  readonly records: number;
  /** submissions with more than one record */
  readonly doubled: string[];
  /** submissions of which the answer was not true: no record after a 202, or one after `not-published` */
  readonly wrong: string[];
}

export interface Options {
  /** without a key, and with one: each is sent by every second submission if both are */
  readonly kinds: readonly ('keyed' | 'unkeyed')[];
  readonly closing: Closing;
  readonly count: number;
}

const CONNECTIONS = 64;

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
  const port = await freePort();
  const env = { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers, IDEMPOTENCY_ENTRIES: String(count) };
  const service = await startService('ops-intake', { port, env });
  const relays = await Promise.all(
    ['127.0.0.1', '127.0.0.2'].map((address) => closingRelay(address, ports['ops-intake'], port, closing)),
  );
  names.set('ops-intake', ['127.0.0.1', '127.0.0.2']);
  await proxy.restart();
  await eventually('health', async () => (await fetch(`${service.url}/health`)).ok);

  const agent = new Agent({ keepAlive: true });
  const submit = (number: number, isKeyed: boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        host: 'ops-intake.localhost',
        'content-type': 'application/json',
        ...(isKeyed && { 'idempotency-key': `"${number}"` }),
      };
      request({ port: proxy.port, agent, path: '/operations', method: 'POST', headers }, (answer) => {
        buffer(answer).then((body) => {
          const { outcome } = JSON.parse(body.toString()) as { outcome?: string };
          resolve([isKeyed ? 'keyed' : '', answer.statusCode, outcome].filter(Boolean).join(' '));
        }, reject);
      })
        .on('error', reject)
        .end(`[{"operation":"buy","unit-cost":10.00,"quantity":${number}}]`);
    });
  const received = new Map<number, string>();
  let next = 0;
  const client = async () => {
    while (next < count) {
      const number = (next += 1);
      received.set(number, await submit(number, kinds[number % kinds.length] === 'keyed'));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  for (const relay of relays) relay.close();
  await service.stop();

  const copies = new Map<number, number>();
  await broker.consumeEach('operations', ({ value }) => {
    const number = Number(/"quantity":(\d+)/.exec(value)?.[1]);
    copies.set(number, (copies.get(number) ?? 0) + 1);
  });
  await broker.deleteTopic('operations');
  const answers: Record<string, number> = {};
  const doubled: string[] = [];
  const wrong: string[] = [];
  for (const [number, answer] of received) {
    answers[answer] = (answers[answer] ?? 0) + 1;
    const records = copies.get(number) ?? 0;
    if (records > 1) doubled.push(`${number}: ${answer}, ${records} records`);
    const isTrue = answer.endsWith('202') ? records > 0 : answer.endsWith('unknown') || records === 0;
    if (!isTrue) wrong.push(`${number}: ${answer}, ${records} records`);
  }
  return { answers, records: [...copies.values()].reduce((sum, one) => sum + one, 0), doubled, wrong };
};

/** Has nginx keep the connections of submissions, too, which it does not as shipped, from its next start on. */
export const keepAllConnections = ({ proxy }: ProxiedServices): void => {
  const change = (name: string, pattern: RegExp, by: string) => {
    const file = join(proxy.folder, name);
    const configuration = readFileSync(file, 'utf8');
    if (!pattern.test(configuration)) throw new Error(`${name} has no ${pattern}`);
    writeFileSync(file, configuration.replace(pattern, by));
  };
  change('nginx.conf', /^.* close;$/m, '');
  change(
    'services/ops-intake.conf',
    /(?<=ops_intake_submissions {[^}]*)keepalive 0;/,
    'include kept-connections.conf;',
  );
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
    near.on('data', (bytes) => {
      far.write(bytes);
      // The service has read it, and its answer is lost.
      if (closing === 'broken' && Math.random() < 0.05) setTimeout(() => near.resetAndDestroy(), 1);
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
