import { eventually } from '@workspace/testing';
import { storeOpener } from '../../test/opened-stores.ts';
import { startLyingRedis } from '../support/lying-servers.ts';
import { openRedisServer } from '../../src/features/shared-keys/redis/redis-server.ts';

/** A server that takes connections; the test decides what else it answers. */
const fakeRedis = async (replyTo: (command: string) => string) => {
  const commands: string[] = [];
  let isSilent = false;
  const port = await startLyingRedis(([name = '']) => {
    const command = name.toUpperCase();
    commands.push(command);
    if (command === 'HELLO') return '%0\r\n';
    if (command === 'CLIENT') return '+OK\r\n';
    return isSilent ? '' : replyTo(command);
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    /** Resolves when the server has received a command so many times. */
    received: (command: string, times: number) =>
      eventually(command, () => commands.filter((one) => one === command).length >= times),
    silence: () => (isSilent = true),
  };
};

/** What the probe answers: since when the store has kept every key, the count, the time, and no policy. */
const SINCE = '*4\r\n$13\r\n1795394896590\r\n:1\r\n$13\r\n1795394896590\r\n$0\r\n\r\n';

const openStore = storeOpener(openRedisServer);
const open = (url: string) => openStore(url, { ttlMs: 1_000, leaseMs: 1_000, timeoutMs: 2_000 });

describe('the connection to the key store', () => {
  it('is replaced when the store falls silent after a write, in the middle of a probe', async () => {
    const redis = await fakeRedis((command) => (command === 'EVALSHA' ? SINCE : ''));
    // Answers come in order: behind INFO, which is not answered, none of them is ours.
    open(redis.url);
    await redis.received('INFO', 1);
    redis.silence();
    await redis.received('HELLO', 2);
  });

  it('is replaced when three probes in a row are not answered', async () => {
    const redis = await fakeRedis(() => '');
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
});
