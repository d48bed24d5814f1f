import { type PostgresServer, type RedisServer, startPostgres, startRedis } from '@workspace/testing/stores';
import { MIGRATE, TABLE } from '../../src/features/shared-keys/postgres/statements.ts';

/** A server that keeps keys, whichever it is. */
export interface KeyStoreServer extends Pick<
  RedisServer,
  'url' | 'kill' | 'freeze' | 'thaw' | 'restart' | 'stop'
> {
  /** How many keys it has. */
  keys(): Promise<number>;
  /** Loses all of them. */
  empty(): Promise<unknown>;
  /** Becomes a copy from before the first key, which says that it has kept every key for a day. */
  becomeOlder(): Promise<unknown>;
}

const A_DAY_MS = 86_400_000;
const becomeOlderRedis = async (redis: RedisServer): Promise<void> => {
  await redis.command('FLUSHALL');
  await redis.command('HSET', 'ops-intake:store', 'since', String(Date.now() - A_DAY_MS));
};
const OLD_MARKER = `INSERT INTO ${TABLE} (id, state, claimed_at, expires_at)
  VALUES ('00000000-0000-0000-0000-000000000000', 'store', now() - interval '1 day', 'infinity')
  ON CONFLICT (id) DO UPDATE SET claimed_at = EXCLUDED.claimed_at`;

const onRedis = (redis: RedisServer): KeyStoreServer => ({
  ...redis,
  keys: async () => ((await redis.command('KEYS', 'ops-intake:key:*')) as string[]).length,
  empty: () => redis.command('FLUSHALL'),
  becomeOlder: () => becomeOlderRedis(redis),
});

const onPostgres = (postgres: PostgresServer): KeyStoreServer => ({
  ...postgres,
  keys: async () => {
    const [row] = await postgres.query(
      `SELECT count(*)::int AS keys FROM ${TABLE} WHERE owner IS NOT NULL OR answer IS NOT NULL`,
    );
    return Number(row?.['keys']);
  },
  empty: () => postgres.query(`TRUNCATE ${TABLE}`),
  becomeOlder: () => postgres.query(`TRUNCATE ${TABLE}`, OLD_MARKER),
});

/*
 * A store that is new, or lost its data, has every key looked up in the topic, which no frozen broker answers: these say that they
 * have kept every key for a day.
 */

export const startOldRedis = async (): Promise<RedisServer> => {
  const redis = await startRedis();
  await becomeOlderRedis(redis);
  return redis;
};

const startOldPostgres = async (): Promise<PostgresServer> => {
  const postgres = await startPostgres();
  await postgres.query(MIGRATE, OLD_MARKER);
  return postgres;
};

export const KEY_STORES = {
  Redis: { tool: 'redis-server', start: async () => onRedis(await startOldRedis()) },
  PostgreSQL: { tool: 'pg_ctlcluster', start: async () => onPostgres(await startOldPostgres()) },
} as const;
