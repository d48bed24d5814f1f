import { type TSchema, Type } from '@sinclair/typebox';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Claim } from '../../../application/idempotency-store.ts';
import { CallFailed } from '../call-failed.ts';
import { BAD_REPLY, checkedBy, Milliseconds } from '../checked-reply.ts';
import {
  LONGEST_CALL,
  type StoreAgeReport,
  type StoreReply,
  type StoreServer,
  type StoreServerOptions,
} from '../store-server.ts';
import { digestOf, restoredAnswer, storedAnswer } from '../stored-answer.ts';
import type { Query, RowOf } from './query.ts';
import { createPostgresSequences } from './postgres-sequences.ts';
import {
  ACCEPTED,
  CANCEL,
  CLAIM,
  DURABILITY,
  FIND,
  FORGET_INSTANCE,
  MIGRATE,
  NOT_PUBLISHED,
  PROBE,
  PURGE,
  SESSION,
  TABLE,
  TIMELINE,
  UNKNOWN,
  WEAKNESSES,
} from './statements.ts';

/** For one instance. A claim takes a fraction of a millisecond, so these are enough for thousands a second. */
const CONNECTIONS = 10;
/** Most connections that are kept for statements whose callers have given up. */
const MOST_LATE = 5;
const IDLE_MS = 60_000;
/** How long no more connections are asked for after the server allowed no more. */
const LIMITED_MS = 60_000;
const PROBES_PER_PURGE = 10;
const PURGED_AT_ONCE = 1_000;
const UNDEFINED_TABLE = '42P01';
const TOO_MANY_CONNECTIONS = '53300';
const IDLE_SESSION_TIMEOUT = '57P05';
/** A column has another type than when the connection prepared the statement; it could never run it again. */
const READ_ONLY = '25006';
/**
 * SQL states of a connection that goes on without being of use: the server is read-only now, stops, starts, or is another one, behind
 * an address or a pooler that has moved on; the connection lost a statement (26000), has it already (42P05), prepared it for a
 * column of another type (0A000), or is left in a transaction (25P02, 25P03).
 */
export const WRONG_SERVER = /^(?:08...|25006|25P0[23]|26000|42P05|0A000|57P0[1-4])$/;
/** How often a server is taken for the wrong one at most: each time, all connections are opened again. */
const REOPENED_MS = 1_000;
/** A statement is tried again when it has no row, as another request changed the key meanwhile, and when its connection had ended. */
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
const startedBy = checkedBy(Type.Object({ process_id: Type.Integer(), is_standby: Type.Boolean() }));
const weaknessesBy = checkedBy(Type.Object({ has_disk: Type.Boolean(), has_standby: Type.Boolean() }));
const existsBy = checkedBy(Type.Object({ exists: Type.Boolean() }));
const sizeBy = checkedBy(Type.Object({ bytes: Type.Number() }));

/**
 * What went wrong, without the statement's parameters.
 * @param isSent whether the statement was sent
 */
const callFailed = (error: Error, isSent: boolean): CallFailed => {
  if (error instanceof CallFailed) return error;
  if (error instanceof pg.DatabaseError) {
    // After ERROR the transaction was rolled back. FATAL ends the connection, perhaps after the commit.
    const perhapsDone = isSent && error.severity !== 'ERROR';
    return new CallFailed(error.code ?? 'ERROR', perhapsDone, error.message, error);
  }
  const type = /timeout/i.test(error.message) ? 'TIMEOUT' : 'DISCONNECTED';
  return new CallFailed(type, isSent, error.message || 'connection lost', error);
};

/** Whether the server ended a connection while it waited for a statement, and so read none that was sent meanwhile. */
const endedWhileIdle = (error: Error & { code?: string }): boolean => error.code === IDLE_SESSION_TIMEOUT;

/** What the server says of a connection. */
interface Session {
  /** of the server's process; behind a pooler, node-postgres has a number that the pooler made up */
  readonly processId: number;
  /** not every server reports it */
  readonly timeline: string | undefined;
  /** see `WRONG_SERVER` */
  readonly generation: number;
}

/** PostgreSQL, by a few connections that are opened when they are needed. */
export const openPostgresServer = (options: StoreServerOptions): StoreServer => {
  const { url, durability, ttlMs, leaseMs, timeoutMs, logger, events } = options;
  const instance = randomUUID();
  /** the highest number of a probe that the server confirmed; several may be under way */
  let confirmed = 0;
  /** since when it has kept every key, as last reported; epoch milliseconds */
  let known = 0;
  let probes = 0;
  let isMigrated = false;
  /** of the server that was met last */
  let timeline: string | undefined;
  const sessions = new WeakMap<pg.ClientBase, Session>();
  /** The server may have lost writes, and this has not been reported yet. */
  let mayHaveLost = false;
  /** of connections: those from before the server was found to be the wrong one are not used again */
  let generation = 0;
  let renewedAt = -Infinity;

  /** @throws CallFailed when the server cannot do what is asked */
  const checkDurability = ({
    has_disk: hasDisk,
    has_standby: hasStandby,
  }: ReturnType<typeof weaknessesBy>): void => {
    const weakness = !hasDisk
      ? 'the server does not wait for its disk: set fsync on'
      : durability === 'replicated' && !hasStandby
        ? 'the server waits for no standby: set synchronous_standby_names'
        : undefined;
    if (weakness === undefined) return;
    throw new CallFailed('NOT_DURABLE', false, `IDEMPOTENCY_STORE_DURABILITY=${durability}: ${weakness}`);
  };

  /** Notices a server that is not the one of before, before anything else is asked of it. A primary stays one. */
  const check = async (client: pg.ClientBase): Promise<void> => {
    // The client gives up first: what was not answered in time is never called done.
    const { rows } = await client.query(SESSION, [`${LONGEST_CALL * timeoutMs}ms`]);
    const started = startedBy(rows[0]);
    if (started.is_standby)
      throw new CallFailed(READ_ONLY, false, 'the server is a standby, which is read-only');
    if (durability !== 'none') {
      await client.query(DURABILITY, [durability === 'local' ? 'local' : 'on']);
      checkDurability(weaknessesBy((await client.query(WEAKNESSES)).rows[0]));
    }
    const reply = await client.query<{ timeline?: string }>(TIMELINE).catch(() => undefined);
    const seen = reply?.rows[0]?.timeline;
    sessions.set(client, { processId: started.process_id, timeline: seen, generation });
    if (seen === undefined) return;
    if (timeline !== undefined && seen !== timeline) mayHaveLost = true;
    timeline = seen;
  };

  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'ops-intake',
    max: CONNECTIONS,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    // The pool waits for it, which its types do not say.
    onConnect: check as (client: pg.ClientBase) => void,
  });
  let open = 0;
  pool.on('remove', () => (open -= 1));
  pool.on('connect', (client) => {
    open += 1;
    // One that is cut while it is used says so more than once.
    client.on('error', (error) => logger.debug({ err: error }, 'connection to the store failed'));
    events.connected();
  });
  pool.on('error', (error) => {
    if (!endedWhileIdle(error)) events.failed(callFailed(error, false));
  });

  // The first probe comes as soon as it can; the next one reports why it cannot.
  pool.connect().then(
    (client) => client.release(),
    () => undefined,
  );

  /** Ends a connection on which a statement may be under way. One that waits for a standby would do so for ever. */
  const abandon = (client: pg.PoolClient): void => {
    client.release(true);
    const { processId } = sessions.get(client)!;
    if (durability === 'replicated') pool.query(CANCEL, [processId]).catch(() => undefined);
  };
  /** ends the connections that are kept */
  const late = new Set<() => void>();
  /** Has a statement done after the one on which its caller gave up: a server that hangs carries that one out when it wakes. */
  const doAfter = (client: pg.PoolClient, text: string, values: unknown[]): void => {
    if (late.size >= MOST_LATE) return abandon(client);
    const end = (): void => {
      if (late.delete(end)) abandon(client);
    };
    late.add(end);
    const query = { text, values, query_timeout: leaseMs };
    client.query(query).then(end, end);
  };

  let limited: NodeJS.Timeout | undefined;
  /** Makes do with the connections that are open for some time. */
  const limitConnections = (): void => {
    pool.options.max = open;
    if (limited) return;
    logger.warn({ connections: open }, 'PostgreSQL allows no more connections; using those that are open');
    limited = setTimeout(() => {
      limited = undefined;
      pool.options.max = CONNECTIONS;
    }, LIMITED_MS).unref();
  };

  /** A connection of the pool: one that is open when the server allows no more. */
  const fromPool = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      if ((error as pg.DatabaseError).code !== TOO_MANY_CONNECTIONS || open === 0) throw error;
      limitConnections();
      return pool.connect();
    }
  };

  /** A connection to the server that was met last: another one may go on after it was replaced, and has none of its keys. */
  const connect = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await fromPool();
      const session = sessions.get(client);
      if ((session?.timeline ?? timeline) === timeline && session?.generation === generation) return client;
      client.release(true);
    }
  };

  const renewConnections = (): void => {
    if (performance.now() - renewedAt < REOPENED_MS) return;
    renewedAt = performance.now();
    generation += 1;
  };

  /**
   * @param began when its caller began to wait
   * @returns undefined when the server had ended the connection as idle before it read the statement
   */
  const tryQuery = async (began: number, ...[name, text, values = [], undo]: Parameters<Query>) => {
    let client: pg.PoolClient;
    try {
      client = await connect();
    } catch (error) {
      if (endedWhileIdle(error as Error)) return undefined;
      throw callFailed(error as Error, false);
    }
    // Its caller has given up.
    if (performance.now() - began > timeoutMs) {
      client.release();
      throw new CallFailed('TIMEOUT', false, `no connection within ${timeoutMs} ms`);
    }
    try {
      const result = await client.query(values.length > 0 ? { name, text, values } : { text });
      client.release();
      return result;
    } catch (error) {
      if (endedWhileIdle(error as Error)) {
        client.release(true);
        return undefined;
      }
      const failure = callFailed(error as Error, true);
      const isWrong = WRONG_SERVER.test(failure.type);
      if (isWrong) renewConnections();
      // A connection on which something may still be under way is not used again.
      if (undo && failure.perhapsDone && failure.type === 'TIMEOUT') doAfter(client, ...undo);
      else if (failure.perhapsDone) abandon(client);
      else client.release(isWrong);
      if (failure.type === UNDEFINED_TABLE) isMigrated = false;
      throw failure;
    }
  };

  const query: Query = async (...statement) => {
    const began = performance.now();
    for (let tries = 0; tries < MOST_TRIES && performance.now() - began <= timeoutMs; tries += 1) {
      const result = await tryQuery(began, ...statement);
      if (result) return result;
    }
    throw new CallFailed(IDLE_SESSION_TIMEOUT, false, 'the server ends connections before they are used');
  };

  const rowOf: RowOf = async (check, ...statement) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const [row] = (await query(...statement)).rows;
      if (row !== undefined) return check(row);
    }
    throw new CallFailed(BAD_REPLY, true, `the reply is not as expected: no row in ${MOST_TRIES} tries`);
  };

  const migrate = async (): Promise<void> => {
    const there = 'SELECT to_regclass($1) IS NOT NULL AS exists';
    const { exists } = await rowOf(existsBy, 'exists', there, [TABLE]);
    // An operator may have made it: then no right to make tables is needed.
    if (!exists) {
      await query('migrate', MIGRATE);
      logger.info({ table: TABLE }, 'table of the idempotency store created');
    }
    isMigrated = true;
  };

  const probe = async (triesLeft = MOST_TRIES): Promise<StoreAgeReport> => {
    if (!isMigrated) await migrate();
    if (durability !== 'none') checkDurability(await rowOf(weaknessesBy, 'weaknesses', WEAKNESSES));
    const reported = mayHaveLost;
    const values = [instance, confirmed, reported, known];
    const { since, probes: count, now } = await rowOf(probedBy, 'probe', PROBE, values);
    confirmed = Math.max(confirmed, count);
    // Another instance wrote the marker while this one did: the next statement sees it.
    if (since === null) {
      if (triesLeft > 0) return probe(triesLeft - 1);
      throw new CallFailed(BAD_REPLY, true, 'the reply is not as expected: the row of the store is missing');
    }
    known = Math.max(known, since);
    if (reported) mayHaveLost = false;
    return { since: new Date(known), now: new Date(now) };
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
    sequences: createPostgresSequences({ query, rowOf, ttlMs: options.sequenceTtlMs ?? ttlMs, leaseMs }),
    claim: async ({ id, fingerprint, owner, principal, isAbsent = false }): Promise<StoreReply<Claim>> => {
      const values = [id, fingerprint, owner, digestOf(principal), leaseMs, ttlMs, isAbsent];
      // The key must not stay taken by a request that was rejected.
      const undo: [string, unknown[]] = [NOT_PUBLISHED, [id, owner, ttlMs]];
      const row = await rowOf(claimedBy, 'claim', CLAIM, values, undo);
      const { state, earlier_unknown: outcomeUnknown, answer } = row;
      if (state === 'accepted') return { answer: { state, answer: restoredAnswer(id, answer) } };
      if (state === 'unknown') {
        return { answer: { state, claimedAt: new Date(row.claimed_at), isLeased: row.is_leased === true } };
      }
      if (state !== 'claimed') return { answer: { state } };
      return { answer: { state, outcomeUnknown }, since: await sinceOf(row.since) };
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
      const { state, answer, claimed_at: claimedAt, is_leased: isLeased, since } = row;
      if (state === 'accepted') return { answer: { outcome: state, answer: restoredAnswer(id, answer) } };
      if (state === 'in-flight') return { answer: { outcome: state } };
      if (state === null) return { answer: undefined, since: await sinceOf(since) };
      return { answer: { outcome: state, claimedAt: new Date(claimedAt), isLeased: isLeased === true } };
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
      for (const end of late) end();
      await pool.end();
    },
  };
};
