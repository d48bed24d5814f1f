import { type Static, Type } from '@sinclair/typebox';
import type { SequenceClaim, SequenceOutcome } from '../../../application/sequence-store.ts';
import type { SequenceServer } from '../store-server.ts';
import { NOT_DURABLY, DURABLY, eachKey, Flag, keyReply, nothing, Settled, Time } from './each-key.ts';
import { repliesTo, type RightServer } from './right-server.ts';
import { SETTLE_NUMBER, TAKE } from './sequence-scripts.ts';

export interface RedisSequencesOptions {
  connection: Pick<RightServer, 'run' | 'tags'>;
  tagOf: (id: string) => string;
  /** milliseconds a series is remembered */
  ttlMs: number;
  leaseMs: number;
}

interface Settlement {
  readonly claim: SequenceClaim;
  readonly outcome: SequenceOutcome;
}

/** A number, as scripts write it. */
const Expected = Type.String({ pattern: '^\\d{1,16}$' });
const Taken = Type.Union([
  Type.Tuple([Type.Literal('taken')]),
  Type.Tuple([Type.Literal('out-of-sequence'), Expected]),
  /** the holder, when its first attempt began, and whether the lease of the last one runs */
  Type.Tuple([Type.Literal('pending'), Expected, Type.String(), Time, Flag]),
]);
const takenBy = keyReply(Taken);
const settledBy = keyReply(Settled);

/** The series that have one tag. */
interface Shard {
  readonly take: (claim: SequenceClaim) => Promise<SequenceAnswer>;
  readonly settle: (settled: Settlement) => Promise<void>;
  readonly release: (settled: Settlement) => Promise<void>;
}

type SequenceAnswer = Awaited<ReturnType<SequenceServer['take']>>;

const answerIn = (reply: Static<typeof Taken>): SequenceAnswer => {
  const [state] = reply;
  if (state === 'taken') return { state };
  const expected = Number(reply[1]);
  if (state === 'out-of-sequence') return { state, expected };
  const [, , holder, claimedAt, isLeased] = reply;
  return { state, expected, holder, claimedAt: new Date(Number(claimedAt)), isLeased: isLeased === '1' };
};

export const createRedisSequences = (options: RedisSequencesOptions): SequenceServer => {
  const { connection, tagOf, ttlMs, leaseMs } = options;
  const keyOf = ({ series }: SequenceClaim): string => `ops-intake:series:${tagOf(series)}${series}`;
  const openShard = (tag: string): Shard => {
    const run = (script: string, keys: string[], args: (string | number)[], how: { isDurable: boolean }) =>
      connection.run(tag, { script, keys, args, ...how }, repliesTo(keys.length));
    const settling = (how: { isDurable: boolean }) =>
      eachKey(
        (settled: readonly Settlement[]) => {
          const keys = settled.map(({ claim }) => keyOf(claim));
          const args = settled.flatMap(({ claim: { number, owner }, outcome }) => [
            ...[number, number + 1, owner, outcome],
          ]);
          return run(SETTLE_NUMBER, keys, [ttlMs, ...args], how);
        },
        settledBy,
        nothing,
      );
    return {
      take: eachKey(
        (claims: readonly SequenceClaim[]) => {
          const args = claims.flatMap(({ number, holder, owner, absent = '' }) => [
            ...[number, holder, owner, absent],
          ]);
          return run(TAKE, claims.map(keyOf), [leaseMs, ttlMs, ...args], DURABLY);
        },
        takenBy,
        answerIn,
      ),
      settle: settling(DURABLY),
      // A number that is given back is only pending too long when that is lost.
      release: settling(NOT_DURABLY),
    };
  };
  const shards = new Map(connection.tags.map((tag) => [tag, openShard(tag)]));
  const shardOf = ({ series }: SequenceClaim): Shard => shards.get(tagOf(series))!;

  return {
    take: (claim) => shardOf(claim).take(claim),
    settle: (claim, outcome) => {
      const { settle, release } = shardOf(claim);
      return (outcome === 'accepted' ? settle : release)({ claim, outcome });
    },
  };
};
