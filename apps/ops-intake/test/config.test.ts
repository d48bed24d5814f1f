import { ConfigError } from '@workspace/service-process';
import { shownSecrets } from '@workspace/testing';
import { readSettings, settingsOf } from '../src/config.ts';
import { fallbackIds, subjectOf } from '../src/features/schema-registry/settings.ts';
import { options } from '../src/features.ts';

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readSettings(options, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.violations;
    throw error;
  }
};

describe('the environment', () => {
  it('needs nothing', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it.each([
    { KAFKA_BOOTSTRAP_SERVERS: 'a:9092, b.example:9092,' },
    { KAFKA_BOOTSTRAP_SERVERS: '[::1]:9092,[2001:db8::7]:9092,[fe80::1%eth0]:9092,PLAINTEXT://[::1]:9093' },
    {
      KAFKA_BOOTSTRAP_SERVERS: 'SASL_SSL://a:9092',
      KAFKA_SSL: 'true',
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: 'u',
      KAFKA_SASL_PASSWORD: 'p',
    },
    { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' },
    { KAFKA_SASL_MECHANISM: 'AWS_MSK_IAM', KAFKA_SASL_AWS_REGION: 'eu-central-1', KAFKA_SSL: 'true' },
    { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' },
    { KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: 'ca.pem' },
    { IDEMPOTENCY_STORE_URL: 'rediss://user:pass@store:6380/1' },
    {
      IDEMPOTENCY_STORE_URL:
        'rediss+sentinel://user:pa:ss@one:26379,[::1]:26380/mymaster/2?sentinel_password=p',
    },
    { IDEMPOTENCY_STORE_URL: 'redis+sentinel://one/mymaster' },
    {
      IDEMPOTENCY_STORE_URL: 'redis+cluster://one:6379,two:6379',
      IDEMPOTENCY_STORE_DURABILITY: 'replicated',
    },
    { IDEMPOTENCY_STORE_URL: 'postgres://user@store/keys', IDEMPOTENCY_STORE_DURABILITY: 'local' },
    { TRUST_PROXY: '10.0.0.0/8, ::1, 192.0.2.7, uniquelocal' },
    { SCHEMA_REGISTRY_URL: 'https://registry.example:8081/path', SCHEMA_REGISTRY_FRAMING: 'true' },
    {
      SCHEMA_REGISTRY_URL: 'http://registry',
      SCHEMA_REGISTRY_USERNAME: 'key',
      SCHEMA_REGISTRY_PASSWORD: 'secret',
      SCHEMA_REGISTRY_FALLBACK_IDS: 'operations.v1:7, orders.v1:4294967295',
    },
    { RATE_LIMIT: '50/second' },
    { RATE_LIMIT: '0' },
    { HOST: 'localhost' },
    { HOST: '127.0.0.2' },
    { HOST: '::1' },
    { HOST: '0.0.0.0', AUTH_TOKENS: 'alice:0123456789abcdef' },
    { HOST: '::', AUTH_TOKENS_FILE: '/tokens' },
    { HOST: '10.0.0.1', AUTH_CLIENT_CERT_HEADER: 'client-cert', TRUST_PROXY: '10.0.0.2' },
    {
      HOST: 'intake.example',
      AUTH_JWT_ISSUER: 'https://issuer.example/',
      AUTH_JWT_AUDIENCE: 'ops-intake',
      AUTH_JWT_JWKS_URL: 'https://issuer.example/jwks',
    },
    { HOST: '0.0.0.0', ALLOW_ANONYMOUS: 'true' },
    { DRAIN_IDLE_MS: '9999' },
  ])('takes %j', (env) => {
    expect(faultsOf(env)).toEqual([]);
  });

  it('shows no value of a text, which may hold a secret, in an error', () => {
    expect(shownSecrets(settingsOf(options), (env) => readSettings(options, env))).toEqual([]);
  });

  it('takes no half of a registry', () => {
    expect(
      faultsOf({
        SCHEMA_REGISTRY_SUBJECT: 'trades',
        SCHEMA_REGISTRY_FRAMING: 'true',
        SCHEMA_REGISTRY_FALLBACK_IDS: 'operations.v1:4294967296',
      }),
    ).toEqual([
      'SCHEMA_REGISTRY_SUBJECT is set, but SCHEMA_REGISTRY_URL is not',
      'SCHEMA_REGISTRY_FRAMING is set, but SCHEMA_REGISTRY_URL is not',
      'SCHEMA_REGISTRY_FALLBACK_IDS is set, but SCHEMA_REGISTRY_URL is not',
      'SCHEMA_REGISTRY_FALLBACK_IDS must have ids below 4294967296',
    ]);
  });

  it('names a subject for each schema', () => {
    const subject = (schemas: number, SCHEMA_REGISTRY_SUBJECT?: string) => {
      const config = { KAFKA_TOPIC: 'trades', ...(SCHEMA_REGISTRY_SUBJECT && { SCHEMA_REGISTRY_SUBJECT }) };
      return subjectOf(config, 'orders.submitted.v1', schemas);
    };
    expect(subject(1)).toBe('trades-value');
    expect(subject(2)).toBe('trades-orders.submitted.v1');
    expect(subject(2, 'desk-{type}')).toBe('desk-orders.submitted.v1');
    expect(subject(2, 'desk')).toBe('desk');
  });

  it('reads ids to fall back on by the names of schemas', () => {
    expect([...fallbackIds({ SCHEMA_REGISTRY_FALLBACK_IDS: 'a.v1:7, b.v2:0' })]).toEqual([
      ['a.v1', 7],
      ['b.v2', 0],
    ]);
    expect(fallbackIds({}).size).toBe(0);
    const SCHEMA_REGISTRY_URL = 'http://registry';
    for (const wrong of ['7', 'a:', 'a:x', ':7', 'a:7,', 'a:-1', 'a:7, a:8']) {
      const env = { SCHEMA_REGISTRY_URL, SCHEMA_REGISTRY_FALLBACK_IDS: wrong };
      expect(faultsOf(env).join()).toContain('SCHEMA_REGISTRY_FALLBACK_IDS');
    }
  });

  it('names every fault at once', () => {
    expect(
      faultsOf({ PORT: 'abc', KAFKA_DELIVERY_TIMEOUT_MS: '0', KAFKA_SASL_MECHANISM: 'kerberos' }),
    ).toEqual([
      expect.stringMatching(/^PORT /),
      expect.stringMatching(/^KAFKA_DELIVERY_TIMEOUT_MS /),
      expect.stringMatching(/^KAFKA_SASL_MECHANISM must be one of plain, scram-sha-256, scram-sha-512/),
    ]);
  });

  const faults: [Record<string, string>, RegExp][] = [
    [{ KAFKA_BOOTSTRAP_SERVERS: 'localhost' }, /host:port/],
    ...['::1:9092', '[::1]', '[localhost]:9092', 'a:0', 'a:65536', 'a b:9092', 'a:9092;b:9092', ','].map(
      (servers): [Record<string, string>, RegExp] => [
        { KAFKA_BOOTSTRAP_SERVERS: servers },
        /^KAFKA_BOOTSTRAP_SERVERS must list host:port or \[IPv6 address\]:port/,
      ],
    ),
    [{ KAFKA_BOOTSTRAP_SERVERS: 'a:9092,b' }, /entry 2 is not$/],
    [
      { KAFKA_BOOTSTRAP_SERVERS: 'http://a:9092' },
      /must be one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL$/,
    ],
    [
      { KAFKA_BOOTSTRAP_SERVERS: 'SASL_SSL://a:1,SASL_SSL://b:1' },
      /^KAFKA_BOOTSTRAP_SERVERS has SASL_SSL:\/\/: set KAFKA_SSL=true and KAFKA_SASL_MECHANISM$/,
    ],
    [{ KAFKA_BOOTSTRAP_SERVERS: 'PLAINTEXT://a:1', KAFKA_SSL: 'true' }, /set KAFKA_SSL=false$/],
    [
      { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-1', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' },
      /^KAFKA_SASL_MECHANISM must be one of .*aws-msk-iam, not "SCRAM-SHA-1"$/,
    ],
    [{ KAFKA_SASL_MECHANISM: 'plain' }, /KAFKA_SASL_USERNAME is not set/],
    [{ KAFKA_SASL_USERNAME: 'u' }, /KAFKA_SASL_MECHANISM is not/],
    [{ KAFKA_SASL_OAUTH_SCOPE: 's' }, /KAFKA_SASL_MECHANISM is not/],
    ...[
      ['KAFKA_SSL_CA_FILE', 'KAFKA_SSL'],
      ['KAFKA_SSL_KEY_PASSPHRASE', 'KAFKA_SSL_KEY_FILE'],
      ['AUTH_JWT_SCOPE', 'AUTH_JWT_ISSUER'],
      ['AUTH_JWT_TYPES', 'AUTH_JWT_ISSUER'],
      ['AUTH_JWT_PRINCIPAL_CLAIM', 'AUTH_JWT_ISSUER'],
      ['RATE_LIMIT_STORE_URL', 'RATE_LIMIT', 'redis://store'],
      ['CONSOLE_MESSAGES_URL', 'CONSOLE', 'http://messages'],
      ['CONSOLE_RUNBOOKS_URL', 'CONSOLE', 'http://runbooks'],
      ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_URL'],
      ['SCHEMA_REGISTRY_PASSWORD', 'SCHEMA_REGISTRY_URL'],
    ].map(([name = '', other, value = 'x']): [Record<string, string>, RegExp] => [
      { [name]: value },
      new RegExp(`^${name} is set, but ${other} is not$`, 'm'),
    ]),
    [{ KAFKA_SSL: 'true', KAFKA_SSL_CERT_FILE: 'c.pem' }, /set together/],
    [{ KAFKA_TOPIC_PARTITIONS: '0' }, /-1 or at least 1/],
    [{ KAFKA_TOPIC: '..' }, /^KAFKA_TOPIC /],
    [{ REJECTED_TOPIC: '.' }, /^REJECTED_TOPIC must be a string/],
    [{ AUTH_TOKENS: 'alice' }, /^AUTH_TOKENS: entry 1/],
    ...[
      'http://:secret@store',
      'redis+sentinel://:secret@one:26379,two:26379',
      'redis+sentinel:///mymaster',
      'redis+cluster://:secret@one:6379/1',
      'redis+other://one',
      'redis://:secret@one,two',
      'postgres://intake:secret@one,two/keys',
    ].map((url): [Record<string, string>, RegExp] => [
      { IDEMPOTENCY_STORE_URL: url },
      /^IDEMPOTENCY_STORE_URL must be a URL such as redis:[^@]*$/,
    ]),
    [{ IDEMPOTENCY_STORE_DURABILITY: 'local' }, /IDEMPOTENCY_STORE_URL is not$/],
    [
      { IDEMPOTENCY_STORE_URL: 'redis://store', IDEMPOTENCY_STORE_DURABILITY: 'strong' },
      /^IDEMPOTENCY_STORE_DURABILITY/,
    ],
    [{ TRUST_PROXY: 'true' }, /TRUST_PROXY must list addresses/],
    [{ RATE_LIMIT: '50' }, /RATE_LIMIT must be .*such as 50\/minute/],
    [{ CLIENT_IP_HEADER: 'x-real-ip' }, /set TRUST_PROXY too/],
    [{ TRUST_PROXY: '10.0.0.0/33' }, /TRUST_PROXY must list addresses/],
    [{ BODIES_BYTES: '1000' }, /must not be less than BODY_LIMIT_BYTES/],
    [{ QUEUE_BYTES: '1000' }, /must not be less than MAX_MESSAGE_BYTES/],
    [
      { IDEMPOTENCY_STORE_URL: 'redis://store', IDEMPOTENCY_TTL_MS: '35999' },
      /IDEMPOTENCY_TTL_MS must be at least 36000/,
    ],
    [{ IDEMPOTENCY_TTL_MS: '35999' }, /IDEMPOTENCY_TTL_MS must be at least 36000/],
    [{ SEQUENCES: 'true', SEQUENCE_TTL_MS: '35999' }, /SEQUENCE_TTL_MS must be at least 36000/],
    [{ HOST: '0.0.0.0' }, /^HOST lets other machines submit.*or ALLOW_ANONYMOUS=true$/],
    [{ HOST: '::' }, /^HOST lets other machines submit/],
    [{ HOST: '127.0.0.1.example' }, /^HOST lets other machines submit/],
    [{ DEADLINE_MS: '10000' }, /SHUTDOWN_TIMEOUT_MS must be longer than DEADLINE_MS/],
    [
      { DRAIN_IDLE_MS: '10000' },
      /^SHUTDOWN_TIMEOUT_MS must be longer than DRAIN_IDLE_MS, or a stop .* exit code 1$/,
    ],
    [{ DRAIN_DELAY_MS: '10000' }, /^SHUTDOWN_TIMEOUT_MS must be longer than DRAIN_DELAY_MS/],
  ];
  it.each(faults)('rejects %j', (env, sentence) => {
    expect(faultsOf(env).join('\n')).toMatch(sentence);
  });
});
