import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '@workspace/logging';
import type { Claim } from '../../application/idempotency-store.ts';
import { CallFailed } from '../shared-store/call-failed.ts';
import type { ServerEvents } from '../shared-store/shared-store.ts';
import {
  type Durability,
  LONGEST_CALL,
  type StoreReply,
  type StoreServer,
} from '../shared-store/store-server.ts';
import { digestOf, restoredAnswer, storedAnswer } from '../shared-store/stored-answer.ts';
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

export interface PostgresServerOptions {
  url: string;
  durability: Durability;
  /** milliseconds an answer is remembered */
  ttlMs: number;
  /** milliseconds a series of numbers is remembered; as long as an answer when left out */
  sequenceTtlMs?: number | undefined;
  leaseMs: number;
  /** milliseconds to wait for a connection, and for a statement */
  timeoutMs: number;
  logger: Logger;
  events: ServerEvents;
}

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
const PLAN_CHANGED = '0A000';
const READ_ONLY = '25006';

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

/** What the server says of a connection. */
interface Session {
  /** of the server's process; behind a pooler, node-postgres has a number that the pooler made up */
  readonly processId: number;
  /** not every server reports it */
  readonly timeline: string | undefined;
}

/** PostgreSQL, by a few connections that are opened when they are needed. */
export const openPostgresServer = (options: PostgresServerOptions): StoreServer => {
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

  interface Weaknesses {
    has_disk: boolean;
    has_standby: boolean;
  }
  /** @throws CallFailed when the server cannot do what is asked */
  const checkDurability = ({ has_disk: hasDisk, has_standby: hasStandby }: Weaknesses): void => {
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
    const { rows } = await client.query<{ process_id: number; is_standby: boolean }>(SESSION, [
      `${LONGEST_CALL * timeoutMs}ms`,
    ]);
    const [started] = rows;
    if (started?.is_standby)
      throw new CallFailed(READ_ONLY, false, 'the server is a standby, which is read-only');
    if (durability !== 'none') {
      await client.query(DURABILITY, [durability === 'local' ? 'local' : 'on']);
      checkDurability((await client.query<Weaknesses>(WEAKNESSES)).rows[0]!);
    }
    const reply = await client.query<{ timeline: string }>(TIMELINE).catch(() => undefined);
    const seen = reply?.rows[0]?.timeline;
    sessions.set(client, { processId: started!.process_id, timeline: seen });
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
  pool.on('error', (error: Error & { code?: string }) => {
    if (error.code !== IDLE_SESSION_TIMEOUT) events.failed(callFailed(error, false));
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
      if ((sessions.get(client)?.timeline ?? timeline) === timeline) return client;
      client.release(true);
    }
  };

  /** @param undo what is done when the statement was sent and not answered in time */
  const query = async <Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[] = [],
    undo?: readonly [text: string, values: unknown[]],
  ): Promise<{ rows: Row[]; rowCount: number | null }> => {
    const began = performance.now();
    let client: pg.PoolClient;
    try {
      client = await connect();
    } catch (error) {
      throw callFailed(error as Error, false);
    }
    // Its caller has given up.
    if (performance.now() - began > timeoutMs) {
      client.release();
      throw new CallFailed('TIMEOUT', false, `no connection within ${timeoutMs} ms`);
    }
    try {
      const result = await client.query<Row>(values.length > 0 ? { name, text, values } : { text });
      client.release();
      return result;
    } catch (error) {
      const failure = callFailed(error as Error, true);
      // A connection on which something may still be under way is not used again.
      if (undo && failure.perhapsDone && failure.type === 'TIMEOUT') doAfter(client, ...undo);
      else if (failure.perhapsDone) abandon(client);
      else client.release(failure.type === PLAN_CHANGED);
      if (failure.type === UNDEFINED_TABLE) isMigrated = false;
      throw failure;
    }
  };

  const migrate = async (): Promise<void> => {
    const exists = await query<{ exists: boolean }>(
      'exists',
      'SELECT to_regclass($1) IS NOT NULL AS exists',
      [TABLE],
    );
    // An operator may have made it: then no right to make tables is needed.
    if (!exists.rows[0]?.exists) {
      await query('migrate', MIGRATE);
      logger.info({ table: TABLE }, 'table of the idempotency store created');
    }
    isMigrated = true;
  };

  const probe = async (): Promise<Date> => {
    if (!isMigrated) await migrate();
    if (durability !== 'none') checkDurability((await query<Weaknesses>('weaknesses', WEAKNESSES)).rows[0]!);
    const told = mayHaveLost;
    const values = [instance, confirmed, told, known];
    const { rows } = await query<{ since: number | null; probes: number }>('probe', PROBE, values);
    const { since, probes: count } = rows[0]!;
    confirmed = Math.max(confirmed, count);
    // Another instance wrote the marker while this one did: the next statement sees it.
    if (since === null) return probe();
    known = Math.max(known, since);
    if (told) mayHaveLost = false;
    return new Date(known);
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
    since === null || mayHaveLost ? probe() : new Date(since);

  return {
    sequences: createPostgresSequences({ query, ttlMs: options.sequenceTtlMs ?? ttlMs, leaseMs }),
    claim: async ({ id, fingerprint, owner, principal, isAbsent = false }): Promise<StoreReply<Claim>> => {
      interface Row {
        state: Claim['state'];
        earlier_unknown: boolean;
        answer: string;
        claimed_at: number;
        is_leased: boolean;
        since: number | null;
      }
      const values = [id, fingerprint, owner, digestOf(principal), leaseMs, ttlMs, isAbsent];
      let row: Row | undefined;
      // The key must not stay taken by a request that was rejected.
      const undo: [string, unknown[]] = [NOT_PUBLISHED, [id, owner, ttlMs]];
      while (!row) [row] = (await query<Row>('claim', CLAIM, values, undo)).rows;
      const { state, earlier_unknown: outcomeUnknown, answer } = row;
      if (state === 'accepted') return { answer: { state, answer: restoredAnswer(id, answer) } };
      if (state === 'unknown') {
        return { answer: { state, claimedAt: new Date(row.claimed_at), isLeased: row.is_leased } };
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
      interface Row {
        state: 'accepted' | 'in-flight' | 'unknown' | null;
        answer: string;
        claimed_at: number;
        is_leased: boolean;
        since: number;
      }
      const { rows } = await query<Row>('find', FIND, [id, digestOf(principal)]);
      const { state, answer, claimed_at: claimedAt, is_leased: isLeased, since } = rows[0]!;
      if (state === 'accepted') return { answer: { outcome: state, answer: restoredAnswer(id, answer) } };
      if (state === 'in-flight') return { answer: { outcome: state } };
      if (state === null) return { answer: undefined, since: await sinceOf(since) };
      return { answer: { outcome: state, claimedAt: new Date(claimedAt), isLeased } };
    },
    probe: async () => {
      const since = await probe();
      purgeLater();
      return since;
    },
    capacity: async () => {
      const size = 'SELECT pg_total_relation_size($1::regclass)::float8 AS bytes';
      const { rows } = await query<{ bytes: number }>('size', size, [TABLE]);
      return { evictions: 0, use: { unit: 'bytes', used: rows[0]!.bytes } };
    },
    close: async () => {
      await query('forget', FORGET_INSTANCE, [instance]).catch(() => undefined);
      for (const end of late) end();
      await pool.end();
    },
  };
};
