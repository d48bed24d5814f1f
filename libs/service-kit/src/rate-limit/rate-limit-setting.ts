import { type TOptional, type TString, Type } from '@sinclair/typebox';
import { secret } from '@workspace/schemas';

/** So many requests per period. */
export interface RateLimit {
  readonly requests: number;
  readonly per: Period;
}
export type Period = keyof typeof PERIODS_MS;

/** The length of each period in milliseconds. */
export const PERIODS_MS = { second: 1_000, minute: 60_000, hour: 3_600_000 } as const;
const GRAMMAR = /^([1-9]\d{0,8})\/(second|minute|hour)$/;

/**
 * The variables that limit clients, to be spread into a service's schema.
 * @param counted what is counted, in the plural: `lookups`
 * @param client what has a limit of its own
 * @param unshared what happens when RATE_LIMIT_STORE_URL is unset
 */
export const rateLimitEnv = (
  counted: string,
  client = 'an IPv4 address or an IPv6 /64',
  unshared = 'each instance counts for itself',
): { RATE_LIMIT: TOptional<TString>; RATE_LIMIT_STORE_URL: TOptional<TString> } => ({
  RATE_LIMIT: Type.Optional(
    Type.String({
      description: `${counted} per client and second, minute or hour, such as \`100/minute\`; a client is ${client}; 0 or unset means no limit`,
    }),
  ),
  RATE_LIMIT_STORE_URL: secret(
    `Redis or Valkey in which all instances count together, \`redis://host:6379\`; ${unshared} when unset`,
  ),
});

export interface RateLimitConfig {
  RATE_LIMIT?: string;
  RATE_LIMIT_STORE_URL?: string;
}

/** Whether this is the URL of a Redis or Valkey server. */
export const isRedisUrl = (text: string): boolean =>
  URL.canParse(text) && ['redis:', 'rediss:'].includes(new URL(text).protocol);

/** What the schema of `rateLimitEnv` does not check: one sentence for each violation, for `readConfig`. */
export const rateLimitViolations = ({
  RATE_LIMIT: text,
  RATE_LIMIT_STORE_URL: url,
}: RateLimitConfig): string[] => {
  const violations: string[] = [];
  if (text !== undefined && text !== '0' && !GRAMMAR.test(text)) {
    const example = /^[1-9]\d{0,8}$/.test(text) ? text : '100';
    violations.push(
      `RATE_LIMIT must be <number>/<second|minute|hour>, such as ${example}/minute, or 0 for no limit`,
    );
  }
  if (url !== undefined && !isRedisUrl(url)) {
    violations.push('RATE_LIMIT_STORE_URL must be a redis:// or rediss:// URL');
  }
  return violations;
};

/** The limit of a valid configuration; undefined when there is none. */
export const parseRateLimit = ({ RATE_LIMIT: text }: RateLimitConfig): RateLimit | undefined => {
  const [, requests, per] = GRAMMAR.exec(text ?? '') ?? [];
  return requests === undefined ? undefined : { requests: Number(requests), per: per as Period };
};
