import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import {
  clientAddressEnv,
  clientAddressViolations,
  proxyProtocolEnv,
  proxyProtocolViolations,
} from '@workspace/service-kit/client-address';
import { readConfig, serviceEnv, shutdownViolations, telemetryEnv } from '@workspace/service-process';
import { parseAddress } from '@workspace/ip-addresses';
import { isLoopback } from './domain/loopback.ts';
import { count, milliseconds, TOPIC_NAME } from './settings.ts';

/** The environment of the core: each option has its own. Each default has its only home here. */
export const Config = Type.Object({
  ...serviceEnv({ port: 3000 }),
  KAFKA_BOOTSTRAP_SERVERS: Type.String({
    default: 'localhost:9092',
    description: 'brokers to connect to first, comma-separated `host:port` or `[IPv6 address]:port`',
  }),
  KAFKA_TOPIC: Type.String({
    default: 'operations',
    pattern: TOPIC_NAME,
    description: 'topic that submissions are written to',
  }),
  KAFKA_CLIENT_ID: Type.String({
    default: 'ops-intake',
    minLength: 1,
    description: 'client name in the broker’s logs and quotas',
  }),
  KAFKA_CREATE_TOPIC: Type.Boolean({
    default: true,
    description:
      'create the topic when it is missing at the start; set false where topics are managed elsewhere',
  }),
  KAFKA_TOPIC_PARTITIONS: Type.Integer({
    default: -1,
    minimum: -1,
    maximum: 10_000,
    description: 'partitions of a topic that the service creates; -1 means the broker’s default',
  }),
  KAFKA_TOPIC_REPLICATION_FACTOR: Type.Integer({
    default: -1,
    minimum: -1,
    maximum: 100,
    description: 'replicas of a topic that the service creates; -1 means the broker’s default',
  }),
  KAFKA_CONNECTION_TIMEOUT_MS: milliseconds(1_000, 'milliseconds for a connection to a broker to open'),
  KAFKA_REQUEST_TIMEOUT_MS: milliseconds(
    1_000,
    'milliseconds for one request to a broker to be answered',
    100,
  ),
  KAFKA_DELIVERY_TIMEOUT_MS: milliseconds(
    30_000,
    'milliseconds in which a batch is sent again until Kafka confirms or rejects it, also after its clients were answered',
  ),
  KAFKA_PROBE_INTERVAL_MS: milliseconds(
    2_000,
    'milliseconds between two probes of the topic for /health',
    100,
  ),
  BODY_LIMIT_BYTES: count(1_048_576, 'maximum size of a body, compressed and uncompressed', 104_857_600),
  BODIES_BYTES: count(
    33_554_432,
    'maximum bytes of bodies that are received or processed at once, each with 8 KiB for its request; an eighth is left to bodies up to 16 KiB, unless the largest body needs it; at least BODY_LIMIT_BYTES',
    17_179_869_184,
  ),
  MAX_OPERATIONS: count(10_000, 'maximum number of operations in one submission'),
  MAX_MESSAGE_BYTES: count(
    900_000,
    'maximum size of a record’s value; keep it 100 kB below the topic’s `max.message.bytes`',
    104_857_600,
  ),
  MAX_FRACTION_DIGITS: Type.Integer({
    default: 8,
    minimum: 0,
    maximum: 15,
    description: 'maximum fraction digits of a unit cost',
  }),
  QUEUE_RECORDS: count(10_000, 'maximum number of submissions waiting for Kafka'),
  QUEUE_BYTES: count(67_108_864, 'maximum bytes waiting for Kafka', 17_179_869_184),
  BATCH_BYTES: count(900_000, 'maximum bytes in one batch of up to 500 submissions', 104_857_600),
  DEADLINE_MS: milliseconds(
    5_000,
    'milliseconds after which a submission is answered with what is known by then',
    100,
  ),
  STATUS_WINDOW_MS: Type.Integer({
    default: 3_600_000,
    minimum: 1_000,
    maximum: 2_592_000_000,
    description:
      'milliseconds, back from now, in which the topic is searched for a submission with a key that the store does not know',
  }),
  STATUS_READ_BYTES: count(
    134_217_728,
    'maximum bytes of the topic read to find one submission',
    17_179_869_184,
  ),
  STATUS_TIMEOUT_MS: milliseconds(3_000, 'milliseconds that one such search may take', 100),
  IDEMPOTENCY_KEY_REQUIRED: Type.Boolean({
    default: false,
    description: 'reject submissions without an Idempotency-Key',
  }),
  IDEMPOTENCY_TTL_MS: Type.Integer({
    default: 86_400_000,
    minimum: 1_000,
    maximum: 2_592_000_000,
    description: 'milliseconds that the answer to an Idempotency-Key is remembered',
  }),
  IDEMPOTENCY_ENTRIES: count(100_000, 'maximum number of answers remembered in memory, about 220 bytes each'),
  SEQUENCES: Type.Boolean({
    default: false,
    description:
      'check the number in `Sequence`: those of a Partition-Key have to follow each other, without gaps and repeats',
  }),
  SEQUENCE_TTL_MS: Type.Integer({
    default: 604_800_000,
    minimum: 1_000,
    maximum: 2_592_000_000,
    description:
      'milliseconds after its last number that a Partition-Key’s next one is remembered; after that it may be any',
  }),
  ALLOW_ANONYMOUS: Type.Boolean({
    default: false,
    description:
      'everyone who reaches the port may submit: start without authentication although HOST is not loopback, and on loopback accept any host name and origin',
  }),
  ...clientAddressEnv,
  ...proxyProtocolEnv,
  REQUEST_TIMEOUT_MS: milliseconds(
    30_000,
    'milliseconds for a whole request to arrive; a slower one gets 408',
    100,
  ),
  ...telemetryEnv,
});
export type Config = Static<typeof Config>;

/** Kafka's clients take, and ignore, the protocol of a listener before an address. */
export const PROTOCOL = /^([A-Za-z_]+):\/\//;

/** The entries of KAFKA_BOOTSTRAP_SERVERS; an empty one is none, as for Kafka's own clients. */
export const bootstrapEntries = (config: Pick<Config, 'KAFKA_BOOTSTRAP_SERVERS'>): string[] =>
  config.KAFKA_BOOTSTRAP_SERVERS.split(',')
    .map((server) => server.trim())
    .filter(Boolean);

/** The brokers to ask first, as `host:port`. */
export const brokersOf = (config: Pick<Config, 'KAFKA_BOOTSTRAP_SERVERS'>): string[] =>
  bootstrapEntries(config).map((server) => server.replace(PROTOCOL, ''));

/**
 * How long a claim on an Idempotency-Key holds: longer than a submission can wait, be sent again, and be on its way to a
 * broker that was asked last.
 */
export const idempotencyLeaseMs = (config: Config): number =>
  config.DEADLINE_MS + config.KAFKA_DELIVERY_TIMEOUT_MS + config.KAFKA_REQUEST_TIMEOUT_MS;

/** How old a record can be when it is sent for the last time: a request timeout less than the lease. */
export const recordAgeMs = (config: Config): number => config.DEADLINE_MS + config.KAFKA_DELIVERY_TIMEOUT_MS;

const BROKER = /^(?:[\w.-]+|\[([^\]]+)\]):(\d{1,5})$/;

/** Perhaps with a zone, as of a link-local address: `fe80::1%eth0`. */
const isIPv6 = (text: string): boolean => parseAddress(text.split('%', 1)[0]!)?.family === 6;

const isBroker = (server: string): boolean => {
  const [, address, port] = BROKER.exec(server) ?? [];
  return Number(port) > 0 && Number(port) < 65_536 && (address === undefined || isIPv6(address));
};

const bootstrapViolations = (config: Config): string[] => {
  const name = 'KAFKA_BOOTSTRAP_SERVERS';
  const entries = bootstrapEntries(config);
  const invalid = brokersOf(config).flatMap((server, index) => (isBroker(server) ? [] : [index + 1]));
  if (entries.length === 0 || invalid.length > 0) {
    const which = entries.length === 0 ? 'it lists none' : `entry ${invalid.join(', ')} is not`;
    return [`${name} must list host:port or [IPv6 address]:port, separated by commas; ${which}`];
  }
  return [];
};

/** What an option adds to the environment. It sees the settings of the core and its own, and no other's. */
export interface OptionSettings<Own extends TProperties = TProperties> {
  readonly settings: Own;
  /** settings by any of which clients authenticate */
  readonly credentials?: readonly (keyof Own & string)[];
  /** what the settings' types do not check, one sentence each */
  violations?(config: Config & Static<TObject<Own>>, facts: SettingFacts): readonly string[];
}

/** What the options together say of the environment. */
export interface SettingFacts {
  /** whether clients have to authenticate */
  readonly isAuthenticated: boolean;
  /** every setting by which they could */
  readonly credentials: readonly string[];
}

/** The schema of the whole environment. */
export const settingsOf = (options: readonly OptionSettings[]): TObject =>
  Type.Object(
    Object.assign({}, Config.properties, ...options.map(({ settings }) => settings)) as TProperties,
  );

/** Violations that only several variables together, or a closer look, can show. */
export const violationsOf =
  (options: readonly OptionSettings[]) =>
  (all: object): readonly string[] => {
    const config = all as Config & Readonly<Record<string, unknown>>;
    const credentials = options.flatMap((option) => option.credentials ?? []);
    const facts = { credentials, isAuthenticated: credentials.some((name) => config[name]) };
    return [
      ...configViolations(config, facts),
      ...options.flatMap((option) => option.violations?.(config, facts) ?? []),
    ];
  };

/**
 * The whole environment: settings of the core and of options, which read theirs from the same object.
 * @throws ConfigError naming every violation
 */
export const readSettings = (
  options: readonly OptionSettings[],
  env: Readonly<Record<string, string | undefined>>,
): Config => readConfig(settingsOf(options), env, violationsOf(options)) as Config;

const configViolations = (config: Config, facts: SettingFacts): string[] => {
  const violations: string[] = [];
  violations.push(...bootstrapViolations(config));
  for (const name of ['KAFKA_TOPIC_PARTITIONS', 'KAFKA_TOPIC_REPLICATION_FACTOR'] as const) {
    if (config[name] === 0) violations.push(`${name} must be -1 or at least 1, not 0`);
  }
  if (!config.ALLOW_ANONYMOUS && !facts.isAuthenticated && !isLoopback(config.HOST)) {
    const ways = facts.credentials.length === 0 ? '' : `one of ${facts.credentials.join(', ')}, or `;
    violations.push(
      `HOST lets other machines submit, and clients need no credentials: set ${ways}ALLOW_ANONYMOUS=true`,
    );
  }
  const leaseMs = idempotencyLeaseMs(config);
  if (config.IDEMPOTENCY_TTL_MS < leaseMs) {
    violations.push(
      `IDEMPOTENCY_TTL_MS must be at least ${leaseMs}, as long as a submission can be on its way (DEADLINE_MS and the KAFKA_…_TIMEOUT_MS), or the store would forget keys in flight`,
    );
  }
  if (config.SEQUENCES && config.SEQUENCE_TTL_MS < leaseMs) {
    violations.push(
      `SEQUENCE_TTL_MS must be at least ${leaseMs}, as long as a submission can be on its way (DEADLINE_MS and the KAFKA_…_TIMEOUT_MS)`,
    );
  }
  violations.push(...shutdownViolations(config));
  violations.push(...clientAddressViolations(config), ...proxyProtocolViolations(config));
  const leasts = [
    ['BODIES_BYTES', 'BODY_LIMIT_BYTES'],
    ['QUEUE_BYTES', 'MAX_MESSAGE_BYTES'],
  ] as const;
  for (const [name, least] of leasts) {
    if (config[name] < config[least])
      violations.push(`${name} must not be less than ${least}, or the largest submission is never taken`);
  }
  if (config.DEADLINE_MS >= config.SHUTDOWN_TIMEOUT_MS) {
    violations.push('SHUTDOWN_TIMEOUT_MS must be longer than DEADLINE_MS, or accepted requests are cut off');
  }
  return violations;
};
