import { Type } from '@sinclair/typebox';
import { checkedBy, Milliseconds } from '../checked-reply.ts';
import { sequenceReply } from '../stored-answer.ts';
import type { PostgresConnections } from './postgres-connections.ts';
import type { SequenceStore } from '../../../application/sequence-store.ts';
import { NUMBER_ACCEPTED, NUMBER_GIVEN_BACK, TAKE } from './sequence-statements.ts';

const takenBy = checkedBy(
  Type.Object({
    state: Type.Union([Type.Literal('taken'), Type.Literal('pending'), Type.Literal('out-of-sequence')]),
    expected: Type.Integer({ minimum: 0 }),
    holder: Type.String(),
    claimed_at: Milliseconds,
    is_leased: Type.Boolean(),
  }),
);

/** @param ttlMs milliseconds a series is remembered */
export const createPostgresSequences = (
  { query, rowOf }: Pick<PostgresConnections, 'query' | 'rowOf'>,
  ttlMs: number,
  leaseMs: number,
): SequenceStore => ({
  take: async ({ series, number, holder, owner, absent = '' }) => {
    const values = [series, number, holder, owner, absent, leaseMs, ttlMs];
    const undo: [string, unknown[]] = [NUMBER_GIVEN_BACK, [series, number, owner]];
    const row = await rowOf(takenBy, 'take', TAKE, values, undo);
    return sequenceReply(row.state, row.expected, row.holder, row.claimed_at, row.is_leased);
  },
  settle: async ({ series, number, owner }, outcome) => {
    if (outcome === 'accepted') {
      await query('number-accepted', NUMBER_ACCEPTED, [series, number, ttlMs]);
    } else await query('number-given-back', NUMBER_GIVEN_BACK, [series, number, owner]);
  },
});
