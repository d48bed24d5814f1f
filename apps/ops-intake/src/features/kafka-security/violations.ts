import { bootstrapEntries, type Config, PROTOCOL } from '../../config.ts';
import type { SecuritySettings } from './settings.ts';

type SecurityConfig = Config & SecuritySettings;

/** What has to be set for each of Kafka's names of protocols (`security.protocol`). */
const PROTOCOLS: Readonly<Record<string, { readonly tls: boolean; readonly login: boolean }>> = {
  PLAINTEXT: { tls: false, login: false },
  SSL: { tls: true, login: false },
  SASL_PLAINTEXT: { tls: false, login: true },
  SASL_SSL: { tls: true, login: true },
};

const protocolViolations = (config: SecurityConfig): string[] => {
  const name = 'KAFKA_BOOTSTRAP_SERVERS';
  const violations = bootstrapEntries(config).flatMap((entry) => {
    const [, protocol] = PROTOCOL.exec(entry) ?? [];
    if (protocol === undefined) return [];
    const wanted = PROTOCOLS[protocol.toUpperCase()];
    if (!wanted)
      return [`${name}: the protocol before :// must be one of ${Object.keys(PROTOCOLS).join(', ')}`];
    const found: string[] = [];
    if (wanted.tls !== config.KAFKA_SSL) found.push(`KAFKA_SSL=${wanted.tls}`);
    if (wanted.login !== (config.KAFKA_SASL_MECHANISM !== undefined))
      found.push(wanted.login ? 'KAFKA_SASL_MECHANISM' : 'no KAFKA_SASL_MECHANISM');
    return found.length === 0 ? [] : [`${name} has ${protocol.toUpperCase()}://: set ${found.join(' and ')}`];
  });
  return [...new Set(violations)];
};

/** What each login mechanism needs besides its name. */
const LOGIN_SETTINGS = {
  plain: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  'scram-sha-256': ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  'scram-sha-512': ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  oauthbearer: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD', 'KAFKA_SASL_OAUTH_TOKEN_URL'],
  'aws-msk-iam': ['KAFKA_SASL_AWS_REGION', 'KAFKA_SSL'],
} as const satisfies Record<string, readonly (keyof SecurityConfig)[]>;

const loginViolations = (config: SecurityConfig): string[] => {
  const { KAFKA_SASL_MECHANISM: mechanism } = config;
  const needed: readonly (keyof SecurityConfig)[] = mechanism ? LOGIN_SETTINGS[mechanism] : [];
  return needed
    .filter((name) => !config[name])
    .map((name) => `${name} is not set; KAFKA_SASL_MECHANISM=${mechanism} needs it`);
};

/** What the settings' types do not check. */
export const violationsOf = (config: SecurityConfig): string[] => {
  const violations = [...protocolViolations(config), ...loginViolations(config)];
  if (!config.KAFKA_SSL_CERT_FILE !== !config.KAFKA_SSL_KEY_FILE) {
    violations.push('KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE must be set together');
  }
  return violations;
};
