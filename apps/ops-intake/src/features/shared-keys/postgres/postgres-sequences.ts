import { Type } from '@sinclair/typebox';
import { checkedBy, Milliseconds } from '../checked-reply.ts';
import type { Query, RowOf } from './postgres-connections.ts';
import type { SequenceServer } from '../store-server.ts';
import { NUMBER_ACCEPTED, NUMBER_GIVEN_BACK, TAKE } from './sequence-statements.ts';

export interface PostgresSequencesOptions {
  query: Query;
  rowOf: RowOf;
  /** milliseconds a series is remembered */
  ttlMs: number;
  leaseMs: number;
}

const takenBy = checkedBy(
  Type.Object({
    state: Type.Union([Type.Literal('taken'), Type.Literal('pending'), Type.Literal('out-of-sequence')]),
    expected: Type.Integer({ minimum: 0 }),
    holder: Type.String(),
    claimed_at: Milliseconds,
    is_leased: Type.Boolean(),
  }),
);

export const createPostgresSequences = (options: PostgresSequencesOptions): SequenceServer => {
  const { query, rowOf, ttlMs, leaseMs } = options;
  return {
    take: async ({ series, number, holder, owner, absent = '' }) => {
      const values = [series, number, holder, owner, absent, leaseMs, ttlMs];
      const undo: [string, unknown[]] = [NUMBER_GIVEN_BACK, [series, number, owner]];
      const row = await rowOf(takenBy, 'take', TAKE, values, undo);
      const { state, expected, holder: other } = row;
      if (state === 'taken') return { state };
      if (state === 'out-of-sequence') return { state, expected };
      return {
        state,
        expected,
        holder: other,
        claimedAt: new Date(row.claimed_at),
        isLeased: row.is_leased,
      };
    },
    settle: async ({ series, number, owner }, outcome) => {
      if (outcome === 'accepted') {
        await query('number-accepted', NUMBER_ACCEPTED, [series, number, ttlMs]);
      } else await query('number-given-back', NUMBER_GIVEN_BACK, [series, number, owner]);
    },
  };
};
