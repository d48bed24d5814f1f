import type { SequenceClaim, SequenceOutcome } from '../../application/sequence-store.ts';
import type { SequenceServer } from '../shared-store/store-server.ts';
import { AT_ONCE, DURABLY, eachKey, nothing } from './each-key.ts';
import type { RedisConnection } from './redis-connection.ts';
import { SETTLE_NUMBER, TAKE } from './sequence-scripts.ts';

export interface RedisSequencesOptions {
  connection: RedisConnection;
  tagOf: (id: string) => string;
  /** milliseconds a series is remembered */
  ttlMs: number;
  leaseMs: number;
}

interface Settled {
  readonly claim: SequenceClaim;
  readonly outcome: SequenceOutcome;
}

/** What a script says of one series; the rest depends on the first. */
type SeriesReply = readonly [
  state: string,
  expected: string,
  holder: string,
  claimedAt: string,
  isLeased: string,
];

/** The series that have one tag. */
interface Part {
  readonly take: (claim: SequenceClaim) => Promise<SequenceAnswer>;
  readonly settle: (settled: Settled) => Promise<void>;
  readonly giveBack: (settled: Settled) => Promise<void>;
}

type SequenceAnswer = Awaited<ReturnType<SequenceServer['take']>>;

const answerIn = ([state, expected, holder, claimedAt, isLeased]: SeriesReply): SequenceAnswer => {
  if (state === 'taken') return { state };
  if (state !== 'pending') return { state: 'out-of-sequence', expected: Number(expected) };
  return {
    state,
    expected: Number(expected),
    holder,
    claimedAt: new Date(Number(claimedAt)),
    isLeased: isLeased === '1',
  };
};

export const createRedisSequences = (options: RedisSequencesOptions): SequenceServer => {
  const { connection, tagOf, ttlMs, leaseMs } = options;
  const keyOf = ({ series }: SequenceClaim): string => `ops-intake:series:${tagOf(series)}${series}`;
  const openPart = (tag: string): Part => {
    const run = (script: string, keys: string[], args: (string | number)[], how: { isDurable: boolean }) =>
      connection.run(tag, { script, keys, args, ...how }) as Promise<SeriesReply[]>;
    const settling = (how: { isDurable: boolean }) =>
      eachKey((settled: readonly Settled[]) => {
        const keys = settled.map(({ claim }) => keyOf(claim));
        const args = settled.flatMap(({ claim: { number, owner }, outcome }) => [
          ...[number, number + 1, owner, outcome],
        ]);
        return run(SETTLE_NUMBER, keys, [ttlMs, ...args], how);
      }, nothing);
    return {
      take: eachKey((claims: readonly SequenceClaim[]) => {
        const args = claims.flatMap(({ number, holder, owner, absent = '' }) => [
          ...[number, holder, owner, absent],
        ]);
        return run(TAKE, claims.map(keyOf), [leaseMs, ttlMs, ...args], DURABLY);
      }, answerIn),
      settle: settling(DURABLY),
      // A number that is given back is only pending too long when that is lost.
      giveBack: settling(AT_ONCE),
    };
  };
  const parts = new Map(connection.tags.map((tag) => [tag, openPart(tag)]));
  const partOf = ({ series }: SequenceClaim): Part => parts.get(tagOf(series))!;

  return {
    take: (claim) => partOf(claim).take(claim),
    settle: (claim, outcome) => {
      const { settle, giveBack } = partOf(claim);
      return (outcome === 'accepted' ? settle : giveBack)({ claim, outcome });
    },
  };
};
