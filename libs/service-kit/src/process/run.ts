import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@workspace/logging';
import { ConfigError } from './config.ts';
import type { Drain } from './drain.ts';
import type { ServiceConfig } from './environment.ts';
import { buildManagement, type Readiness } from './management.ts';
import type { Metrics } from './metrics.ts';
import type { Service } from '../http/service.ts';

export interface RunOptions {
  /** its `onClose` hooks close the adapters, after the last reply */
  app: Service;
  config: ServiceConfig;
  logger: Logger;
  drain: Drain;
  metrics?: Metrics;
  version: string;
  /** whether requests may be sent here; asked by `/ready` */
  ready: () => Readiness;
}

/**
 * Runs a service until it is told to stop: opens the management listener and then the public one; on SIGTERM or SIGINT
 * lets readiness fall, waits DRAIN_DELAY_MS, stops listening, answers what it has accepted, closes the adapters, and
 * exits with 0. A second signal, or SHUTDOWN_TIMEOUT_MS, forces exit code 1; so does a failure nobody caught, after the
 * same orderly closing.
 */
export const run = async ({
  app,
  config,
  logger,
  drain,
  metrics,
  version,
  ready,
}: RunOptions): Promise<void> => {
  const management =
    config.MANAGEMENT_PORT === undefined
      ? undefined
      : buildManagement({ logger, drain, version, ready, ...(metrics && { metrics }) });

  const stop = async (reason: string, code: 0 | 1): Promise<void> => {
    if (drain.draining) {
      logger.warn({ reason }, 'told to stop a second time: leaving at once');
      process.exit(1);
    }
    drain.start();
    logger.info({ reason }, 'draining');
    setTimeout(() => {
      logger.error({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS }, 'the shutdown hangs: leaving by force');
      process.exit(1);
    }, config.SHUTDOWN_TIMEOUT_MS);
    try {
      await sleep(config.DRAIN_DELAY_MS);
      await app.close();
      await management?.close();
      logger.info('stopped');
      process.exit(code);
    } catch (error) {
      logger.error({ err: error }, 'the shutdown failed');
      process.exit(1);
    }
  };

  process.on('SIGTERM', () => void stop('SIGTERM', 0));
  process.on('SIGINT', () => void stop('SIGINT', 0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, `${event}: stopping`);
      void stop(event, 1);
    });
  }

  if (management) {
    const address = await management.listen({ port: config.MANAGEMENT_PORT!, host: config.MANAGEMENT_HOST });
    logger.info({ address }, 'management listening');
  }
  const address = await app.listen({ port: config.PORT, host: config.HOST });
  logger.info({ address, version, node: process.version }, 'ready for requests');
};

/**
 * The outermost frame of a main.ts: a start that fails says why on stderr, all of it, and exits with 1.
 * @param start reads the configuration, opens the adapters, builds the app and calls `run`
 */
export const startService = async (start: () => Promise<void>): Promise<void> => {
  try {
    await start();
  } catch (error) {
    const known = error instanceof ConfigError || (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    process.stderr.write(`${known ? (error as Error).message : (error as Error).stack}\n`);
    process.exit(1);
  }
};
