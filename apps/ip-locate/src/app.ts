import type { Address } from '@workspace/ip-addresses';
import type { Logger } from '@workspace/logging';
import {
  apiReference,
  type ClientAddressOf,
  type Clock,
  createDrain,
  createService,
  type Drain,
  livenessProbe,
  type Metrics,
  preflightRoute,
  type RateLimit,
  type RateLimitStore,
  type Readiness,
  readinessProbe,
  type Reloadable,
  type Service,
  type ServiceOptions,
  type Tracing,
  withProblemPages,
} from '@workspace/service-kit';
import type { HostNames } from './application/host-names.ts';
import type { Lookups, Option } from './extension-points.ts';
import { createLocate, createNetworkFacts } from './application/locate.ts';
import type { Precision } from './domain/precision.ts';
import type { FileRules } from './domain/access/rules-text.ts';
import type {
  AnonymousDatabase,
  AsnDatabase,
  FurtherDatabase,
  LocationDatabase,
  Overlay,
} from './application/location-database.ts';
import { logAddresses } from './http/address-log.ts';
import {
  API_KEY_SCHEMES,
  type ApiKeySettings,
  createApiKeyOf,
  createPrecisionsVary,
  type PrecisionOf,
} from './http/api-keys.ts';
import { PUBLIC_HEADERS } from './http/headers.ts';
import { LocationAnswers } from './http/lookup/location-answers.ts';
import { Lookup } from './http/lookup/lookup.ts';
import { quotaRoute } from './http/quota.ts';
import { Charges } from './http/rate-limit.ts';
import { type FieldName, fieldLists } from './http/lookup/fields.ts';
import { formatNames } from './http/lookup/formats/formats.ts';
import { LOCATION_PROBLEMS, renderProblem } from './http/problem.ts';
import { Access } from './http/auth/access.ts';
import { denialPage, isDenial } from './http/auth/denial.ts';
import { createGeoAnswer } from './http/auth/geo-answer.ts';
import { authRoute, withoutVisitorsPath } from './http/auth/route.ts';
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
  /** networks of the operator's own, which go before the databases */
  overlay?: Reloadable<Overlay> | undefined;
  /** who may pass, for proxies that ask; everyone when left out */
  accessRules?: Reloadable<FileRules> | undefined;
  /** looks up `hostname`, which is null when left out */
  hostNames?: HostNames | undefined;
  /** what an operator has to act on besides, by the name of the check */
  warnings?: (() => Readonly<Record<string, string>>) | undefined;
  /** counts the lookups of all instances; this one counts for itself when left out */
  rateLimitStore?: RateLimitStore | undefined;
  /** whether requests may be sent here */
  ready: () => Readiness;
  settings: Settings;
  options: readonly Option[];
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
  /** of locations, where no API key has another; all that the data has when left out */
  precision?: Precision | undefined;
  /** counts lookups; no limit when left out */
  rateLimit?: RateLimit;
  /** who may look up, and how much; no keys when left out */
  apiKeys?: ApiKeySettings;
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
  overlay,
  accessRules,
  hostNames,
  warnings,
  rateLimitStore,
  ready,
  settings,
  options,
  strictProblems,
}: AppDependencies): Service => {
  const { clientAddressOf, defaultFields, rateLimit, apiKeys, precision = 'full' } = settings;
  const databases = { locations, ...(operators && { operators }), further, anonymous, overlay };
  const { all: allFields, flags } = fieldLists(anonymous !== undefined);
  const lookup = new Lookup({ locate: createLocate(databases), hostNames, ...settings });
  const charges = new Charges({
    lookup,
    clock,
    limit: rateLimit,
    apiKeyOf: apiKeys && createApiKeyOf(apiKeys),
    answersVary: apiKeys && createPrecisionsVary(apiKeys),
    store: rateLimitStore,
  });
  const precisionOf: PrecisionOf = (request) => charges.keyOf(request)?.option ?? precision;
  const pages = new Pages({
    ...databases,
    lookup,
    precisionOf,
    version,
    allFields,
    withKeys: apiKeys !== undefined,
  });
  const app = createService({
    logger,
    drain,
    ...(metrics && { metrics }),
    tracing,
    strictProblems,
    // Caches may store nearly all answers.
    sendRequestIds: false,
    renderProblem: withProblemPages(renderProblem(settings.errorStatus), (problem, request) =>
      isDenial(problem) ? denialPage(problem, request) : pages.ofProblem(problem, request),
    ),
    fastify: {
      bodyLimit: 16_384,
      // Some proxies ask /auth with the visitor's whole head. One that they take must not be rejected here.
      http: { maxHeaderSize: 65_536 },
      rewriteUrl: ({ url = '' }) => withReadablePercents(withoutVisitorsPath(url, '/auth')),
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
    ...(apiKeys && { securitySchemes: API_KEY_SCHEMES }),
  });
  if (settings.logAddresses) logAddresses(app, clientAddressOf);

  const answers = new LocationAnswers({
    ...databases,
    ...settings,
    lookup,
    precisionOf,
    version,
    allFields,
  });
  const facts: LookupFacts = {
    withRateLimit: rateLimit !== undefined || apiKeys !== undefined,
    withErrorsAs200: settings.errorStatus === 200,
    apiKeys: apiKeys && (apiKeys.required ? 'required' : 'optional'),
  };
  const geoAnswer = createGeoAnswer({
    lookup,
    clock,
    precision,
    headerFields: allFields,
    networkFacts: createNetworkFacts(databases),
  });
  const access = new Access(accessRules, flags);
  const lookups: Lookups = {
    lookup,
    precisionOf,
    answers,
    pages,
    charge: charges.hooks,
    chargeLines: charges.lines,
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
  for (const { routes } of options) routes?.(app, lookups);
  authRoute(app, '/auth', { geoAnswer, access, defaultFields, allFields }); // and all paths below it
  const paths = options.flatMap((option) => option.paths ?? []);
  indexRoute(app, '/', { ...lookups, ...databases, pages, paths, version });
  quotaRoute(app, '/quota', { charges, facts });
  healthRoute(app, '/health', { ...databases, accessRules, warnings, clock, version });
  app.get('/health/live', livenessProbe());
  app.get('/health/ready', readinessProbe({ drain, ready }));
  preflightRoute(app, 'GET, HEAD, POST, OPTIONS');
  return app;
};
