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
} from '@workspace/service-kit';
import type { Locator, OperatorFinder } from './domain/locator.ts';
import { logAddresses } from './routes/address-log.ts';
import { Answers } from './routes/answers.ts';
import { authRoutes } from './routes/auth.ts';
import { Batch, batchRoutes } from './routes/batch.ts';
import { healthRoutes } from './routes/health.ts';
import { indexRoutes } from './routes/index-page.ts';
import { locationRoutes } from './routes/locations.ts';
import { Lookup } from './routes/lookup.ts';
import { preflightRoutes } from './routes/preflight.ts';
import { Query } from './routes/query.ts';
import { createCharge } from './routes/rate-limit.ts';
import { PUBLIC_HEADERS } from './views/headers.ts';
import { openApi } from './views/open-api.ts';
import { renderProblem } from './views/problem.ts';

/** What the service needs from outside. */
export interface AppDeps {
  logger: Logger;
  drain?: Drain;
  metrics?: Metrics;
  clock: Clock;
  version: string;
  cities: Reloadable<Locator>;
  operators?: Reloadable<OperatorFinder>;
  settings: Settings;
}

export interface Settings {
  clientAddressOf: ClientAddressOf;
  errorStatus?: number;
  cacheSeconds: number;
  cacheEntries: number;
  /** counts lookups; no limit when left out */
  rateLimit?: RateLimit;
  /** whether answers are logged, with addresses cut to their network */
  logAddresses?: boolean;
}

/** The whole service, listening nowhere. */
export function buildApp({
  logger,
  drain,
  metrics,
  clock,
  version,
  cities,
  operators,
  settings,
}: AppDeps): Service {
  const app = createService({
    logger,
    ...(drain && { drain }),
    ...(metrics && { metrics }),
    // Nearly all answers may be stored by caches.
    tellRequestIds: false,
    renderProblem: renderProblem(settings.errorStatus),
    fastify: {
      bodyLimit: 16_384,
      routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 64 },
    },
  });
  const data = { cities, ...(operators && { operators }), clock, version };
  const lookup = new Lookup({ ...data, ...settings });
  const answers = new Answers({ ...data, ...settings, lookup });

  if (settings.logAddresses) logAddresses(app, lookup);
  const charge = createCharge({ lookup, clock, limit: settings.rateLimit });
  const charging = charge ? { charge } : {};

  indexRoutes(app, { ...data, lookup });
  healthRoutes(app, data);
  authRoutes(app, { lookup });
  batchRoutes(app, { lookup, ...charging });
  const description = openApi({
    version,
    query: Query,
    batch: Batch,
    withRateLimit: settings.rateLimit !== undefined,
    withErrorsAs200: settings.errorStatus === 200,
  });
  openApiRoute(app, description, PUBLIC_HEADERS);
  preflightRoutes(app);
  locationRoutes(app, { answers, ...charging });
  return app;
}
