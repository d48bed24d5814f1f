import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Static, Type } from '@sinclair/typebox';
import type { Claim, KeyClaim, KeyOutcome, StoredOutcome } from '../../../application/idempotency-store.ts';
import { checkedBy } from '../checked-reply.ts';
import type { StoreReply, StoreServer, StoreServerOptions } from '../store-server.ts';
import { digestOf, storedAnswer, storedOutcome } from '../stored-answer.ts';
import { parseRedisUrl } from './redis-address.ts';
import { Flag, forKeys, keyReply, settledBy, Time } from './key-scripts.ts';
import { connectToCluster } from './redis-cluster.ts';
import { connectToServer } from './redis-connection.ts';
import { onRightServer } from './right-server.ts';
import { createRedisSequences } from './redis-sequences.ts';
import { connectBySentinel } from './redis-sentinel.ts';
import { CLAIM, FIND, FORGET_INSTANCE, PROBE, SETTLE } from './scripts.ts';
import { capacityOf } from './store-memory.ts';

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
const foundBy = checkedBy(
  Type.Union([InFlight, Accepted, Unknown, Type.Tuple([Type.Literal('absent'), Time])]),
);
/** what the marker says, the time, and what makes room when memory is full, where the user may ask */
const probedBy = checkedBy(Type.Tuple([Time, Type.Integer(), Time, Type.String()]));

/** What a script says of a key that is known. */
const outcomeIn = (
  id: string,
  reply: Static<typeof InFlight> | Static<typeof Accepted> | Static<typeof Unknown>,
): StoredOutcome => {
  const [state, detail = null, leased] = reply;
  return storedOutcome(id, state, detail, Number(detail), leased === '1');
};

/** Redis or Valkey: one server, the master that Sentinels name, or a Cluster. */
export const openRedisServer = (options: StoreServerOptions): StoreServer => {
  const { ttlMs, leaseMs } = options;
  const address = parseRedisUrl(options.url);
  const connection = onRightServer(CONNECT[address.mode]({ ...options, address }));
  const { tagOf } = connection;
  /** Counts the writes of this instance in the store, which must never have fewer of them than it confirmed. */
  const counter = randomUUID();
  const prefix = 'ops-intake:key:';
  // A marker is lost with the keys that have the same tag.
  const markers = new Map(
    connection.tags.map((tag): [string, Marker] => [
      tag,
      { key: `ops-intake:store${tag}`, confirmed: 0, known: 0 },
    ]),
  );
  const argsOf = ({ confirmed, known }: Marker) => [counter, confirmed, known];
  /** Since when the store has kept every key, by all markers. */
  const sinceOf = (marked: string): { since?: Date } => {
    const all = [...markers.values()].map(({ known }) => known);
    // Before the first probe, others may turn out to be younger.
    return all.includes(0) ? {} : { since: new Date(Math.max(...all, Number(marked))) };
  };
  const learn = (marker: Marker, since: string, count: number): void => {
    marker.confirmed = Math.max(marker.confirmed, count);
    marker.known = Math.max(marker.known, Number(since));
  };

  const settling = (isDurable: boolean) =>
    forKeys(connection, {
      script: SETTLE,
      isDurable,
      shared: () => ({ args: [ttlMs, leaseMs] }),
      prefix,
      idOf: ([{ id }]: [KeyClaim, KeyOutcome]) => id,
      argsOf: ([{ fingerprint, owner, principal }, outcome]) => {
        const answer = outcome.outcome === 'accepted' ? storedAnswer(outcome.answer) : '';
        return [fingerprint, owner, outcome.outcome, answer, digestOf(principal)];
      },
      check: settledBy,
      read: () => undefined,
    });
  const settle = settling(true);
  // A claim that is given back is only a claim too long when that is lost.
  const release = settling(false);

  return {
    sequences: createRedisSequences(connection, options.sequenceTtlMs ?? ttlMs, leaseMs),
    run: connection.evaluate,
    claim: forKeys(connection, {
      script: CLAIM,
      isDurable: true,
      shared: (tag) => {
        const marker = markers.get(tag)!;
        return { keys: [marker.key], args: [leaseMs, Math.max(ttlMs, leaseMs), ...argsOf(marker)] };
      },
      prefix,
      idOf: ({ id }: KeyClaim) => id,
      argsOf: ({ fingerprint, owner, principal, isAbsent }) => [
        ...[fingerprint, owner, digestOf(principal), isAbsent ? 1 : 0],
      ],
      check: claimedBy,
      read: (reply, { id }): StoreReply<Claim> => {
        const [state] = reply;
        if (state === 'reused') return { answer: { state } };
        if (state !== 'claimed') return { answer: outcomeIn(id, reply) };
        const [, unknown, since, count] = reply;
        learn(markers.get(tagOf(id))!, since, count);
        return { answer: { state, outcomeUnknown: unknown === '1' }, ...sinceOf(since) };
      },
    }),
    settle: (claim, outcome) => (outcome.outcome === 'not-published' ? release : settle)([claim, outcome]),
    find: async (id, principal) => {
      const tag = tagOf(id);
      const marker = markers.get(tag)!;
      const args = [digestOf(principal), ...argsOf(marker)];
      const call = { script: FIND, keys: [prefix + tag + id, marker.key], args, isDurable: false };
      const reply = await connection.run(tag, call, foundBy);
      if (reply[0] === 'absent') return { answer: undefined, ...sinceOf(reply[1]) };
      return { answer: outcomeIn(id, reply) };
    },
    probe: async () => {
      connection.check?.();
      const all = [...markers].map(async ([tag, marker]) => {
        const call = { script: PROBE, keys: [marker.key], args: argsOf(marker), isDurable: true };
        const [since, count, now, policy] = await connection.run(tag, call, probedBy);
        learn(marker, since, count);
        return { now: Number(now), policy };
      });
      const replies = await Promise.all(all);
      const evicting = replies.find(({ policy }) => policy !== '' && policy !== 'noeviction');
      return {
        since: new Date(Math.max(...[...markers.values()].map(({ known }) => known))),
        // Behind the latest, nothing counts as younger than it is.
        now: new Date(Math.max(...replies.map(({ now }) => now))),
        ...(evicting && {
          mayForget: `maxmemory-policy is ${evicting.policy}: the store drops keys when it is full, so each new key is looked up in the topic; set noeviction`,
        }),
      };
    },
    forgot: (id) => {
      // One write more than the store has.
      markers.get(tagOf(id))!.confirmed += 1;
    },
    capacity: async () => capacityOf(await connection.info()),
    reconnect: () => {
      options.logger.warn('idempotency store hangs: reconnecting');
      connection.reconnect();
    },
    close: async () => {
      // What this instance counted is of no use to others.
      const forgotten = [...markers].map(([tag, { key }]) =>
        connection.run(
          tag,
          { script: FORGET_INSTANCE, keys: [key], args: [counter], isDurable: false },
          () => undefined,
        ),
      );
      const limit = sleep(options.timeoutMs, undefined, { ref: false });
      await Promise.race([Promise.allSettled(forgotten), limit]);
      connection.close();
    },
  };
};
