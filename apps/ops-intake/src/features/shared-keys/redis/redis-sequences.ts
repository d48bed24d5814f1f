import { Type } from '@sinclair/typebox';
import type { SequenceClaim, SequenceOutcome, SequenceStore } from '../../../application/sequence-store.ts';
import { sequenceReply } from '../stored-answer.ts';
import { Flag, forKeys, keyReply, settledBy, Time } from './key-scripts.ts';
import type { RightServer } from './right-server.ts';
import { SETTLE_NUMBER, TAKE } from './sequence-scripts.ts';

/** A number, as scripts write it. */
const Expected = Type.String({ pattern: '^\\d{1,16}$' });
const Taken = Type.Union([
  Type.Tuple([Type.Literal('taken')]),
  Type.Tuple([Type.Literal('out-of-sequence'), Expected]),
  /** the holder, when its first attempt began, and whether the lease of the last one runs */
  Type.Tuple([Type.Literal('pending'), Expected, Type.String(), Time, Flag]),
]);
const takenBy = keyReply(Taken);

/** @param ttlMs milliseconds a series is remembered */
export const createRedisSequences = (
  connection: Pick<RightServer, 'run' | 'tagOf'>,
  ttlMs: number,
  leaseMs: number,
): SequenceStore => {
  const prefix = 'ops-intake:series:';
  const settling = (isDurable: boolean) =>
    forKeys(connection, {
      script: SETTLE_NUMBER,
      isDurable,
      shared: () => ({ args: [ttlMs] }),
      prefix,
      idOf: ([{ series }]: [SequenceClaim, SequenceOutcome]) => series,
      argsOf: ([{ number, owner }, outcome]) => [number, number + 1, owner, outcome],
      check: settledBy,
      read: () => undefined,
    });
  const settle = settling(true);
  // A number that is given back is only pending too long when that is lost.
  const release = settling(false);
  return {
    take: forKeys(connection, {
      script: TAKE,
      isDurable: true,
      shared: () => ({ args: [leaseMs, ttlMs] }),
      prefix,
      idOf: ({ series }: SequenceClaim) => series,
      argsOf: ({ number, holder, owner, absent = '' }) => [number, holder, owner, absent],
      check: takenBy,
      read: ([state, expected, holder = '', claimedAt, isLeased]) =>
        sequenceReply(state, Number(expected), holder, Number(claimedAt), isLeased === '1'),
    }),
    settle: (claim, outcome) => (outcome === 'accepted' ? settle : release)([claim, outcome]),
  };
};
