import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import {
  clientAddressEnv,
  clientAddressViolations,
  proxyProtocolEnv,
  proxyProtocolViolations,
  rateLimitEnv,
  rateLimitViolations,
  serviceEnv,
  shutdownViolations,
  telemetryEnv,
} from '@workspace/service-kit';
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
  ANONYMOUS_DATABASE_PATH: Type.Optional(
    Type.String({
      description:
        'files that say what addresses are used for, such as hosting or Tor, separated by commas: GeoIP2-Anonymous-IP, or what `ip-locate-data` makes of published lists; unknown when unset',
    }),
  ),
  OVERLAY_PATH: Type.Optional(
    Type.String({
      description:
        'CSV file of networks of your own, private ones included, which take precedence over the databases; read again when it changes and on SIGHUP; none when unset',
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
  GEO_RULES: Type.Optional(
    Type.String({
      description:
        'file of rules that admit or deny the callers of `/auth`, and perhaps, after commas, files of networks that the rules name; read again when one changes and on SIGHUP; no rules when unset',
    }),
  ),
  ERROR_STATUS: Type.Optional(
    Type.Literal(200, {
      description: '`200` answers invalid and reserved addresses with status 200, as ipapi.co does',
    }),
  ),
  PRECISION: Type.Optional(
    Type.Union([Type.Literal('country'), Type.Literal('region'), Type.Literal('city')], {
      description:
        'most precise part of a location in answers: `country`, `region` or `city`; API keys may have another; everything in the data when unset',
    }),
  ),
  CACHE_SECONDS: Type.Integer({
    default: 3600,
    minimum: 0,
    maximum: 31_536_000,
    description: 'how long others may store the answer for a named address',
  }),
  ...rateLimitEnv('lookups'),
  API_KEYS_FILE: Type.Optional(
    Type.String({
      description:
        'file with a line `name:<SHA-256 of the key in hex>` for each API key, and perhaps a limit of its own such as `5000/hour`, and a precision; read again when it changes and on SIGHUP; no keys when unset',
    }),
  ),
  API_KEY_REQUIRED: Type.Boolean({
    default: false,
    description: 'whether lookups need an API key',
  }),
  LOG_ADDRESSES: Type.Optional(
    Type.Literal('truncated', {
      description:
        '`truncated` logs every answer with the caller’s and the requested address, truncated to /24 or, for IPv6, /48; no address is ever logged when unset',
    }),
  ),
  ...telemetryEnv,
});
export type Config = Static<typeof Config>;

/** What an option says of the environment. */
export interface OptionSettings {
  readonly settings?: TProperties;
  /** what the settings' types do not check, one sentence each */
  violations?(config: Config): readonly string[];
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

/** Variables that can only be meant for rules, under any name but GEO_RULES: without them, everyone would be admitted. */
export const ruleSettingViolations = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env)
    .filter((name) =>
      /^(?:IP_LOCATE_|GEO_?|AUTH_?|ACCESS_?)+(?:RULES?|ALLOW|DENY)(?:_?(?:FILES?|PATHS?))?$/i.test(name),
    )
    .filter((name) => name !== 'GEO_RULES' && env[name]?.trim())
    .map((name) => `${name} is not a setting; a file of rules is named by GEO_RULES`);

/** Violations that the schema cannot express. */
export const configViolations = (config: Config, options: readonly OptionSettings[] = []): string[] => [
  ...databaseViolations(config),
  ...shutdownViolations(config),
  ...clientAddressViolations(config),
  ...proxyProtocolViolations(config),
  ...rateLimitViolations(config),
  ...(config.API_KEY_REQUIRED && config.API_KEYS_FILE === undefined
    ? ['API_KEY_REQUIRED needs API_KEYS_FILE']
    : []),
  ...options.flatMap((option) => option.violations?.(config) ?? []),
];
