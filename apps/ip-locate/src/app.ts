import type { Logger } from '@workspace/logging';
import {
  type ClientAddressOf,
  type Clock,
  createService,
  type Drain,
  type Metrics,
  openApiRoute,
  type RateLimit,
  type Reloadable,
  type Service,
  type Tracing,
} from '@workspace/service-kit';
import { createLocate } from './application/locate.ts';
import type { AsnDatabase, LocationDatabase } from './application/location-database.ts';
import { logAddresses } from './http/address-log.ts';
import { PUBLIC_HEADERS } from './http/headers.ts';
import { LocationAnswers } from './http/location-answers.ts';
import { Lookup } from './http/lookup.ts';
import { openApi } from './http/open-api.ts';
import { createCharge } from './http/rate-limit.ts';
import type { FieldName } from './http/representations/fields.ts';
import { renderProblem } from './http/representations/problem.ts';
import { authRoute } from './http/routes/auth.ts';
import { Batch, batchRoute } from './http/routes/batch.ts';
import { healthRoute } from './http/routes/health.ts';
import { indexRoute } from './http/routes/index.ts';
import {
  addressJsonRoute,
  addressViewRoute,
  callerJsonRoute,
  callerViewRoute,
} from './http/routes/locations.ts';
import { preflightRoute } from './http/routes/preflight.ts';
import { Query } from './http/schemas/query.ts';

/** What the service needs from outside. */
export interface AppDeps {
  logger: Logger;
  drain?: Drain;
  metrics?: Metrics;
  tracing?: Tracing | undefined;
  clock: Clock;
  version: string;
  locations: Reloadable<LocationDatabase>;
  operators?: Reloadable<AsnDatabase>;
  settings: Settings;
}

export interface Settings {
  clientAddressOf: ClientAddressOf;
  /** the fields of an answer when the request names none */
  defaultFields: readonly FieldName[];
  /** status of invalid and reserved addresses; 400 when left out */
  errorStatus?: number;
  cacheSeconds: number;
  cacheEntries: number;
  /** counts lookups; no limit when left out */
  rateLimit?: RateLimit;
  /** whether answers are logged, with addresses truncated to their network */
  logAddresses?: boolean;
}

/** The whole service, listening nowhere. */
export function buildApp({
  logger,
  drain,
  metrics,
  tracing,
  clock,
  version,
  locations,
  operators,
  settings,
}: AppDeps): Service {
  const { clientAddressOf, defaultFields, rateLimit } = settings;
  const app = createService({
    logger,
    ...(drain && { drain }),
    ...(metrics && { metrics }),
    tracing,
    // Caches may store nearly all answers.
    tellRequestIds: false,
    renderProblem: renderProblem(settings.errorStatus),
    fastify: {
      bodyLimit: 16_384,
      routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 64 },
    },
  });
  if (settings.logAddresses) logAddresses(app, clientAddressOf);

  const databases = { locations, ...(operators && { operators }) };
  const lookup = new Lookup({ locate: createLocate(databases), clientAddressOf });
  const charge = createCharge(lookup, rateLimit);
  const answers = new LocationAnswers({ ...databases, ...settings, lookup, version });
  const lookups = { lookup, answers, charge, clock, defaultFields };

  addressJsonRoute(app, '/:ip/json', lookups);
  addressJsonRoute(app, '/json/:ip', lookups);
  addressViewRoute(app, '/:ip/:view', lookups);
  callerJsonRoute(app, '/json', lookups);
  callerViewRoute(app, '/:view', lookups); // also `/:ip`
  batchRoute(app, '/batch', lookups);
  authRoute(app, '/auth', lookups);
  indexRoute(app, '/', { ...lookups, locations, version });
  healthRoute(app, '/health', { ...databases, clock, version });
  preflightRoute(app, '/*');
  const description = openApi({
    version,
    query: Query,
    batch: Batch,
    withRateLimit: rateLimit !== undefined,
    withErrorsAs200: settings.errorStatus === 200,
  });
  openApiRoute(app, description, PUBLIC_HEADERS); // /openapi.json
  return app;
}
