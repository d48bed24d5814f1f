import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import {
  clientAddressEnv,
  clientAddressViolations,
  proxyProtocolEnv,
  proxyProtocolViolations,
} from '@workspace/service-kit/client-address';
import { httpUrl, serviceEnv, shutdownViolations, telemetryEnv } from '@workspace/service-process';

const text = (value: string, description: string) => Type.String({ default: value, description });

/** The environment of release-web. */
export const Config = Type.Object({
  ...serviceEnv({ port: 3001 }),
  DATA_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'folder with the release data; the data built into the service when unset',
    }),
  ),
  DATA_CACHE_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'folder in which the last valid data is kept, for a start while the data is invalid; without it such a start answers 503',
    }),
  ),
  DATA_STALE_DAYS: Type.Integer({
    minimum: 1,
    default: 30,
    description:
      'days without new facts after which pages, `/health` (`warn`) and the header `x-stale-data` say that newer releases may exist',
  }),
  PUBLIC_BASE_URL: Type.Optional({
    ...httpUrl(
      'URL at which the public reaches the service, without a path, for redirects and links; never taken from `Host`. When unset, links begin with `http://localhost:<PORT>` and redirects are relative',
    ),
    // Pages and data have links to paths such as `/releases/`.
    pattern: '^[^/]*//[^/?#]*/*$',
    without: '?# or a path',
  }),
  PRE_RELEASE_SHAPE: Type.Union([Type.Literal('records'), Type.Literal('keyed')], {
    default: 'records',
    description: 'shape of /pre-release-builds.php: `records`, or `keyed` as php.net answers',
  }),
  WEBSUB_HUB: Type.Optional(
    httpUrl(
      'URL of a WebSub hub, which the feeds name; after a publication, notify it with `release-data announce`',
      '#',
    ),
  ),
  MIRROR_HOSTNAME: text('localhost', 'field 9 of /mirror-info.php'),
  MIRROR_ADDRESS: text('127.0.0.1', 'field 10 of /mirror-info.php'),
  // For the shares of clients: what is answered depends on no address.
  TRUST_PROXY: clientAddressEnv.TRUST_PROXY,
  ...proxyProtocolEnv,
  ...telemetryEnv,
});
export type Config = Static<typeof Config>;

/** Violations that the schema cannot express. */
export const configViolations = (config: Config): string[] => [
  ...shutdownViolations(config),
  ...clientAddressViolations(config),
  ...proxyProtocolViolations(config),
];

/** The folder of the data: `DATA_DIR`, else `data/` beside the built main.js, or in the project when run from src/. */
export const dataFolder = ({ DATA_DIR }: Config, mainFolder: string): string =>
  DATA_DIR ?? (mainFolder.endsWith('src') ? join(mainFolder, '..', 'data') : join(mainFolder, 'data'));
