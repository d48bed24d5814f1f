import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientClosedError, ClientOfflineError, createClient, ErrorReply } from 'redis';
import type { Logger } from '@workspace/logging';
import type { Claim } from '../../application/idempotency-store.ts';
import { CallFailed } from '../shared-store/call-failed.ts';
import type { ServerEvents } from '../shared-store/shared-store.ts';
import type { StoreServer } from '../shared-store/store-server.ts';
import { digestOf, restoredAnswer, storedAnswer } from '../shared-store/stored-answer.ts';
import { CLAIM, FIND, PROBE, SETTLE } from './scripts.ts';
import { memoryWarning, readStoreMemory } from './store-memory.ts';

export interface RedisServerOptions {
  url: string;
  /** milliseconds an answer is remembered */
  ttlMs: number;
  leaseMs: number;
  /** milliseconds to wait for a connection */
  timeoutMs: number;
  logger: Logger;
  events: ServerEvents;
}

export interface RedisServer extends StoreServer {
  run(script: string, keys: string[], args: string[]): Promise<unknown>;
}

const PREFIX = 'ops-intake:key:';
/** Lost with the keys, so it shows since when they were kept. */
const MARKER = 'ops-intake:store';
const LONGEST_PAUSE_MS = 1_000;

const callFailed = (error: Error): CallFailed => {
  if (error instanceof ErrorReply) {
    // Of a script's error only the store's own words, not where in the script it came up.
    const [message = ''] = error.message.split(/,? script: /);
    return new CallFailed(/^[A-Z]+\b/.exec(message)?.[0] ?? 'ERR', false, message, error);
  }
  const isUnsent = error instanceof ClientOfflineError || error instanceof ClientClosedError;
  return new CallFailed('DISCONNECTED', !isUnsent, isUnsent ? 'not connected' : error.message, error);
};

const newClient = ({ url, timeoutMs }: RedisServerOptions) =>
  createClient({
    url,
    // A command that waits for a connection would be a request that hangs.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: timeoutMs,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS),
    },
  });
type Client = ReturnType<typeof newClient>;

/** Redis or Valkey, by one connection that is kept up in the background. */
export const openRedisServer = (options: RedisServerOptions): RedisServer => {
  const { ttlMs, leaseMs, logger, events } = options;
  /** Counts the claims of this instance in the store, which the store must never have fewer of than it confirmed. */
  const counter = randomUUID();
  let confirmed = 0;
  /** since when it has kept every key, as last reported; epoch milliseconds */
  let known = 0;
  const told = (since: string): Date => {
    known = Math.max(known, Number(since));
    return new Date(known);
  };

  const connect = (): Client => {
    const opened = newClient(options);
    opened.on('error', (error: Error) => {
      if (opened !== client) return;
      events.failed(new CallFailed('DISCONNECTED', true, error.message || 'connection lost'));
    });
    opened.on('ready', events.connected);
    opened.connect().catch((error: unknown) => logger.debug({ err: error }, 'connecting to the store'));
    return opened;
  };
  let client = connect();

  const run = async (script: string, keys: string[], args: (string | number)[]): Promise<unknown> => {
    try {
      return await client.eval(script, { keys, arguments: args.map(String) });
    } catch (error) {
      throw callFailed(error as Error);
    }
  };

  return {
    run,
    claim: async ({ id, fingerprint, owner, principal, isAbsent }) => {
      const times = [leaseMs, Math.max(ttlMs, leaseMs)];
      const marked = [counter, confirmed, known];
      const args = [fingerprint, owner, ...times, digestOf(principal), ...marked, isAbsent ? 1 : 0];
      const reply = await run(CLAIM, [PREFIX + id, MARKER], args);
      const [state, value, since, count] = reply as [Claim['state'], string, string, number];
      if (state === 'accepted') return { answer: { state, answer: restoredAnswer(id, value) } };
      if (state === 'unknown') {
        return { answer: { state, claimedAt: new Date(Number(value)), isLeased: since === '1' } };
      }
      if (state !== 'claimed') return { answer: { state } };
      confirmed = Math.max(confirmed, count);
      return { answer: { state, outcomeUnknown: value === '1' }, since: told(since) };
    },
    settle: async ({ id, fingerprint, owner, principal }, outcome) => {
      const answer = outcome.outcome === 'accepted' ? storedAnswer(outcome.answer) : '';
      const args = [fingerprint, owner, outcome.outcome, answer, ttlMs, digestOf(principal), leaseMs];
      await run(SETTLE, [PREFIX + id], args);
    },
    find: async (id, principal) => {
      const reply = await run(FIND, [PREFIX + id, MARKER], [digestOf(principal), counter, confirmed, known]);
      const [outcome, value, leased] = reply as [string, string, string?];
      if (outcome === 'accepted') return { answer: { outcome, answer: restoredAnswer(id, value) } };
      if (outcome === 'in-flight') return { answer: { outcome } };
      if (outcome !== 'unknown') return { answer: undefined, since: new Date(Number(value)) };
      return { answer: { outcome, claimedAt: new Date(Number(value)), isLeased: leased === '1' } };
    },
    probe: async () => told((await run(PROBE, [MARKER], [counter, confirmed, known])) as string),
    capacity: async () => {
      const memory = readStoreMemory(await client.info());
      if (!memory) return undefined;
      const warning = memoryWarning(memory);
      return {
        evictions: memory.evictedKeys,
        ...(warning !== undefined && { warning }),
        use: {
          unit: 'bytes',
          used: memory.usedBytes,
          ...(memory.maxBytes !== undefined && { capacity: memory.maxBytes }),
        },
      };
    },
    reconnect: () => {
      logger.warn('idempotency store hangs: reconnecting');
      const silent = client;
      client = connect();
      silent.destroy();
    },
    close: async () => {
      // What this instance counted is of no use to others.
      const forgotten = client.hDel(MARKER, counter).catch(() => undefined);
      await Promise.race([forgotten, sleep(options.timeoutMs, undefined, { ref: false })]);
      client.destroy();
    },
  };
};
