import { openRateLimitStore } from '@workspace/rate-limit-store';
import { onlyWith } from '@workspace/schemas';
import { defineProblems } from '@workspace/service-kit/problems';
import {
  parseRateLimit,
  type RateLimit,
  rateLimitEnv,
  RateLimiter,
  type RateLimitStore,
  rateLimitViolations,
} from '@workspace/service-kit/rate-limit';
import { option } from '../../extension-points.ts';

const problems = defineProblems({
  'rate-limited': { status: 429, title: 'Too many requests', advice: 'Wait `Retry-After` seconds' },
});

const { RATE_LIMIT, ...shared } = rateLimitEnv(
  'requests to `/operations`',
  'a principal or, without tokens, an IPv4 address or an IPv6 /64',
  'IDEMPOTENCY_STORE_URL if that is Redis or Valkey, or else each instance by itself,',
);

/** Limits the requests of each client. */
export const rateLimit = option({
  name: 'rate-limit',
  settings: { RATE_LIMIT, ...onlyWith('RATE_LIMIT', shared) },
  problems,
  violations: rateLimitViolations,
  open: (config, { clock, logger, metrics, runInKeyStore }) => {
    const limit = parseRateLimit(config);
    if (!limit) return undefined;
    const limited = (allowance: RateLimit, shared?: RateLimitStore) => ({
      rateLimiter: new RateLimiter({
        limit: allowance,
        counted: 'requests',
        problem: problems['rate-limited'],
        clock,
        store: shared,
      }),
      problems: Object.values(problems),
      close: () => shared?.close(),
    });
    const { RATE_LIMIT_STORE_URL: url } = config;
    const store = url === undefined || url === runInKeyStore?.url ? runInKeyStore?.run : url;
    if (store === undefined) return limited(limit);
    return openRateLimitStore({ store, service: 'ops-intake', logger, metrics }).then((shared) =>
      limited(limit, shared),
    );
  },
});
