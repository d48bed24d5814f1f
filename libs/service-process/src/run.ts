import { executionAsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter } from 'prom-client';
import type { Logger } from '@workspace/logging';
import type { Drain } from '@workspace/http-connections';
import {
  beginConnectionsWith,
  limitConnections,
  listen,
  type Readiness,
  type Service,
} from '@workspace/service-kit';
import { proxyProtocol } from '@workspace/service-kit/client-address';
import type { ServiceConfig } from './environment.ts';
import { buildManagement } from './management.ts';
import type { Metrics } from './metrics.ts';
import type { Telemetry } from './telemetry.ts';
import { StartupError } from './startup-error.ts';

export interface RunOptions {
  /** its `onClose` hooks close the adapters, after the last reply */
  app: Service;
  config: ServiceConfig;
  logger: Logger;
  drain: Drain;
  metrics?: Metrics;
  /** closed last: the last requests and adapters still record */
  telemetry?: Telemetry | undefined;
  version: string;
  /** whether requests can be answered; asked by `/health/ready`, once the public listener is open */
  ready: () => Readiness;
}

/**
 * Runs a service until a signal stops it: opens the management listener, then the public one. On SIGTERM or SIGINT it
 * becomes unready, waits DRAIN_DELAY_MS, stops listening, answers the requests that have arrived, closes the connections
 * that have held none for DRAIN_IDLE_MS, closes the adapters, and exits with 0. An exception that nothing caught leads to the
 * same orderly end, with exit code 1, and while draining it only changes the exit code. A rejection that nothing handled is logged and
 * counted, as what a dependency says must not end the service. A second signal, or SHUTDOWN_TIMEOUT_MS, forces exit code 1 at once.
 */
export const run = async ({
  app,
  config,
  logger,
  drain,
  metrics,
  telemetry,
  version,
  ready,
}: RunOptions): Promise<void> => {
  let isListening = false;
  const management =
    config.MANAGEMENT_PORT === undefined
      ? undefined
      : buildManagement({
          logger,
          drain,
          version,
          ready: () => (isListening ? ready() : { ready: false, reason: 'starting' }),
          ...(metrics && { metrics }),
        });

  let exitCode = 0;
  const stop = async (reason: string): Promise<void> => {
    if (drain.draining) return;
    drain.start({ idleMs: config.DRAIN_IDLE_MS });
    logger.info({ reason }, 'draining');
    setTimeout(() => {
      logger.error({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS }, 'shutdown timed out; forcing exit');
      process.exit(1);
    }, config.SHUTDOWN_TIMEOUT_MS);
    try {
      await sleep(config.DRAIN_DELAY_MS);
      await app.close();
      await management?.close();
      await telemetry?.close();
      logger.info('stopped');
      process.exit(exitCode);
    } catch (error) {
      logger.error({ err: error }, 'shutdown failed');
      process.exit(1);
    }
  };

  let signalled = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (signalled) {
        logger.warn({ signal }, 'second signal received; forcing exit');
        process.exit(1);
      }
      signalled = true;
      void stop(signal);
    });
  }
  process.on('uncaughtException', (error: unknown) => {
    exitCode = 1;
    logger.fatal({ err: error }, 'uncaughtException');
    void stop('uncaughtException');
  });
  const rejections = new Counter({
    name: 'unhandled_rejections_total',
    help: 'Promises whose rejection nothing handled: a mistake of the service, which goes on',
    registers: metrics ? [metrics.registry] : [],
  });
  process.on('unhandledRejection', (error: unknown) => {
    rejections.inc();
    logger.error({ err: error }, 'unhandledRejection');
  });

  if (management) {
    const address = await listen(management, config.MANAGEMENT_PORT!, config.MANAGEMENT_HOST).catch(
      naming('MANAGEMENT_HOST, MANAGEMENT_PORT'),
    );
    logger.info({ address }, 'management listening');
  }
  limitConnections(app, config);
  const limit = config.MAX_CONNECTIONS;
  const logDrop = eachMinute((closed) =>
    logger.warn({ limit, closed }, 'too many connections; closing new ones'),
  );
  app.server.on('drop', logDrop);
  if (config.PROXY_PROTOCOL) {
    const onClosed = eachMinute((closed, reason: string) =>
      logger.warn({ reason, closed }, 'closing connections without a PROXY protocol header'),
    );
    beginConnectionsWith(app, proxyProtocol({ TRUST_PROXY: config.TRUST_PROXY ?? '', onClosed }));
  }
  const address = await listen(app, config.PORT, config.HOST).catch(naming('HOST, PORT'));
  isListening = true;
  logger.info({ address, version, node: process.version }, 'ready for requests');
};

/** Adds to an error of `listen` which settings are its cause. */
const naming =
  (settings: string) =>
  (error: Error): never => {
    error.message += ` (${settings})`;
    throw error;
  };

/** How often it is logged at most that connections are closed. */
const LIMIT_LOG_MS = 60_000;

/** Calls `log` at once, and then at most once a minute, with how many calls there have been. */
const eachMinute = <Of extends unknown[]>(log: (count: number, ...of: Of) => void): ((...of: Of) => void) => {
  let loggedAt = -Infinity;
  let count = 0;
  return (...of) => {
    count += 1;
    if (performance.now() - loggedAt < LIMIT_LOG_MS) return;
    loggedAt = performance.now();
    log(count, ...of);
  };
};

/** What `process.nextTick` made for a callback. */
const ticks: object[] = [];

/**
 * Keeps `process.nextTick` fast, which each request calls several times. V8 forgets the shape of the objects that it makes
 * when a full garbage collection finds none of them, as those of a start do, and Node's code then makes them slowly for good: a
 * twentieth to a tenth of a request. One object that is kept is enough to remember the shape.
 */
const keepTickShape = (): void => process.nextTick(() => ticks.push(executionAsyncResource()));

/** What fails when HOST or PORT cannot be used. */
const SETTINGS_FAIL = /^(listen|getaddrinfo)$/;

/**
 * The outermost frame of a main.ts: a start that fails says why on stderr, all of it, and exits with 1.
 * @param start reads the configuration, opens the adapters, builds the app and calls `run`
 */
export const startService = async (start: () => Promise<void>): Promise<void> => {
  keepTickShape();
  try {
    await start();
  } catch (error) {
    const { syscall = '' } = error as NodeJS.ErrnoException;
    const known = error instanceof StartupError || SETTINGS_FAIL.test(syscall);
    process.stderr.write(`${known ? (error as Error).message : (error as Error).stack}\n`);
    process.exit(1);
  }
};
