import type { QueryResultRow } from 'pg';
import type { SequenceServer } from '../shared-store/store-server.ts';
import { NUMBER_ACCEPTED, NUMBER_GIVEN_BACK, TAKE } from './sequence-statements.ts';

export interface PostgresSequencesOptions {
  /** @param undo what is done when the statement was sent and not answered in time */
  query: <Row extends QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
    undo?: readonly [text: string, values: unknown[]],
  ) => Promise<{ rows: Row[] }>;
  /** milliseconds a series is remembered */
  ttlMs: number;
  leaseMs: number;
}

interface Row {
  state: 'taken' | 'pending' | 'out-of-sequence';
  expected: number;
  holder: string;
  claimed_at: number;
  is_leased: boolean;
}

export const createPostgresSequences = (options: PostgresSequencesOptions): SequenceServer => {
  const { query, ttlMs, leaseMs } = options;
  return {
    take: async ({ series, number, holder, owner, absent = '' }) => {
      const values = [series, number, holder, owner, absent, leaseMs, ttlMs];
      const undo: [string, unknown[]] = [NUMBER_GIVEN_BACK, [series, number, owner]];
      let row: Row | undefined;
      while (!row) [row] = (await query<Row>('take', TAKE, values, undo)).rows;
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
