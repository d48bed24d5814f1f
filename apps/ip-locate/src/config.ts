import { type Static, Type } from '@sinclair/typebox';
import {
  clientAddressEnv,
  clientAddressViolations,
  rateLimitEnv,
  rateLimitViolations,
  serviceEnv,
} from '@workspace/service-kit';

/** The environment of ip-locate; README's table is checked against it. */
export const Config = Type.Object({
  ...serviceEnv({ port: 3002 }),
  DATABASE_PATH: Type.Optional(
    Type.String({
      description:
        'MaxMind-format City or Enterprise file, or two comma-separated files, one a family; the bundled DB-IP Lite when unset',
    }),
  ),
  ASN_DATABASE_PATH: Type.Optional(
    Type.String({ description: 'MaxMind-format ASN file; without it `asn` and `org` are null' }),
  ),
  DATABASE_POLL_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description: 'seconds between two looks at the files; SIGHUP looks at once',
  }),
  STRIP_DISTRICTS: Type.Boolean({
    default: false,
    description:
      'leaves out the district DB-IP puts in brackets behind one of five cities: `San Jose (Tasman)`',
  }),
  ...clientAddressEnv,
  ERROR_STATUS: Type.Optional(
    Type.Integer({
      minimum: 200,
      maximum: 200,
      description: '200 answers invalid and reserved addresses with status 200, as ipapi.co does',
    }),
  ),
  CACHE_SECONDS: Type.Integer({
    default: 3600,
    minimum: 0,
    maximum: 31_536_000,
    description: 'max-age of answers for a named address',
  }),
  CACHE_ENTRIES: Type.Integer({
    default: 100_000,
    minimum: 1,
    maximum: 10_000_000,
    description: 'answers kept ready in memory, 300 to 500 bytes each',
  }),
  ...rateLimitEnv('lookups'),
  LOG_ADDRESSES: Type.Optional(
    Type.Literal('truncated', {
      description:
        '`truncated` logs a line an answer, with the caller and the address asked for cut to /24 or, IPv6, /48; unset, no address is ever logged',
    }),
  ),
});
export type Config = Static<typeof Config>;

/** Violations that the schema cannot express. */
export const configViolations = (config: Config): string[] => [
  ...clientAddressViolations(config),
  ...rateLimitViolations(config),
];
