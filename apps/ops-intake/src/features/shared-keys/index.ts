import { Type } from '@sinclair/typebox';
import { onlyWith, secret } from '@workspace/schemas';
import { idempotencyLeaseMs } from '../../config.ts';
import { option } from '../../extension-points.ts';
import { milliseconds } from '../../settings.ts';
import { openSharedStore } from './shared-store.ts';
import { isPostgresUrl, isStoreUrl } from './store-url.ts';

/** Keeps Idempotency-Keys where all instances see them: in Redis, Valkey or PostgreSQL. */
export const sharedKeys = option({
  name: 'shared-keys',
  settings: {
    IDEMPOTENCY_STORE_URL: secret(
      'Redis, Valkey or PostgreSQL that all instances share, `redis://host:6379` or `postgres://user@host/database`, see [Key store](key-store.md); keys stay in this process’s memory when unset',
    ),
    ...onlyWith('IDEMPOTENCY_STORE_URL', {
      IDEMPOTENCY_STORE_DURABILITY: Type.Union(
        [Type.Literal('none'), Type.Literal('local'), Type.Literal('replicated')],
        {
          default: 'none',
          description:
            'what the store must have done before a claim or an answer counts: `none` beyond its own settings, `local` written it to its disk, `replicated` copied it to another server',
        },
      ),
    }),
    IDEMPOTENCY_STORE_TIMEOUT_MS: milliseconds(500, 'milliseconds to wait for the store', 10),
  },
  violations: ({ IDEMPOTENCY_STORE_URL: url }) =>
    url && !isStoreUrl(url)
      ? [
          'IDEMPOTENCY_STORE_URL must be a URL such as redis://host, rediss://host, redis+sentinel://host,host/name, redis+cluster://host,host or postgres://host/database',
        ]
      : [],
  searchesLog: ({ IDEMPOTENCY_STORE_URL: url }) => url !== undefined,
  open: (config, { logger, clock, timers, storeObserver: observer, newest: log }) => {
    const { IDEMPOTENCY_STORE_URL: url } = config;
    if (url === undefined) return undefined;
    const options = {
      url,
      durability: config.IDEMPOTENCY_STORE_DURABILITY,
      ttlMs: config.IDEMPOTENCY_TTL_MS,
      sequenceTtlMs: config.SEQUENCE_TTL_MS,
      leaseMs: idempotencyLeaseMs(config),
      timeoutMs: config.IDEMPOTENCY_STORE_TIMEOUT_MS,
      clock,
      timers,
      logger,
      observer,
      log,
    };
    const server = isPostgresUrl(url) ? 'PostgreSQL' : 'Redis';
    // Only the driver that is needed is loaded.
    const driver =
      server === 'Redis'
        ? import('./redis/redis-server.ts').then(({ openRedisServer }) => openRedisServer)
        : import('./postgres/postgres-server.ts').then(({ openPostgresServer }) => openPostgresServer);
    return driver.then((openServer) => {
      const store = openSharedStore((events) => openServer({ ...options, events }), options);
      return { keyStore: { server, url, store } };
    });
  },
});
