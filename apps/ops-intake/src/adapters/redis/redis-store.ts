import { createClient } from 'redis';
import type { Logger } from '@workspace/logging';
import { type Claim, type IdempotencyStore, StoreUnavailable } from '../../domain/idempotency.ts';
import type { Accepted } from '../../domain/intake.ts';

export interface RedisStoreOptions {
  /** `redis://` or `rediss://`, of Redis or Valkey */
  url: string;
  /** milliseconds an answer is remembered */
  ttlMs: number;
  /** milliseconds a claim holds without word from its owner; longer than any send can take */
  leaseMs: number;
  /** milliseconds to wait for the store */
  timeoutMs: number;
  logger: Logger;
}

const PREFIX = 'ops-intake:idempotency:';
const LONGEST_PAUSE_MS = 1_000;
const PING_MS = 1_000;
/** Settlements kept for when the store comes back; beyond that the lease alone ends a claim. */
const MOST_OWED = 10_000;

/**
 * A hash per key: state, fingerprint, owner, answer, until (end of the lease, by the store's clock).
 * A claim whose lease ran out is one whose instance died before it could tell: doubtful, so the same payload may be
 * published again, under the same submission id.
 */
const CLAIM = `
local entry = redis.call('HMGET', KEYS[1], 'state', 'fingerprint', 'answer', 'until')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if entry[1] then
  if entry[2] ~= ARGV[1] then return {'reused'} end
  if entry[1] == 'answered' then return {'answered', entry[3]} end
  if entry[1] == 'pending' and tonumber(entry[4]) > now then return {'in-flight'} end
end
redis.call('HSET', KEYS[1], 'state', 'pending', 'fingerprint', ARGV[1], 'owner', ARGV[2], 'until', now + ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'reserved'}`;

/** Only the owner may settle a claim, unless the store has lost it. */
const SETTLE = `
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'state', ARGV[3], 'fingerprint', ARGV[1], 'owner', ARGV[2], 'answer', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1`;

const RELEASE = `
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Keys that all instances see, in Redis or Valkey. */
export const openRedisStore = ({
  url,
  ttlMs,
  leaseMs,
  timeoutMs,
  logger,
}: RedisStoreOptions): IdempotencyStore => {
  let fault: string | undefined = 'not connected yet';
  /** what the store has still to be told, by submission id */
  const owed = new Map<string, () => Promise<unknown>>();

  const client = createClient({
    url,
    // A command that waits for a connection would be a request that hangs.
    disableOfflineQueue: true,
    // A store that hangs is found out without a request, and its connection is replaced.
    pingInterval: PING_MS,
    socket: {
      connectTimeout: timeoutMs,
      socketTimeout: 3 * PING_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS),
    },
  });
  client.on('error', (error: Error) => {
    if (fault === undefined) logger.warn({ err: error }, 'the idempotency store is away');
    fault = error.message || 'connection lost';
  });
  client.on('ready', () => {
    fault = undefined;
    logger.info({ owed: owed.size }, 'the idempotency store answers');
    const settlements = [...owed];
    owed.clear();
    for (const [id, tell] of settlements) tell().catch(() => owe(id, tell));
  });
  client.connect().catch((error: unknown) => logger.debug({ err: error }, 'connecting to the store'));

  const owe = (id: string, tell: () => Promise<unknown>): void => {
    if (owed.size < MOST_OWED) owed.set(id, tell);
  };

  const run = (script: string, id: string, args: string[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        fault ??= `no answer within ${timeoutMs} ms`;
        reject(new StoreUnavailable('the store does not answer'));
      }, timeoutMs);
      client
        .eval(script, { keys: [PREFIX + id], arguments: args })
        .then(
          (answer) => {
            fault = undefined;
            resolve(answer);
          },
          (error: unknown) => reject(new StoreUnavailable('the store is away', { cause: error })),
        )
        .finally(() => clearTimeout(timer));
    });

  /** Tells the store how a claim ended; what it cannot be told now it is told when it comes back. */
  const settle = async (script: string, id: string, args: string[]): Promise<void> => {
    const tell = () => run(script, id, args);
    await tell().catch((error: unknown) => {
      owe(id, tell);
      throw error;
    });
  };

  return {
    claim: async (id, fingerprint, owner) => {
      const args = [fingerprint, owner, String(leaseMs), String(ttlMs)];
      const claimed = run(CLAIM, id, args).catch((error: unknown) => {
        // It may have been heard all the same; then the key must not stay locked for a request that is refused.
        settle(RELEASE, id, [owner]).catch((cause: unknown) =>
          logger.debug({ err: cause }, 'owed to the store'),
        );
        throw error;
      });
      const [state, answer] = (await claimed) as [Claim['state'], string?];
      if (state !== 'answered') return { state };
      return { state, answer: JSON.parse(answer as string) as Accepted };
    },
    complete: (id, fingerprint, owner, answer) =>
      settle(SETTLE, id, [fingerprint, owner, 'answered', JSON.stringify(answer), String(ttlMs)]),
    doubt: (id, fingerprint, owner) =>
      settle(SETTLE, id, [fingerprint, owner, 'doubtful', '', String(ttlMs)]),
    release: (id, owner) => settle(RELEASE, id, [owner]),
    fault: () => fault,
    close: async () => {
      if (client.isReady) await client.close();
      else client.destroy();
    },
  };
};
