import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Static, Type } from '@sinclair/typebox';
import type { Claim, KeyClaim, KeyOutcome } from '../../../application/idempotency-store.ts';
import { checkedBy } from '../checked-reply.ts';
import type { StoreReply, StoreServer, StoreServerOptions } from '../store-server.ts';
import { digestOf, restoredAnswer, storedAnswer } from '../stored-answer.ts';
import { parseRedisUrl } from './redis-address.ts';
import { NOT_DURABLY, DURABLY, eachKey, Flag, keyReply, nothing, Settled, Time } from './each-key.ts';
import { connectToCluster } from './redis-cluster.ts';
import { connectToServer, type RedisConnection } from './redis-connection.ts';
import { onRightServer, repliesTo } from './right-server.ts';
import { createRedisSequences } from './redis-sequences.ts';
import { connectBySentinel } from './redis-sentinel.ts';
import { CLAIM, FIND, FORGET_INSTANCE, PROBE, SETTLE } from './scripts.ts';
import { capacityOf } from './store-memory.ts';

export interface RedisServer extends StoreServer {
  /** Runs another user's script on a key of that user. @throws CallFailed */
  evaluate: RedisConnection['evaluate'];
}

const CONNECT = { single: connectToServer, sentinel: connectBySentinel, cluster: connectToCluster };

/** What the marker of some keys last said to this instance. */
interface Marker {
  readonly key: string;
  /** the highest number of a write that was confirmed */
  confirmed: number;
  /** since when it has kept every key; epoch milliseconds */
  known: number;
}

const InFlight = Type.Tuple([Type.Literal('in-flight')]);
const Accepted = Type.Tuple([Type.Literal('accepted'), Type.String()]);
/** when the first attempt began, and whether the lease of the last one runs */
const Unknown = Type.Tuple([Type.Literal('unknown'), Time, Flag]);
const Claimed = Type.Union([
  InFlight,
  Accepted,
  Unknown,
  Type.Tuple([Type.Literal('reused')]),
  /** whether an earlier attempt is unknown, and what the marker says */
  Type.Tuple([Type.Literal('claimed'), Flag, Time, Type.Integer()]),
]);
const claimedBy = keyReply(Claimed);
const settledBy = keyReply(Settled);
const foundBy = checkedBy(
  Type.Union([InFlight, Accepted, Unknown, Type.Tuple([Type.Literal('absent'), Time])]),
);
/** what the marker says, the time, and what makes room when memory is full, where the user may ask */
const probedBy = checkedBy(Type.Tuple([Time, Type.Integer(), Time, Type.String()]));

interface Settlement {
  readonly claimed: KeyClaim;
  readonly outcome: KeyOutcome;
}

/** The keys that have one tag. */
interface Shard {
  readonly tag: string;
  readonly marker: Marker;
  readonly claim: (claimed: KeyClaim) => Promise<StoreReply<Claim>>;
  readonly settle: (settled: Settlement) => Promise<void>;
  readonly release: (settled: Settlement) => Promise<void>;
}

/** Redis or Valkey: one server, the master that Sentinels name, or a Cluster. */
export const openRedisServer = (options: StoreServerOptions): RedisServer => {
  const { ttlMs, leaseMs } = options;
  const address = parseRedisUrl(options.url);
  const connection = onRightServer(CONNECT[address.mode]({ ...options, address }));
  /** Counts the writes of this instance in the store, which must never have fewer of them than it confirmed. */
  const counter = randomUUID();
  const tagOf = (id: string): string => (connection.tags.length === 1 ? '' : `{${id.at(-1)}}`);
  const keyOf = (id: string): string => `ops-intake:key:${tagOf(id)}${id}`;
  const argsOf = ({ confirmed, known }: Marker) => [counter, confirmed, known];
  const keptMs = Math.max(ttlMs, leaseMs);
  const openShard = (tag: string): Shard => {
    const marker: Marker = { key: `ops-intake:store${tag}`, confirmed: 0, known: 0 };
    const run = (
      script: string,
      keys: string[],
      args: (string | number)[],
      how: typeof DURABLY | typeof NOT_DURABLY,
      count: number,
    ) => connection.run(tag, { script, keys, args, ...how }, repliesTo(count));
    const settling = (how: typeof DURABLY | typeof NOT_DURABLY) =>
      eachKey(
        (settled: readonly Settlement[]) => {
          const args = settled.flatMap(({ claimed: { fingerprint, owner, principal }, outcome }) => [
            ...[fingerprint, owner, outcome.outcome],
            ...[outcome.outcome === 'accepted' ? storedAnswer(outcome.answer) : '', digestOf(principal)],
          ]);
          return run(
            SETTLE,
            settled.map(({ claimed }) => keyOf(claimed.id)),
            [ttlMs, leaseMs, ...args],
            how,
            settled.length,
          );
        },
        settledBy,
        nothing,
      );
    const claimIn = (reply: Static<typeof Claimed>, { id }: KeyClaim): StoreReply<Claim> => {
      const [state] = reply;
      if (state === 'accepted') return { answer: { state, answer: restoredAnswer(id, reply[1]) } };
      if (state === 'unknown') {
        return { answer: { state, claimedAt: new Date(Number(reply[1])), isLeased: reply[2] === '1' } };
      }
      if (state !== 'claimed') return { answer: { state } };
      const [, unknown, since, count] = reply;
      learn(marker, since, count);
      return { answer: { state, outcomeUnknown: unknown === '1' }, ...sinceOf(since) };
    };
    return {
      tag,
      marker,
      claim: eachKey(
        (claims: readonly KeyClaim[]) => {
          const args = claims.flatMap(({ fingerprint, owner, principal, isAbsent }) => [
            fingerprint,
            owner,
            digestOf(principal),
            isAbsent ? 1 : 0,
          ]);
          const keys = [marker.key, ...claims.map(({ id }) => keyOf(id))];
          return run(CLAIM, keys, [leaseMs, keptMs, ...argsOf(marker), ...args], DURABLY, claims.length);
        },
        claimedBy,
        claimIn,
      ),
      settle: settling(DURABLY),
      // A claim that is given back is only a claim too long when that is lost.
      release: settling(NOT_DURABLY),
    };
  };
  // A marker is lost with the keys that have the same tag.
  const shards = new Map(connection.tags.map((tag) => [tag, openShard(tag)]));
  const shardOf = (id: string): Shard => shards.get(tagOf(id))!;
  /** Since when the store has kept every key, of all shards of it. */
  const sinceOf = (marked: string): { since?: Date } => {
    const all = [...shards.values()].map(({ marker }) => marker.known);
    // Before the first probe, others may turn out to be younger.
    return all.includes(0) ? {} : { since: new Date(Math.max(...all, Number(marked))) };
  };
  const learn = (marker: Marker, since: string, count: number): void => {
    marker.confirmed = Math.max(marker.confirmed, count);
    marker.known = Math.max(marker.known, Number(since));
  };

  const sequences = createRedisSequences({
    connection,
    tagOf,
    leaseMs,
    ttlMs: options.sequenceTtlMs ?? ttlMs,
  });

  return {
    sequences,
    evaluate: connection.evaluate,
    claim: (claimed) => shardOf(claimed.id).claim(claimed),
    settle: (claimed, outcome) => {
      const { settle, release } = shardOf(claimed.id);
      return (outcome.outcome === 'not-published' ? release : settle)({ claimed, outcome });
    },
    find: async (id, principal) => {
      const { tag, marker } = shardOf(id);
      const args = [digestOf(principal), ...argsOf(marker)];
      const call = { script: FIND, keys: [keyOf(id), marker.key], args, ...NOT_DURABLY };
      const reply = await connection.run(tag, call, foundBy);
      const [outcome] = reply;
      if (outcome === 'accepted') return { answer: { outcome, answer: restoredAnswer(id, reply[1]) } };
      if (outcome === 'in-flight') return { answer: { outcome } };
      if (outcome === 'absent') return { answer: undefined, ...sinceOf(reply[1]) };
      return { answer: { outcome, claimedAt: new Date(Number(reply[1])), isLeased: reply[2] === '1' } };
    },
    probe: async () => {
      connection.check?.();
      const all = [...shards.values()].map(async ({ tag, marker }) => {
        const call = { script: PROBE, keys: [marker.key], args: argsOf(marker), ...DURABLY };
        const [since, count, now, policy] = await connection.run(tag, call, probedBy);
        learn(marker, since, count);
        return { now: Number(now), policy };
      });
      const replies = await Promise.all(all);
      const evicting = replies.find(({ policy }) => policy !== '' && policy !== 'noeviction');
      return {
        since: new Date(Math.max(...[...shards.values()].map(({ marker }) => marker.known))),
        // Behind the latest, nothing counts as younger than it is.
        now: new Date(Math.max(...replies.map(({ now }) => now))),
        ...(evicting && {
          mayForget: `maxmemory-policy is ${evicting.policy}: the store drops keys when it is full, so each new key is looked up in the topic; set noeviction`,
        }),
      };
    },
    forgot: (id) => {
      // One write more than the store has.
      shardOf(id).marker.confirmed += 1;
    },
    capacity: async () => capacityOf(await connection.info()),
    reconnect: () => {
      options.logger.warn('idempotency store hangs: reconnecting');
      connection.reconnect();
    },
    close: async () => {
      // What this instance counted is of no use to others.
      const forgotten = [...shards.values()].map(({ tag, marker: { key } }) =>
        connection.run(
          tag,
          { script: FORGET_INSTANCE, keys: [key], args: [counter], ...NOT_DURABLY },
          nothing,
        ),
      );
      const limit = sleep(options.timeoutMs, undefined, { ref: false });
      await Promise.race([Promise.allSettled(forgotten), limit]);
      connection.close();
    },
  };
};
