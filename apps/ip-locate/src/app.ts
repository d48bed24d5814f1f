import type { Address } from '@workspace/ip-addresses';
import type { Logger } from '@workspace/logging';
import { createDrain, type Drain } from '@workspace/http-connections';
import { apiReference } from '@workspace/api-reference';
import {
  createService,
  livenessProbe,
  preflightRoute,
  type Readiness,
  readinessProbe,
  type Service,
  type ServiceOptions,
  type Tracing,
} from '@workspace/service-kit';
import type { ClientAddressOf } from '@workspace/service-kit/client-address';
import { withProblemPages } from '@workspace/service-kit/problems';
import type { RateLimit, RateLimitStore } from '@workspace/service-kit/rate-limit';
import type { Clock, Metrics, Reloadable } from '@workspace/service-process';
import { type Lookups, onlyOne, type Opened } from './extension-points.ts';
import { createLocate, createNetworkFacts, FULL } from './application/locate.ts';
import type {
  AnonymousDatabase,
  AsnDatabase,
  FurtherDatabase,
  LocationDatabase,
} from './application/location-database.ts';
import { logAddresses } from './http/address-log.ts';
import { PUBLIC_HEADERS } from './http/headers.ts';
import { LocationAnswers } from './http/lookup/location-answers.ts';
import { Lookup } from './http/lookup/lookup.ts';
import { Charges, type PrecisionOf } from './http/rate-limit.ts';
import { type FieldName, fieldLists } from './http/lookup/fields.ts';
import { formatNames } from './http/lookup/formats/formats.ts';
import { LOCATION_PROBLEMS, renderProblem } from './http/problem.ts';
import { healthRoute } from './http/health.ts';
import { Pages } from './http/page/pages.ts';
import { indexRoute } from './http/page/route.ts';
import {
  addressFieldRoute,
  addressRoute,
  callerFieldRoute,
  callerRoute,
  withReadablePercents,
} from './http/lookup/routes.ts';
import type { LookupFacts } from './http/lookup/schemas.ts';

/** What the service needs from outside. */
export interface AppDependencies {
  logger: Logger;
  drain?: Drain;
  metrics?: Metrics;
  tracing?: Tracing | undefined;
  clock: Clock;
  version: string;
  locations: Reloadable<LocationDatabase>;
  operators?: Reloadable<AsnDatabase>;
  /** databases that stand behind the first one, in this order */
  further?: readonly Reloadable<FurtherDatabase>[];
  /** what addresses are used for, such as hosting; unknown, and no part of `all`, when left out */
  anonymous?: Reloadable<AnonymousDatabase> | undefined;
  /** counts the lookups of all instances; this one counts for itself when left out */
  rateLimitStore?: RateLimitStore | undefined;
  /** whether requests may be sent here */
  ready: () => Readiness;
  settings: Settings;
  /** what the options that are on give, in the order of `features.ts` */
  opened: readonly Opened[];
  strictProblems?: ServiceOptions['strictProblems'];
}

export interface Settings {
  clientAddressOf: ClientAddressOf;
  /** whether TRUST_PROXY lists an address; the error for a caller at such an address does not advise to list it */
  isTrustedProxy: (address: Address) => boolean;
  /** the fields of an answer when the request names none */
  defaultFields: readonly FieldName[];
  /** status of invalid and reserved addresses; 400 when left out */
  errorStatus?: number;
  cacheSeconds: number;
  /** counts lookups; no limit when left out */
  rateLimit?: RateLimit;
  /** whether answers are logged, with addresses truncated to their network */
  logAddresses?: boolean;
}

/** Every path of ip-locate but those of options, without a listener. */
export const buildApp = ({
  logger,
  drain = createDrain(),
  metrics,
  tracing,
  clock,
  version,
  locations,
  operators,
  further = [],
  anonymous,
  rateLimitStore,
  ready,
  settings,
  opened,
  strictProblems,
}: AppDependencies): Service => {
  const { clientAddressOf, defaultFields, rateLimit } = settings;
  const overlay = onlyOne(opened, 'overlay');
  const precisions = onlyOne(opened, 'precisions');
  const apiKeys = onlyOne(opened, 'apiKeys');
  const databases = { locations, ...(operators && { operators }), further, anonymous, overlay };
  const { all: allFields, flags } = fieldLists(anonymous !== undefined);
  const lookup = new Lookup({
    locate: createLocate(databases),
    hostNames: onlyOne(opened, 'hostNames'),
    ...settings,
  });
  const charges = new Charges({ lookup, clock, limit: rateLimit, apiKeys, store: rateLimitStore });
  const precision = precisions?.common ?? FULL;
  const precisionOf: PrecisionOf = (request) => {
    const name = charges.keyOf(request)?.option;
    return (name === undefined ? undefined : precisions?.named.get(name)) ?? precision;
  };
  const pages = new Pages({
    ...databases,
    lookup,
    precisionOf,
    version,
    clock,
    allFields,
    apiKeys,
    otherAddresses: onlyOne(opened, 'otherAddresses'),
  });
  const rewriteUrl = (url: string): string =>
    opened.reduce((rewritten, option) => option.rewriteUrl?.(rewritten) ?? rewritten, url);
  const app = createService({
    logger,
    drain,
    ...(metrics && { metrics }),
    tracing,
    strictProblems,
    // Caches may store nearly all answers.
    sendRequestIds: false,
    renderProblem: withProblemPages(renderProblem(settings.errorStatus), (problem, request) => {
      for (const { problemPage } of opened) {
        const page = problemPage?.(problem, request);
        if (page) return page;
      }
      return pages.ofProblem(problem, request);
    }),
    fastify: {
      bodyLimit: 16_384,
      // Some proxies ask /auth with the visitor's whole head. One that they take must not be rejected here.
      http: { maxHeaderSize: 65_536 },
      rewriteUrl: ({ url = '' }) => withReadablePercents(rewriteUrl(url)),
      routerOptions: {
        ignoreTrailingSlash: true,
        ignoreDuplicateSlashes: true,
        // Longer than the head of any request: what is too long for an address is an invalid address.
        maxParamLength: 16_384,
      },
    },
  });
  // /openapi.json, /openapi.yaml, /docs
  apiReference(app, {
    title: 'ip-locate',
    version,
    description:
      'Returns the location of an IP address, as ipapi.co does. Each path answers HEAD and OPTIONS, too; CORS is allowed. `/json/{ip}` is the same as `/{ip}/json`, and so are the other formats.',
    tags: [
      { name: 'locations', description: 'Where an address or the caller is.' },
      { name: 'service', description: 'The service itself.' },
    ],
    problemFormat: LOCATION_PROBLEMS,
    headers: PUBLIC_HEADERS,
    ...(apiKeys && { securitySchemes: apiKeys.schemes }),
  });
  if (settings.logAddresses) logAddresses(app, clientAddressOf);

  const answers = new LocationAnswers({
    ...databases,
    ...settings,
    lookup,
    precisionOf,
    version,
    allFields,
    withKeys: apiKeys !== undefined,
  });
  const facts: LookupFacts = {
    withRateLimit: rateLimit !== undefined || apiKeys !== undefined,
    withErrorsAs200: settings.errorStatus === 200,
    apiKeys,
  };
  const lookups: Lookups = {
    lookup,
    precisionOf,
    precision,
    networkFacts: createNetworkFacts(databases),
    flags,
    answers,
    pages,
    charge: charges.hooks,
    chargeLines: charges.lines,
    largestCharge: charges.largest,
    available: charges.available,
    clock,
    defaultFields,
    allFields,
    facts,
  };

  // json, csv, xml, yaml, jsonp
  for (const format of formatNames()) addressRoute(app, `/:ip/${format}`, format, lookups);
  for (const format of formatNames()) addressRoute(app, `/${format}/:ip`, format, lookups);
  addressFieldRoute(app, '/:ip/:field', lookups);
  for (const format of formatNames()) callerRoute(app, `/${format}`, format, lookups);
  callerFieldRoute(app, '/:name', lookups); // also an address
  for (const { routes } of opened) routes?.(app, lookups);
  const paths = opened.flatMap((option) => option.paths ?? []);
  indexRoute(app, '/', { ...lookups, ...databases, pages, paths, version });
  const others = opened.flatMap(({ checks = [] }) => checks);
  healthRoute(app, '/health', { ...databases, others, clock, version });
  app.get('/health/live', livenessProbe('pass', PUBLIC_HEADERS));
  app.get('/health/ready', readinessProbe({ drain, ready }, PUBLIC_HEADERS));
  preflightRoute(app, 'GET, HEAD, POST, OPTIONS');
  return app;
};
