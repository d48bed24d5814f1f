import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@workspace/logging';
import { createClient, defineScript } from 'redis';
import { TAKE } from './take-script.ts';

/** How long a starting service waits for the store; it connects in the background after that. */
const FIRST_CONNECTION_MS = 1_000;
const LONGEST_RECONNECT_MS = 1_000;

/** `client.take(key, msPerToken, capacityMs, cost)`; node-redis sends the script itself only when the store lacks it. */
const take = defineScript({
  SCRIPT: TAKE,
  NUMBER_OF_KEYS: 1,
  parseCommand: (parser, key: string, ...args: [string, string, string]) => {
    parser.pushKey(key);
    parser.push(...args);
  },
  transformReply: undefined as unknown as () => string,
});

/** A connection for buckets alone, kept up in the background. */
export const connect = async (url: string, logger: Logger) => {
  const client = createClient({
    url,
    // A command that waits for a connection would be a request that hangs.
    disableOfflineQueue: true,
    scripts: { take },
    socket: {
      connectTimeout: FIRST_CONNECTION_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, LONGEST_RECONNECT_MS),
    },
  });
  client.on('error', (error: Error) =>
    logger.debug({ err: error }, 'connection to the rate limit store failed'),
  );
  const connected = client
    .connect()
    .catch((error: unknown) => logger.debug({ err: error }, 'connecting to the rate limit store'));
  await Promise.race([connected, sleep(FIRST_CONNECTION_MS, undefined, { ref: false })]);
  return {
    take: (key: string, msPerToken: string, capacityMs: string, cost: string): Promise<unknown> =>
      client.take(key, msPerToken, capacityMs, cost),
    close: () => client.destroy(),
  };
};
