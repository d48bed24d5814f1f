import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import type { ProxiedServices } from './proxied-services.ts';

/**
 * How instances of ops-intake treat their connections: `idle` closes each some time after a response; `broken` also resets
 * one in ten, before or after it has read a request.
 */
export type Closing = 'idle' | 'broken';

export interface Submissions {
  /** how often each answer came, keyed submissions apart: `202`, `502 unknown`, `keyed 202`, … */
  readonly answers: Readonly<Record<string, number>>;
  /** submissions without a key that more than one request reached an instance for */
  readonly sentTwice: string[];
  /** submissions of which the answer was not true: not exactly one request for 202, or any for `not-published` */
  readonly belied: string[];
}

/**
 * Sends submissions through the proxy on 64 connections, every second one with a key, to two instances that close their
 * connections at random.
 */
export async function submitWhileClosing(
  { proxy, ports, names }: ProxiedServices,
  closing: Closing,
  count: number,
): Promise<Submissions> {
  /** requests that reached an instance, by submission */
  const reached = new Map<string, number>();
  const sockets = new Set<Socket>();
  const instances = ['127.0.0.1', '127.0.0.2'].map((address) => {
    const instance = createServer((incoming, response) => {
      void text(incoming).then(
        (id) => {
          reached.set(id, (reached.get(id) ?? 0) + 1);
          if (closing === 'broken' && Math.random() < 0.05) return incoming.socket.resetAndDestroy();
          response.writeHead(202).end('{}');
          response.once('finish', () => setTimeout(() => incoming.socket.end(), Math.random() * 3));
        },
        () => undefined,
      );
    });
    instance.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket)).on('error', () => undefined);
      if (closing === 'broken' && Math.random() < 0.05) socket.resetAndDestroy();
    });
    return instance.listen(ports['ops-intake'], address);
  });
  await Promise.all(instances.map((instance: Server) => once(instance, 'listening')));
  names.set('ops-intake', ['127.0.0.1', '127.0.0.2']);
  await proxy.restart();

  const agent = new Agent({ keepAlive: true });
  const submit = (id: string, keyed: boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { host: 'ops-intake.localhost', ...(keyed && { 'idempotency-key': `"${id}"` }) };
      request({ port: proxy.port, agent, path: '/operations', method: 'POST', headers }, (answer) => {
        buffer(answer).then((body) => {
          const { outcome } = JSON.parse(body.toString()) as { outcome?: string };
          resolve([keyed ? 'keyed' : '', answer.statusCode, outcome].filter(Boolean).join(' '));
        }, reject);
      })
        .on('error', reject)
        .end(id);
    });
  const answers: Record<string, number> = {};
  const belied: string[] = [];
  let next = 0;
  const client = async () => {
    while (next < count) {
      const id = String((next += 1));
      const keyed = next % 2 === 0;
      const answer = await submit(id, keyed);
      answers[answer] = (answers[answer] ?? 0) + 1;
      const requests = reached.get(id) ?? 0;
      const isTrue = answer.endsWith('202')
        ? keyed
          ? requests > 0
          : requests === 1
        : !answer.endsWith('published') || requests === 0;
      if (!isTrue) belied.push(`${id}: ${answer}, ${requests} requests`);
    }
  };
  await Promise.all(Array.from({ length: 64 }, client));
  agent.destroy();
  for (const socket of sockets) socket.destroy();
  for (const instance of instances) instance.close();
  const sentTwice = [...reached]
    .filter(([id, requests]) => Number(id) % 2 === 1 && requests > 1)
    .map(([id]) => id);
  return { answers, sentTwice, belied };
}
