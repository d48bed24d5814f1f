import { Type } from '@sinclair/typebox';
import { LOG_LEVELS } from '@workspace/logging';
import { Port } from '@workspace/schemas';

/** The variables every service reads, to be spread into its own schema: `Type.Object({ ...serviceEnv({ port: 3000 }), … })`. */
export const serviceEnv = ({ port }: { port: number }) => ({
  PORT: Type.Integer({
    ...Port,
    default: port,
    description: 'port of the public listener; 0 chooses a free one',
  }),
  HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'address of the public listener; images set 0.0.0.0',
  }),
  LOG_LEVEL: Type.Union(
    LOG_LEVELS.map((level) => Type.Literal(level)),
    { default: 'info', description: 'minimum log level' },
  ),
  MANAGEMENT_PORT: Type.Optional(
    Type.Integer({
      ...Port,
      description:
        'port of the management listener: /health/live, /health/ready, /metrics, /version; off when unset',
    }),
  ),
  MANAGEMENT_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'address of the management listener',
  }),
  FILE_POLL_MS: Type.Integer({
    default: 2_000,
    minimum: 50,
    maximum: 3_600_000,
    description:
      'milliseconds between two checks of the files that the service watches; SIGHUP reads them at once',
  }),
  MAX_CONNECTIONS: Type.Integer({
    default: 2_048,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'maximum number of open connections to the public listener; more are closed at once, and one client has half of them at most',
  }),
  DRAIN_DELAY_MS: Type.Integer({
    default: 250,
    minimum: 0,
    maximum: 60_000,
    description: 'milliseconds from SIGTERM, when the service becomes unready, until its port closes',
  }),
  DRAIN_IDLE_MS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 60_000,
    description:
      'milliseconds from SIGTERM for which a connection without a request stays open; longer than a proxy keeps idle connections',
  }),
  SHUTDOWN_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 1,
    maximum: 300_000,
    description: 'milliseconds after which a shutdown is forced, with exit code 1',
  }),
});

/** What the schema of `serviceEnv` cannot check: one sentence for each violation, for `readConfig`. */
export const shutdownViolations = (config: ServiceConfig): string[] =>
  (['DRAIN_DELAY_MS', 'DRAIN_IDLE_MS'] as const)
    .filter((name) => config[name] >= config.SHUTDOWN_TIMEOUT_MS)
    .map((name) => `SHUTDOWN_TIMEOUT_MS must be longer than ${name}, or a stop is cut off, with exit code 1`);

/** What `run` needs of a service's configuration. */
export interface ServiceConfig {
  PORT: number;
  HOST: string;
  MANAGEMENT_PORT?: number;
  MANAGEMENT_HOST: string;
  MAX_CONNECTIONS: number;
  TRUST_PROXY?: string;
  PROXY_PROTOCOL?: boolean;
  DRAIN_DELAY_MS: number;
  DRAIN_IDLE_MS: number;
  SHUTDOWN_TIMEOUT_MS: number;
}
