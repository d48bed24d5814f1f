import { type TSchema, Type } from '@sinclair/typebox';
import { randomUUID } from 'node:crypto';
import type { Claim } from '../../../application/idempotency-store.ts';
import { CallFailed } from '../call-failed.ts';
import { BAD_REPLY, checkedBy, Milliseconds } from '../checked-reply.ts';
import {
  type StoreAgeReport,
  type StoreReply,
  type StoreServer,
  type StoreServerOptions,
} from '../store-server.ts';
import { digestOf, storedAnswer, storedOutcome } from '../stored-answer.ts';
import { openPostgresConnections } from './postgres-connections.ts';
import { createPostgresSequences } from './postgres-sequences.ts';
import {
  ACCEPTED,
  CLAIM,
  FIND,
  FORGET_INSTANCE,
  MIGRATE,
  NOT_PUBLISHED,
  PROBE,
  PURGE,
  TABLE,
  UNKNOWN,
  WEAKNESSES,
} from './statements.ts';

const PROBES_PER_PURGE = 10;
const PURGED_AT_ONCE = 1_000;
const UNDEFINED_TABLE = '42P01';
/** Probes in a row that find the row of the store missing. */
const MOST_TRIES = 20;

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const state = <State extends string>(...names: State[]) =>
  Type.Union(names.map((name) => Type.Literal(name)));
const claimedBy = checkedBy(
  Type.Object({
    state: state('claimed', 'accepted', 'unknown', 'in-flight', 'reused'),
    earlier_unknown: Type.Boolean(),
    answer: nullable(Type.String()),
    claimed_at: Milliseconds,
    is_leased: nullable(Type.Boolean()),
    since: nullable(Milliseconds),
  }),
);
const foundBy = checkedBy(
  Type.Object({
    state: nullable(state('accepted', 'unknown', 'in-flight')),
    answer: nullable(Type.String()),
    claimed_at: Milliseconds,
    is_leased: nullable(Type.Boolean()),
    since: Milliseconds,
  }),
);
const probedBy = checkedBy(
  Type.Object({ since: nullable(Milliseconds), probes: Type.Integer(), now: Milliseconds }),
);
const sizeBy = checkedBy(Type.Object({ bytes: Type.Number() }));
/** A store of keys in PostgreSQL: its table, and the statement for each question. */
export const openPostgresServer = (options: StoreServerOptions): StoreServer => {
  const { durability, ttlMs, leaseMs, logger } = options;
  const instance = randomUUID();
  /** the highest number of a probe that the server confirmed; several may be under way */
  let confirmed = 0;
  /** since when it has kept every key, as last reported; epoch milliseconds */
  let known = 0;
  let probes = 0;
  /** The server may have lost writes, and this has not been reported yet. */
  let mayHaveLost = false;
  const connections = openPostgresConnections(options, () => (mayHaveLost = true));
  const { query, rowOf } = connections;

  const tryProbe = async (triesLeft = MOST_TRIES): Promise<StoreAgeReport> => {
    if (durability !== 'none') await rowOf(connections.checkDurability, 'weaknesses', WEAKNESSES);
    const reported = mayHaveLost;
    const values = [instance, confirmed, reported, known];
    const { since, probes: count, now } = await rowOf(probedBy, 'probe', PROBE, values);
    confirmed = Math.max(confirmed, count);
    // Another instance wrote the marker while this one did: the next statement sees it.
    if (since === null) {
      if (triesLeft > 0) return tryProbe(triesLeft - 1);
      throw new CallFailed(BAD_REPLY, true, 'the reply is not as expected: the row of the store is missing');
    }
    known = Math.max(known, since);
    if (reported) mayHaveLost = false;
    return { since: new Date(known), now: new Date(now) };
  };

  /** An operator may have made the table: then no right to make tables is needed. */
  const probe = async (): Promise<StoreAgeReport> => {
    try {
      return await tryProbe();
    } catch (error) {
      if ((error as CallFailed).type !== UNDEFINED_TABLE) throw error;
      await query('migrate', MIGRATE);
      logger.info({ table: TABLE }, 'table of the idempotency store created');
      return tryProbe();
    }
  };

  /** Deletes what is over until little is left. */
  const purge = async (): Promise<void> => {
    for (;;) {
      const { rowCount } = await query('purge', PURGE);
      if ((rowCount ?? 0) < PURGED_AT_ONCE) return;
    }
  };
  let purging: Promise<void> | undefined;
  const purgeLater = (): void => {
    probes += 1;
    if (probes % PROBES_PER_PURGE !== 1) return;
    purging ??= purge()
      .catch((error: unknown) => logger.debug({ err: error }, 'expired keys not deleted'))
      .finally(() => (purging = undefined));
  };

  /** The marker was not there, or is not true any more: it must be before the claim is answered. */
  const sinceOf = async (since: number | null): Promise<Date> =>
    since === null || mayHaveLost ? (await probe()).since : new Date(since);

  return {
    sequences: createPostgresSequences(connections, options.sequenceTtlMs ?? ttlMs, leaseMs),
    claim: async ({ id, fingerprint, owner, principal, isAbsent = false }): Promise<StoreReply<Claim>> => {
      const values = [id, fingerprint, owner, digestOf(principal), leaseMs, ttlMs, isAbsent];
      // The key must not stay taken by a request that was rejected.
      const undo: [string, unknown[]] = [NOT_PUBLISHED, [id, owner, ttlMs]];
      const row = await rowOf(claimedBy, 'claim', CLAIM, values, undo);
      const { state, earlier_unknown: outcomeUnknown } = row;
      if (state === 'reused') return { answer: { state } };
      if (state === 'claimed') return { answer: { state, outcomeUnknown }, since: await sinceOf(row.since) };
      return { answer: storedOutcome(id, state, row.answer, row.claimed_at, row.is_leased === true) };
    },
    settle: async ({ id, fingerprint, owner, principal }, outcome) => {
      const digest = digestOf(principal);
      if (outcome.outcome === 'accepted') {
        const answer = storedAnswer(outcome.answer);
        await query('accepted', ACCEPTED, [id, fingerprint, digest, answer, ttlMs]);
      } else if (outcome.outcome === 'unknown') {
        await query('unknown', UNKNOWN, [id, fingerprint, owner, digest, leaseMs, ttlMs]);
      } else await query('not-published', NOT_PUBLISHED, [id, owner, ttlMs]);
    },
    find: async (id, principal) => {
      const row = await rowOf(foundBy, 'find', FIND, [id, digestOf(principal)]);
      if (row.state === null) return { answer: undefined, since: await sinceOf(row.since) };
      return { answer: storedOutcome(id, row.state, row.answer, row.claimed_at, row.is_leased === true) };
    },
    probe: async () => {
      const report = await probe();
      purgeLater();
      return report;
    },
    forgot: () => (mayHaveLost = true),
    capacity: async () => {
      const size = 'SELECT pg_total_relation_size($1::regclass)::float8 AS bytes';
      const { bytes } = await rowOf(sizeBy, 'size', size, [TABLE]);
      return { evictions: 0, use: { unit: 'bytes', used: bytes } };
    },
    close: async () => {
      await query('forget', FORGET_INSTANCE, [instance]).catch(() => undefined);
      await connections.close();
    },
  };
};
