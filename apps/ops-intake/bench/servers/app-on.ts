import { createLogger } from '@workspace/logging';
import { createDrain } from '@workspace/http-connections';
import { createMetrics, systemClock, systemTimers } from '@workspace/service-process';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createRandomPool } from '../../src/adapters/random/random-pool.ts';
import { buildApp } from '../../src/app.ts';
import { readSettings } from '../../src/config.ts';
import type { OperationLog } from '../../src/application/operation-log.ts';
import { ready } from './ready.ts';

/** The same app as in production, on another log. */
export const serveAppOn = async (log: OperationLog): Promise<void> => {
  const config = readSettings([], { PORT: '0' });
  const app = buildApp({
    config,
    log,
    store: createMemoryStore({ ttlMs: 1_000, leaseMs: 1_000, entries: 1, now: systemClock }),
    search: { find: async () => ({}), time: () => undefined },
    logger: createLogger({ name: 'bench', level: 'warn' }),
    clock: systemClock,
    timers: systemTimers,
    fillRandomly: createRandomPool(),
    drain: createDrain(),
    version: '0',
    metrics: createMetrics({ name: 'bench', version: '0' }),
  });
  await app.listen({ port: config.PORT, host: config.HOST });
  ready(app.server);
};
