import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@workspace/testing';
import { closings, storeOpener } from '../../test/opened-stores.ts';
import { openRedisStore } from '../../src/features/shared-keys/redis/redis-store.ts';

/** A server with enough of Redis's protocol for a connection; the test decides what else it answers. */
const fakeRedis = async (replyTo: (command: string) => string | undefined) => {
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  let isSilent = false;
  let received: () => void = () => undefined;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      for (const [, name = ''] of bytes.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        const command = name.toUpperCase();
        commands.push(command);
        const reply =
          command === 'HELLO'
            ? '%0\r\n'
            : command === 'CLIENT'
              ? '+OK\r\n'
              : isSilent
                ? undefined
                : replyTo(command);
        if (reply !== undefined) socket.write(reply);
      }
      received();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const count = (command: string): number => commands.filter((one) => one === command).length;
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves when the server has received a command so many times. */
    received: async (command: string, times: number): Promise<void> => {
      while (count(command) < times) await new Promise<void>((resolve) => (received = resolve));
    },
    silence: () => {
      isSilent = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

/** What the probe answers: since when the store has kept every key, the count, the time, and no policy. */
const SINCE = '*4\r\n$13\r\n1795394896590\r\n:1\r\n$13\r\n1795394896590\r\n$0\r\n\r\n';

const openStore = storeOpener(openRedisStore);
const open = (url: string, timeoutMs = 2_000) => openStore(url, { ttlMs: 1_000, leaseMs: 1_000, timeoutMs });

describe('the connection to the key store', () => {
  it('is replaced when the store falls silent after a write, in the middle of a probe', async () => {
    const redis = await fakeRedis((command) => (command === 'EVALSHA' ? SINCE : undefined));
    // Answers come in order: behind INFO, which is not answered, none of them is ours.
    closings.push(redis.close);
    open(redis.url);
    await redis.received('INFO', 1);
    redis.silence();
    await redis.received('HELLO', 2);
  });

  it('reports when the store can be used for the first time', async () => {
    const redis = await fakeRedis((command) => (command === 'EVALSHA' ? SINCE : undefined));
    closings.push(redis.close);
    const { store } = open(redis.url);
    expect(store.status().error).toBe('not connected yet');
    await store.connected;
    expect(store.status().error).toBeUndefined();
  });

  it('is replaced when three probes in a row are not answered', async () => {
    const redis = await fakeRedis(() => undefined);
    closings.push(redis.close);
    const { lines } = open(redis.url);
    await redis.received('HELLO', 2);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'idempotency store unavailable; submissions with a key get 503',
        reason: 'no answer within 2000 ms',
      }),
    );
    expect(lines.filter(({ msg }) => msg === 'idempotency store hangs: reconnecting')).toHaveLength(1);
  });

  it('reports a store that was never there, once', async () => {
    const { store, lines } = open('redis://127.0.0.1:1', 30_000);
    await eventually('reason', () => /ECONNREFUSED/.test(store.status().error ?? ''));
    expect(lines.map(({ msg }) => msg)).toEqual([
      'idempotency store unavailable; submissions with a key get 503',
    ]);
  });
});
