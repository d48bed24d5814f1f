import type { Logger } from '@workspace/logging';
import { PERIODS_MS, type RateLimitStore } from '@workspace/service-kit/rate-limit';
import type { Metrics } from '@workspace/service-process';
import { Counter } from 'prom-client';
import { TAKE } from './take-script.ts';

/** Runs a script on one key; rejects when the store does not answer. */
export type RunScript = (script: string, key: string, args: string[]) => Promise<unknown>;

export interface RateLimitStoreOptions {
  /** Redis or Valkey: a `redis://` or `rediss://` URL, or a connection that the service has anyway and closes itself */
  readonly store: string | RunScript;
  /** of the service: services that use one server count apart */
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** how long a request may wait for the store; then this instance decides alone */
  readonly timeoutMs?: number;
}

/** How long a store that failed is left alone before one request tries it again. */
const RETRY_MS = 1_000;
/** How long a store must answer without a failure before an outage is over: one that answers now and then is no news. */
const STABLE_MS = 5_000;

/**
 * Buckets in Redis or Valkey, for all instances of a service. A store that
 * is unreachable, hangs or rejects writes costs no request more than `timeoutMs`, and one a second while it lasts.
 */
export const openRateLimitStore = async (options: RateLimitStoreOptions): Promise<RateLimitStore> => {
  const { store, service, logger, metrics, timeoutMs = 250 } = options;
  const failures = new Counter({
    name: 'rate_limit_store_failures_total',
    help: 'Requests that this instance counted by itself because the rate limit store did not answer',
    registers: [metrics.registry],
  });
  const { take, close } =
    typeof store === 'string'
      ? // Only a service that shares its limit pays for loading the client.
        await (await import('./redis-connection.ts')).connect(store, logger)
      : { take: (key: string, ...args: string[]) => store(TAKE, key, args), close: () => undefined };

  /** when a failed store may be tried again, on the clock of `performance.now`; undefined while it works */
  let retryAt: number | undefined;
  /** when a request failed last, during an outage and until it is over */
  let failedAt: number | undefined;

  const failed = (error: Error): undefined => {
    failures.inc();
    if (failedAt === undefined) {
      const reason = error.message || error.name;
      logger.warn({ reason }, 'rate limit store unavailable; this instance limits clients by itself');
    }
    failedAt = performance.now();
    retryAt = failedAt + RETRY_MS;
    return undefined;
  };
  const answered = (askedAt: number): void => {
    if (failedAt === undefined || askedAt <= failedAt) return;
    retryAt = undefined;
    if (askedAt - failedAt < STABLE_MS) return;
    failedAt = undefined;
    logger.info('rate limit store available');
  };

  return {
    take: async (name, cost, { requests, per }) => {
      const askedAt = performance.now();
      if (retryAt !== undefined) {
        if (askedAt < retryAt) return void failures.inc();
        retryAt = askedAt + RETRY_MS;
      }
      try {
        const key = `${service}:rate:${name}`;
        const capacityMs = PERIODS_MS[per];
        const msPerToken = capacityMs / requests;
        const balance = await withinTimeout(
          timeoutMs,
          take(key, String(msPerToken), String(capacityMs), String(cost)),
        );
        if (!isBalance(balance, requests)) throw new TypeError('the reply is not a balance');
        answered(askedAt);
        return Number(balance);
      } catch (error) {
        return failed(error as Error);
      }
    },
    close,
  };
};

/** Whether the store says how many tokens are left, as the script writes it: a client has no more than all of them. */
const isBalance = (balance: unknown, requests: number): boolean =>
  typeof balance === 'string' && /^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(balance) && Number(balance) <= requests;

const withinTimeout = <Answer>(timeoutMs: number, answer: Promise<Answer>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const timeout = new Error(`no answer within ${timeoutMs} ms`);
    const timer = setTimeout(() => reject(timeout), timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
