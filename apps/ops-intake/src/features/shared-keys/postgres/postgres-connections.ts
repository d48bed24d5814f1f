import { Type } from '@sinclair/typebox';
import pg from 'pg';
import { CallFailed } from '../call-failed.ts';
import { BAD_REPLY, checkedBy } from '../checked-reply.ts';
import { LONGEST_CALL, type StoreServerOptions } from '../store-server.ts';
import { CANCEL, DURABILITY, SESSION, TIMELINE, WEAKNESSES } from './statements.ts';

/** For one instance. A claim takes a fraction of a millisecond, so these are enough for thousands a second. */
const CONNECTIONS = 10;
/** Most connections that are kept for statements whose callers have given up. */
const MOST_LATE = 5;
const IDLE_MS = 60_000;
/** How long no more connections are asked for after the server allowed no more. */
const LIMITED_MS = 60_000;
const TOO_MANY_CONNECTIONS = '53300';
const IDLE_SESSION_TIMEOUT = '57P05';
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

const startedBy = checkedBy(Type.Object({ process_id: Type.Integer(), is_standby: Type.Boolean() }));
const weaknessesBy = checkedBy(Type.Object({ has_disk: Type.Boolean(), has_standby: Type.Boolean() }));

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

/**
 * Runs a statement on a connection of the pool.
 * @param undo what is done when the statement was sent and not answered in time
 */
export type Query = (
  name: string,
  text: string,
  values?: unknown[],
  undo?: readonly [text: string, values: unknown[]],
) => Promise<{ rows: unknown[]; rowCount: number | null }>;

/** Runs a statement that has a row. @throws CallFailed also for a row that is not as expected */
export type RowOf = <Row>(check: (row: unknown) => Row, ...statement: Parameters<Query>) => Promise<Row>;

export interface PostgresConnections {
  /** @throws CallFailed */
  readonly query: Query;
  readonly rowOf: RowOf;
  /** Judges the row of `WEAKNESSES`. @throws CallFailed when the server cannot keep what it confirms as durably as is asked */
  checkDurability(row: unknown): void;
  /** Ends all connections, also those on which a statement may be under way. */
  close(): Promise<void>;
}

/**
 * A few connections that are opened when they are needed, each to the server that was met last.
 * @param onOtherServer called when the server is not the one of before, and may have lost writes
 */
export const openPostgresConnections = (
  options: StoreServerOptions,
  onOtherServer: () => void,
): PostgresConnections => {
  const { url, durability, leaseMs, timeoutMs, logger, events } = options;
  /** of the server that was met last */
  let timeline: string | undefined;
  const sessions = new WeakMap<pg.ClientBase, Session>();
  /** of connections: those from before the server was found to be the wrong one are not used again */
  let generation = 0;
  let renewedAt = -Infinity;

  /** @throws CallFailed when the server cannot do what is asked */
  const checkDurability = (row: unknown): void => {
    const { has_disk: hasDisk, has_standby: hasStandby } = weaknessesBy(row);
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
      checkDurability((await client.query(WEAKNESSES)).rows[0]);
    }
    const reply = await client.query<{ timeline?: string }>(TIMELINE).catch(() => undefined);
    const seen = reply?.rows[0]?.timeline;
    sessions.set(client, { processId: started.process_id, timeline: seen, generation });
    if (seen === undefined) return;
    if (timeline !== undefined && seen !== timeline) onOtherServer();
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

  return {
    query,
    rowOf,
    checkDurability,
    close: async () => {
      for (const end of late) end();
      await pool.end();
    },
  };
};
