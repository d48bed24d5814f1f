import { createDrain } from '@workspace/http-connections';
import type { Service } from '@workspace/service-kit';
import { type Clock, createMetrics, type Metrics, systemTimers } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import { createRandomPool } from '../src/adapters/random/random-pool.ts';
import { type AppDependencies, buildApp } from '../src/app.ts';
import { idempotencyLeaseMs, readSettings } from '../src/config.ts';
import { contextAfter, type Opened, type OptionContext } from '../src/extension-points.ts';
import { options } from '../src/features.ts';
import { createInMemoryLog } from './in-memory-log.ts';
import { searchInMemory } from './search-in-memory.ts';

export const NOW = new Date('2026-11-21T12:00:00Z');

/** What options give that open only after a while, by name; the other ones are opened here. */
export type OpensAs = Readonly<Record<string, Opened | ((context: OptionContext) => Opened)>>;

/** Apps of the test that runs, which are closed after it. */
let apps: Service[] = [];
// Fuzzing runs without Jest.
if (typeof beforeEach === 'function') {
  beforeEach(() => (apps = []));
  afterEach(() => Promise.all(apps.map((app) => app.close())));
}

/** The real app on a log in memory, at a fixed time unless it gets a clock. */
export const appUnderTest = (
  env: Record<string, string> = {},
  {
    clock = () => NOW,
    metrics,
    opens = {},
    isStoreShared = false,
    ...more
  }: { clock?: Clock; metrics?: Metrics; opens?: OpensAs; isStoreShared?: boolean } & Partial<
    Pick<AppDependencies, 'timers'>
  > = {},
) => {
  const config = readSettings(options, env);
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
  const fillRandomly = createRandomPool();
  const context = {
    logger,
    clock,
    timers: more.timers ?? systemTimers,
    metrics: metrics ?? createMetrics({ name: 'test', version: '0' }),
    fillRandomly,
    storeObserver: { storeFailed: () => undefined, storeLost: () => undefined },
    newest: { newest: async () => [] },
    openLog: () => createInMemoryLog(),
  };
  const opened: Opened[] = [];
  for (const option of options) {
    const own = contextAfter(opened, context);
    const instead = opens[option.name] ?? option.open(config, own);
    const one = typeof instead === 'function' ? instead(own) : instead;
    if (one instanceof Promise) throw new Error(`${option.name} opens later: name it in \`opens\``);
    if (one) opened.push(one);
  }
  if (isStoreShared) {
    const shared = { ...store, connected: Promise.resolve() };
    opened.push({ keyStore: { server: 'Redis', url: 'redis://localhost', store: shared } });
  }
  const app = buildApp({
    config,
    opened,
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
  apps.push(app);
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
