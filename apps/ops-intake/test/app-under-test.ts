import {
  type Clock,
  createDrain,
  type Metrics,
  readConfig,
  type Service,
  systemTimers,
} from '@workspace/service-kit';
import { captureLogger } from '@workspace/testing';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import { fillRandomly } from '../src/adapters/random/random-pool.ts';
import { type AppDependencies, buildApp } from '../src/app.ts';
import { Config, configViolations, idempotencyLeaseMs } from '../src/config.ts';
import { createInMemoryLog } from './in-memory-log.ts';
import { searchInMemory } from './search-in-memory.ts';

export const NOW = new Date('2026-11-21T12:00:00Z');

/** The real app on a log in memory, at a fixed time unless it gets a clock. Close it with `app.close()`. */
export const appUnderTest = (
  env: Record<string, string> = {},
  {
    clock = () => NOW,
    metrics,
    ...more
  }: { clock?: Clock; metrics?: Metrics } & Partial<
    Pick<
      AppDependencies,
      | 'jwt'
      | 'tokenFile'
      | 'microseconds'
      | 'instance'
      | 'operationSchemas'
      | 'bulkObserver'
      | 'bulkUnreadMs'
      | 'rejected'
      | 'timers'
    >
  > = {},
) => {
  const config = readConfig(Config, env, configViolations);
  const log = createInMemoryLog();
  const search = searchInMemory(log);
  const drain = createDrain();
  const { logger, lines } = captureLogger();
  const store = createMemoryStore({
    ttlMs: config.IDEMPOTENCY_TTL_MS,
    sequenceTtlMs: config.SEQUENCE_TTL_MS,
    leaseMs: idempotencyLeaseMs(config),
    entries: config.IDEMPOTENCY_ENTRIES,
    now: clock,
  });
  const app = buildApp({
    config,
    log,
    store,
    search,
    logger,
    clock,
    timers: systemTimers,
    fillRandomly,
    drain,
    version: '1.2.3',
    strictProblems: true,
    ...more,
    ...(metrics && { metrics }),
  });
  return { app, log, store, search, drain, lines };
};

export const ONE_BUY = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';

/** Posts a body as JSON. */
export const post = (app: Service, payload: string | Buffer, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/operations',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });
