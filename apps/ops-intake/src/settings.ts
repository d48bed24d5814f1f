// What adapters and routes take, made of the environment. Pure: files are read by main.ts.
import { type KafkaSettings, longestSendMs } from './adapters/kafka/kafka-settings.ts';
import type { Config } from './config.ts';
import { parseTokens, type PrincipalOf, principalsOf } from './domain/principals.ts';
import { createRateLimit, type RateLimit } from './domain/rate-limit.ts';

export const brokersOf = (config: Pick<Config, 'KAFKA_BOOTSTRAP_SERVERS'>): string[] =>
  config.KAFKA_BOOTSTRAP_SERVERS.split(',').map((server) => server.trim());

/** The login, when one is set; `configViolations` has seen to it that it is whole. */
export const saslOf = (config: Config): Pick<KafkaSettings, 'sasl'> => {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = config;
  if (!mechanism || !username || !password) return {};
  return { sasl: { mechanism, username, password } };
};

/** How long a claim on an Idempotency-Key holds: longer than the longest a submission can wait and be tried. */
export const leaseMsOf = (config: Config): number =>
  config.DEADLINE_MS +
  2 *
    longestSendMs({
      retries: config.KAFKA_RETRIES,
      connectionTimeoutMs: config.KAFKA_CONNECTION_TIMEOUT_MS,
      requestTimeoutMs: config.KAFKA_REQUEST_TIMEOUT_MS,
    });

/** Who may submit; undefined when anybody may. `configViolations` has seen to it that the tokens can be read. */
export const principalLookup = ({ AUTH_TOKENS }: Config): PrincipalOf | undefined => {
  if (AUTH_TOKENS === undefined) return undefined;
  const parsed = parseTokens(AUTH_TOKENS);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return principalsOf(parsed.tokens);
};

export const rateLimitOf = (config: Config): RateLimit | undefined => {
  const { RATE_LIMIT_PER_SECOND: perSecond, RATE_LIMIT_BURST: burst, RATE_LIMIT_CLIENTS: clients } = config;
  return perSecond === undefined ? undefined : createRateLimit({ perSecond, burst, clients });
};

/** As Fastify takes it: false believes nobody. */
export const trustedProxies = ({ TRUST_PROXY }: Config): string[] | false =>
  TRUST_PROXY === undefined ? false : TRUST_PROXY.split(',').map((proxy) => proxy.trim());
