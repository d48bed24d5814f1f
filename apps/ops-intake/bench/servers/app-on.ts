import { createLogger } from '@workspace/logging';
import { createDrain, createMetrics, readConfig, systemClock, systemTimers } from '@workspace/service-kit';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { fillRandomly } from '../../src/adapters/random/random-pool.ts';
import { readSchemaFiles } from '../../src/adapters/json-schema/schema-files.ts';
import { buildApp } from '../../src/app.ts';
import { Config } from '../../src/config.ts';
import { parseStrictJson } from '../../src/http/submit/strict-json.ts';
import type { OperationLog } from '../../src/application/operation-log.ts';
import { ready } from './ready.ts';

/** The schema of a file, without its budget: the bench itself measures. */
const schemasOf = (file: string | undefined) => {
  if (file === undefined) return undefined;
  const limits = { operations: 10_000, fractionDigits: 8 };
  const parse = (text: string) => parseStrictJson(text, 64);
  return readSchemaFiles({
    files: [file],
    builtIn: '',
    parse,
    limits,
    read: () => undefined,
    budgetMicros: 1e6,
  });
};

/** The same app as in production, on another log. */
export const serveAppOn = async (log: OperationLog): Promise<void> => {
  const config = readConfig(Config, { PORT: '0' });
  const operationSchemas = await schemasOf(process.env['OPERATION_SCHEMA_FILE']);
  const app = buildApp({
    config,
    log,
    store: createMemoryStore({ ttlMs: 1_000, leaseMs: 1_000, entries: 1, now: systemClock }),
    operationSchemas,
    search: { find: async () => ({}), time: () => undefined },
    logger: createLogger({ name: 'bench', level: 'warn' }),
    clock: systemClock,
    timers: systemTimers,
    fillRandomly,
    drain: createDrain(),
    version: '0',
    metrics: createMetrics({ name: 'bench', version: '0' }),
  });
  await app.listen({ port: config.PORT, host: config.HOST });
  ready(app.server);
};
