import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@workspace/logging';
import type { Claim } from '../../application/idempotency-store.ts';
import type { ServerEvents } from '../shared-store/shared-store.ts';
import type { Durability, StoreServer } from '../shared-store/store-server.ts';
import { digestOf, restoredAnswer, storedAnswer } from '../shared-store/stored-answer.ts';
import { parseRedisUrl } from './redis-address.ts';
import { connectToCluster } from './redis-cluster.ts';
import { connectToServer, type RedisConnection } from './redis-connection.ts';
import { connectBySentinel } from './redis-sentinel.ts';
import { CLAIM, FIND, FORGET_INSTANCE, PROBE, SETTLE } from './scripts.ts';
import { capacityOf } from './store-memory.ts';

export interface RedisServerOptions {
  url: string;
  durability: Durability;
  /** milliseconds an answer is remembered */
  ttlMs: number;
  leaseMs: number;
  /** milliseconds to wait for a connection */
  timeoutMs: number;
  logger: Logger;
  events: ServerEvents;
}

export interface RedisServer extends StoreServer {
  /** Runs another user's script on a key of that user. @throws CallFailed */
  evaluate: RedisConnection['evaluate'];
}

const CONNECT = { single: connectToServer, sentinel: connectBySentinel, cluster: connectToCluster };
/** For what is written or read without waiting, because its loss would do no harm. */
const AT_ONCE = { isDurable: false } as const;
const DURABLY = { isDurable: true } as const;

/** What the marker of some keys last said to this instance. */
interface Marker {
  readonly key: string;
  /** the highest number of a write that was confirmed */
  confirmed: number;
  /** since when it has kept every key; epoch milliseconds */
  known: number;
}

/** Redis or Valkey: one server, the master that Sentinels name, or a Cluster. */
export const openRedisServer = (options: RedisServerOptions): RedisServer => {
  const { ttlMs, leaseMs } = options;
  const address = parseRedisUrl(options.url);
  const connection = CONNECT[address.kind]({ ...options, address });
  /** Counts the writes of this instance in the store, which must never have fewer of them than it confirmed. */
  const counter = randomUUID();
  // A marker is lost with the keys that have the same tag.
  const markers = new Map<string, Marker>(
    connection.tags.map((tag) => [tag, { key: `ops-intake:store${tag}`, confirmed: 0, known: 0 }]),
  );

  const tagOf = (id: string): string => (connection.tags.length === 1 ? '' : `{${id.at(-1)}}`);
  const keyOf = (id: string): string => `ops-intake:key:${tagOf(id)}${id}`;
  const argsOf = ({ confirmed, known }: Marker) => [counter, confirmed, known];
  /** Since when the store has kept every key, of all parts of it. */
  const sinceOf = (marked: string): { since?: Date } => {
    const all = [...markers.values()].map(({ known }) => known);
    // Before the first probe, others may turn out to be younger.
    return all.includes(0) ? {} : { since: new Date(Math.max(...all, Number(marked))) };
  };
  const learn = (marker: Marker, since: string, count: number): void => {
    marker.confirmed = Math.max(marker.confirmed, count);
    marker.known = Math.max(marker.known, Number(since));
  };

  return {
    evaluate: connection.evaluate,
    claim: async ({ id, fingerprint, owner, principal, isAbsent }) => {
      const tag = tagOf(id);
      const marker = markers.get(tag)!;
      const times = [leaseMs, Math.max(ttlMs, leaseMs)];
      const args = [fingerprint, owner, ...times, digestOf(principal), ...argsOf(marker), isAbsent ? 1 : 0];
      const reply = await connection.run(tag, {
        script: CLAIM,
        keys: [keyOf(id), marker.key],
        args,
        ...DURABLY,
      });
      const [state, value, since, count] = reply as [Claim['state'], string, string, number];
      if (state === 'accepted') return { answer: { state, answer: restoredAnswer(id, value) } };
      if (state === 'unknown') {
        return { answer: { state, claimedAt: new Date(Number(value)), isLeased: since === '1' } };
      }
      if (state !== 'claimed') return { answer: { state } };
      learn(marker, since, count);
      return { answer: { state, outcomeUnknown: value === '1' }, ...sinceOf(since) };
    },
    settle: async ({ id, fingerprint, owner, principal }, outcome) => {
      const answer = outcome.outcome === 'accepted' ? storedAnswer(outcome.answer) : '';
      const args = [fingerprint, owner, outcome.outcome, answer, ttlMs, digestOf(principal), leaseMs];
      // A claim that is given back is only a claim too long when that is lost.
      const how = outcome.outcome === 'not-published' ? AT_ONCE : DURABLY;
      await connection.run(tagOf(id), { script: SETTLE, keys: [keyOf(id)], args, ...how });
    },
    find: async (id, principal) => {
      const tag = tagOf(id);
      const marker = markers.get(tag)!;
      const args = [digestOf(principal), ...argsOf(marker)];
      const reply = await connection.run(tag, {
        script: FIND,
        keys: [keyOf(id), marker.key],
        args,
        ...AT_ONCE,
      });
      const [outcome, value, leased] = reply as [string, string, string?];
      if (outcome === 'accepted') return { answer: { outcome, answer: restoredAnswer(id, value) } };
      if (outcome === 'in-flight') return { answer: { outcome } };
      if (outcome !== 'unknown') return { answer: undefined, ...sinceOf(value) };
      return { answer: { outcome, claimedAt: new Date(Number(value)), isLeased: leased === '1' } };
    },
    probe: async () => {
      connection.check?.();
      const all = [...markers].map(async ([tag, marker]) => {
        const call = { script: PROBE, keys: [marker.key], args: argsOf(marker), ...DURABLY };
        const [since, count] = (await connection.run(tag, call)) as [string, number];
        learn(marker, since, count);
      });
      await Promise.all(all);
      return new Date(Math.max(...[...markers.values()].map(({ known }) => known)));
    },
    capacity: async () => capacityOf(await connection.info()),
    reconnect: () => {
      options.logger.warn('idempotency store hangs: reconnecting');
      connection.reconnect();
    },
    close: async () => {
      // What this instance counted is of no use to others.
      const forgotten = [...markers].map(([tag, { key }]) =>
        connection.run(tag, { script: FORGET_INSTANCE, keys: [key], args: [counter], ...AT_ONCE }),
      );
      const limit = sleep(options.timeoutMs, undefined, { ref: false });
      await Promise.race([Promise.allSettled(forgotten), limit]);
      connection.close();
    },
  };
};
