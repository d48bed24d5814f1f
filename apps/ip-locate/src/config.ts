import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import {
  clientAddressEnv,
  clientAddressViolations,
  proxyProtocolEnv,
  proxyProtocolViolations,
} from '@workspace/service-kit/client-address';
import { rateLimitEnv, rateLimitViolations } from '@workspace/service-kit/rate-limit';
import { serviceEnv, shutdownViolations, telemetryEnv } from '@workspace/service-process';
import { parseDatabaseList } from './domain/database-list.ts';

/** The environment of ip-locate; the table in docs/settings.md is checked against it. */
export const Config = Type.Object({
  ...serviceEnv({ port: 3002 }),
  DATABASE_PATH: Type.Optional(
    Type.String({
      description:
        'City, Enterprise or Country database in MaxMind format, or two comma-separated files, one per address family; more databases may follow after semicolons; the bundled DB-IP Lite when unset',
    }),
  ),
  ASN_DATABASE_PATH: Type.Optional(
    Type.String({
      description:
        'ASN database in MaxMind format, for `asn` and `org`; the bundled one of RouteViews and DB-IP when unset',
    }),
  ),
  STRIP_DISTRICTS: Type.Boolean({
    default: false,
    description: 'remove the district that DB-IP adds to one of five city names: `San Jose (Tasman)`',
  }),
  ...clientAddressEnv,
  ...proxyProtocolEnv,
  DEFAULT_FIELDS: Type.Optional(
    Type.String({
      description:
        'fields of an answer when the request names none, separated by commas, or `all`; the eight fields of the npm client `ipapi.co` when unset',
    }),
  ),
  ERROR_STATUS: Type.Optional(
    Type.Literal(200, {
      description:
        '`200` answers invalid and reserved addresses with status 200, as ipapi.co does; the page keeps 400',
    }),
  ),
  CACHE_SECONDS: Type.Integer({
    default: 3600,
    minimum: 0,
    maximum: 31_536_000,
    description: 'how long others may store the answer for a named address',
  }),
  ...rateLimitEnv('lookups'),
  LOG_ADDRESSES: Type.Optional(
    Type.Literal('truncated', {
      description:
        '`truncated` logs every answer with the caller’s and the requested address, truncated to /24 or, for IPv6, /48; no address is ever logged when unset',
    }),
  ),
  ...telemetryEnv,
});
export type Config = Static<typeof Config>;

/** Variables as the process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What an option adds to the environment. It sees the settings of the core and its own, and no other's. */
export interface OptionSettings<Own extends TProperties = TProperties> {
  readonly settings?: Own;
  /** what the settings' types do not check, one sentence each */
  violations?(config: Config & Static<TObject<Own>>, env: Environment): readonly string[];
}

/** The schema of the whole environment: settings of the core and of options. */
export const settingsOf = (options: readonly OptionSettings[]): TObject =>
  Type.Object({ ...Config.properties, ...Object.assign({}, ...options.map(({ settings }) => settings)) });

const databaseViolations = ({ DATABASE_PATH: text }: Config): string[] =>
  parseDatabaseList(text)
    .slice(1)
    .some((files) => files.length === 0)
    ? ['DATABASE_PATH has nothing after a semicolon']
    : [];

/** Violations that the schema cannot express. */
export const configViolations = (
  config: Config,
  options: readonly OptionSettings[] = [],
  env: Environment = {},
): string[] => [
  ...databaseViolations(config),
  ...shutdownViolations(config),
  ...clientAddressViolations(config),
  ...proxyProtocolViolations(config),
  ...rateLimitViolations(config),
  ...options.flatMap((option) => option.violations?.(config, env) ?? []),
];
