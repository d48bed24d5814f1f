// What adapters and routes take, made of the environment. Pure: files are read by main.ts.
import { type KafkaSettings, longestSendMs } from './adapters/kafka/kafka-settings.ts';
import type { Config } from './config.ts';
import { parseTokens, type PrincipalOf, principalsOf } from './domain/principals.ts';

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
