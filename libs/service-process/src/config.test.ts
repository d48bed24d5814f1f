import { Type } from '@sinclair/typebox';
import { onlyWith } from '@workspace/schemas';
import { shownSecrets } from '@workspace/testing';
import { ConfigError, httpUrl, readConfig, serviceEnv, shutdownViolations } from './index.ts';

const schema = Type.Object({
  ...serviceEnv({ port: 3000 }),
  STRICT: Type.Boolean({ default: false }),
  TRUST_PROXY: Type.Optional(Type.String()),
  TOKEN_REQUIRED: Type.Optional(Type.Boolean()),
  MODE: Type.Optional(Type.Literal('truncated')),
  RATIO: Type.Number({ default: 0.5, maximum: 1 }),
  API_TOKEN: Type.Optional(Type.String({ minLength: 16 })),
  TOPIC: Type.String({ pattern: '^[a-z]+$' }),
  REGISTRY: Type.Optional(httpUrl('registry', '?#')),
  ...onlyWith('REGISTRY', { REGISTER: Type.Boolean({ default: true }) }),
  ...onlyWith('STRICT', { RULES: Type.Optional(Type.String()) }),
});
const violationsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.violations;
    throw error;
  }
  return [];
};

describe('readConfig', () => {
  it('applies defaults, takes types from text and freezes', () => {
    const config = readConfig(schema, {
      TOPIC: 'operations',
      PORT: '8080',
      STRICT: 'true',
      RATIO: '0.25',
      HOST: '',
    });
    expect(config).toEqual({
      PORT: 8080,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      MANAGEMENT_HOST: '127.0.0.1',
      FILE_POLL_MS: 2000,
      MAX_CONNECTIONS: 2048,
      DRAIN_DELAY_MS: 250,
      DRAIN_IDLE_MS: 0,
      SHUTDOWN_TIMEOUT_MS: 10_000,
      STRICT: true,
      RATIO: 0.25,
      REGISTER: true,
      TOPIC: 'operations',
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each([
    ...[
      'API_TOKENS',
      'APITOKEN',
      'api_token',
      'API_TOKEN_FILE',
      'API_TOKN',
      'API_TOEKN',
      'API_TOKEM',
      'API_TTOKEN',
    ].map((name) => [name, 'API_TOKEN']),
    ['REGISTRIES', 'REGISTRY'],
    ['REGSTRY', 'REGISTRY'],
    ['TOKEN_API', 'API_TOKEN'],
    ['TRUSTED_PROXIES', 'TRUST_PROXY'],
    ['REQUIRE_TOKEN', 'TOKEN_REQUIRED'],
  ])('rejects %s, which looks like %s', (name, meant) => {
    const env = { TOPIC: 'operations', [name]: 'x'.repeat(16) };
    expect(violationsOf(env)).toEqual([`${name} is not a setting; did you mean ${meant}?`]);
    expect(violationsOf({ ...env, [name]: ' ' })).toEqual([]);
  });

  it('leaves variables of others alone', () => {
    const others = {
      HOSTS: 'a',
      PORTS: '1',
      HOSTNAME: 'a',
      NODE_ENV: 'test',
      API_TOKEN_COUNT: '1',
      REGISTRY_AUTH: 'a',
    };
    expect(violationsOf({ TOPIC: 'operations', ...others })).toEqual([]);
  });

  it('names every violation in one message', () => {
    expect(violationsOf({ PORT: 'abc', LOG_LEVEL: 'loud', STRICT: 'yes', MODE: 'full', RATIO: '2' })).toEqual(
      [
        'TOPIC is not set; it must be a string matching ^[a-z]+$',
        'PORT must be an integer at least 0 and at most 65535, not "abc"',
        'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"',
        'STRICT must be true or false, not "yes"',
        'MODE must be truncated, not "full"',
        'RATIO must be a number at most 1, not 2',
      ],
    );
  });

  it.each(['0x50', '1e3', '80.5', '-1', '99999', 'true'])('rejects %s as a port', (PORT) => {
    expect(violationsOf({ TOPIC: 'a', PORT })).toHaveLength(1);
  });

  it.each(['DRAIN_DELAY_MS', 'DRAIN_IDLE_MS'])('rejects a %s that lasts until a stop is forced', (name) => {
    const read = (value: string) =>
      readConfig(Type.Object(serviceEnv({ port: 0 })), { [name]: value }, shutdownViolations);
    expect(() => read('10000')).toThrow(`SHUTDOWN_TIMEOUT_MS must be longer than ${name}, or`);
    expect(read('9999')).toMatchObject({ [name]: 9_999 });
  });

  it('never shows a secret', () => {
    expect(shownSecrets(schema, (env) => readConfig(schema, { TOPIC: 'a', ...env }))).toEqual([]);
  });

  it.each([
    'registry:8081',
    'http://:8081',
    'http://host:99999',
    'https://a b',
    'ftp://host',
    'http://host/?a',
    'http://user:hunter2@host',
    'http://user@host',
    'https://bücher.example',
    'https://host\\path',
    'https://host/"',
  ])('rejects %s as a URL', (REGISTRY) => {
    expect(violationsOf({ TOPIC: 'a', REGISTRY })).toEqual([
      'REGISTRY must be an http:// or https:// URL in ASCII without a login or any of ?#',
    ]);
  });

  it.each(['http://host', 'https://[::1]:8081/path'])('takes %s as a URL', (REGISTRY) => {
    expect(readConfig(schema, { TOPIC: 'a', REGISTRY })).toMatchObject({ REGISTRY });
  });

  it.each(['INFO', 'info', 'Info'])('takes %s as a word', (LOG_LEVEL) => {
    expect(readConfig(schema, { TOPIC: 'a', LOG_LEVEL, MODE: 'TRUNCATED' })).toMatchObject({
      LOG_LEVEL: 'info',
      MODE: 'truncated',
    });
  });

  it('says nothing of what follows from an invalid variable', () => {
    expect(() =>
      readConfig(schema, { TOPIC: 'a', MODE: 'full' }, () => ['A is set, but MODE is not', 'B needs A']),
    ).toThrow(/configuration:\n  - MODE must be truncated, not "full"\n  - B needs A$/);
  });

  it('rejects variables that do nothing without another one', () => {
    expect(violationsOf({ TOPIC: 'a', REGISTER: 'false', RULES: 'all', STRICT: 'false' })).toEqual([
      'REGISTER is set, but REGISTRY is not',
      'RULES is set, but STRICT is not',
    ]);
    expect(violationsOf({ TOPIC: 'a', REGISTER: 'true', RULES: 'all', STRICT: 'true' })).toEqual([]);
    expect(violationsOf({ TOPIC: 'a', REGISTER: 'false', REGISTRY: 'http://host' })).toEqual([]);
  });

  it('names violations of single variables together with those that only a parser finds', () => {
    expect(() =>
      readConfig(schema, { TOPIC: 'a', PORT: 'abc' }, ({ PORT }) => [`checked with ${PORT}`]),
    ).toThrow('not "abc"\n  - checked with 3000');
  });

  it('asks for violations between variables', () => {
    expect(() => readConfig(schema, { TOPIC: 'a' }, () => ['A needs B', 'C excludes D'])).toThrow(
      'Invalid configuration:\n  - A needs B\n  - C excludes D',
    );
  });
});
