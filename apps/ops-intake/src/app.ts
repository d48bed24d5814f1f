import type { Logger } from '@workspace/logging';
import type { Drain } from '@workspace/http-connections';
import { apiReference } from '@workspace/api-reference';
import {
  createService,
  livenessProbe,
  readinessProbe,
  type Service,
  type ServiceOptions,
  type Tracing,
  standardProblemFormat,
} from '@workspace/service-kit';
import { createClientAddress } from '@workspace/service-kit/client-address';
import {
  plainPage,
  plainProblemPage,
  renderProblemJson,
  withProblemPages,
} from '@workspace/service-kit/problems';
import type { Clock, Metrics, Timers } from '@workspace/service-process';
import { watchAcceptance } from './application/acceptance-watch.ts';
import type { IdempotencyStore } from './application/idempotency-store.ts';
import { mayHaveForgotten } from './application/log-lookup.ts';
import { createFindSubmission } from './application/find-submission.ts';
import { BUILT_IN_SCHEMA } from './application/operation-schema.ts';
import type { OperationLog } from './application/operation-log.ts';
import { shareQueue } from './application/queue-shares.ts';
import type { RecordSearch } from './application/record-search.ts';
import { SubmissionsInFlight } from './application/submissions-in-flight.ts';
import { createSubmitOperations } from './application/submit-operations.ts';
import { brokersOf, type Config, idempotencyLeaseMs, recordAgeMs } from './config.ts';
import { allOf, onlyOne, type OnProblem, type Opened } from './extension-points.ts';
import type { FailureCause } from './domain/acceptance.ts';
import type { FillRandomly } from './domain/randomness.ts';
import { type AdmissionOptions, beforeLookup, clientsOf, queueFull } from './http/admission/admission.ts';
import { createAuthentication } from './http/admission/authentication.ts';
import { acceptOnlyLoopbackNames } from './http/admission/loopback-names.ts';
import { asyncApiDocument, recordSchema } from './http/contract/async-api.ts';
import { healthOf } from './http/health/health-body.ts';
import { type BodyOptions, createBodyBudget, takeJsonAsBytes } from './http/submit/request-body.ts';
import { health } from './http/health/health-route.ts';
import { readSubmissionRoute } from './http/status/read-submission.ts';
import { asyncApiJsonRoute, asyncApiYamlRoute, recordSchemaRoute } from './http/contract/contract-routes.ts';
import { submitCommand } from './http/submit/example-request.ts';
import { rejectedRequest } from './http/submit/answered-problem.ts';
import { submitOperationsRoute, type Submitting } from './http/submit/submit-route.ts';
import { readSubmissionSchema } from './http/status/read-submission-schema.ts';
import { plainSubmissionReader, submissionReader } from './http/submit/submission-body.ts';
import { SequencedProblem, SubmissionProblem } from './http/submit/submit-schema.ts';

export interface AppDependencies {
  config: Config;
  log: OperationLog;
  store: IdempotencyStore;
  /** searches the log for submissions */
  search: RecordSearch;
  /** what the options that are on give, in the order of `features.ts` */
  opened?: readonly Opened[] | undefined;
  logger: Logger;
  clock: Clock;
  timers: Timers;
  fillRandomly: FillRandomly;
  drain: Drain;
  version: string;
  metrics?: Metrics;
  tracing?: Tracing | undefined;
  /** called with the number of operations of each submission that was newly accepted */
  onAccepted?: (operations: number) => void;
  /** called for each submission that failed by no fault of its client */
  onFailed?: (cause: FailureCause) => void;
  strictProblems?: ServiceOptions['strictProblems'];
}

/** The whole service without its process: every path, no I/O of its own. Who opened the adapters closes them. */
export const buildApp = (dependencies: AppDependencies): Service => {
  const { config, store, search, logger, clock, drain, version, metrics, tracing, onAccepted } = dependencies;
  const { timers, fillRandomly, opened = [] } = dependencies;
  const log = shareQueue(
    opened.reduce((inner, option) => option.log?.(inner) ?? inner, dependencies.log),
    config,
  );
  const ownSchemas = onlyOne(opened, 'schemas');
  const schemas = ownSchemas?.all ?? [BUILT_IN_SCHEMA];
  const keyStore = onlyOne(opened, 'keyStore');
  const authentication = createAuthentication(opened.flatMap(({ authenticator }) => authenticator ?? []));
  const rateLimiter = onlyOne(opened, 'rateLimiter');
  const clientAddressOf = createClientAddress(config);
  const recordHeaders = onlyOne(opened, 'recordHeaders');
  const onRejected = allOf(
    opened.flatMap(
      (option) =>
        option.onRejected?.({
          identityOf: (request) => authentication?.identityOf(request.raw),
          recordHeadersOf: (request) => recordHeaders?.of(request, undefined),
        }) ?? [],
    ),
  );
  const ofSubmission: OnProblem = (problem, request) => {
    if (request.routeOptions.config.takesSubmissions)
      onRejected?.(problem, request, rejectedRequest(request, config.SEQUENCES));
  };
  const onProblem = allOf([
    ...opened.flatMap((option) => option.onProblem ?? []),
    ...(onRejected ? [ofSubmission] : []),
  ]);
  const links = Object.assign({}, ...opened.map((option) => option.links)) as Record<string, string>;
  const headerOf = (root: string) => ({ name: 'ops-intake', version, root, links });
  const example = { config, isAuthenticated: authentication !== undefined, schemas };
  const app = createService({
    logger,
    drain,
    ...(onProblem && { onProblem }),
    strictProblems: dependencies.strictProblems,
    interrupted: (request) => beforeLookup(request, { authentication }),
    ...(metrics && { metrics }),
    tracing,
    renderProblem: withProblemPages(
      renderProblemJson,
      plainProblemPage('ops-intake', headerOf, (request) => submitCommand(example, request)),
    ),
    // Bodies have limits of their own, below.
    fastify: { requestTimeout: config.REQUEST_TIMEOUT_MS },
  });
  if (!config.ALLOW_ANONYMOUS && !authentication) acceptOnlyLoopbackNames(app);
  const body: BodyOptions = {
    limitBytes: config.BODY_LIMIT_BYTES,
    budget: createBodyBudget({
      bytes: config.BODIES_BYTES,
      limitBytes: config.BODY_LIMIT_BYTES,
      clientsOf: (request) => clientsOf(request, { authentication, clientAddressOf }),
      full: (request) => queueFull(request, { authentication }),
    }),
  };
  takeJsonAsBytes(app, body);
  const { schemes: securitySchemes } = authentication ?? {};
  const withSequences = config.SEQUENCES;
  const withRateLimit = rateLimiter !== undefined;
  const optionProblems = [
    ...(authentication?.problems ?? []),
    ...opened.flatMap(({ problems = [] }) => problems),
  ];
  apiReference(app, {
    title: 'ops-intake',
    version,
    description: 'Puts trading operations into a Kafka topic: nothing lost, duplicated or altered.',
    tags: [
      { name: 'operations', description: 'Submissions of trading operations.' },
      { name: 'records', description: 'What consumers of the topic read.' },
      { name: 'service', description: 'The service itself.' },
    ],
    problemFormat: { ...standardProblemFormat, schema: withSequences ? SequencedProblem : SubmissionProblem },
    ...(securitySchemes && { securitySchemes }),
  });
  const keyRequired = config.IDEMPOTENCY_KEY_REQUIRED;
  const inFlight = new SubmissionsInFlight(config.DEADLINE_MS, timers);
  const limits = { operations: config.MAX_OPERATIONS, fractionDigits: config.MAX_FRACTION_DIGITS };

  const admission: AdmissionOptions = {
    authentication,
    rateLimiter,
    clientAddressOf,
    keyRequired,
    isFull: (clients) => log.isFull(clients),
  };

  const submitFacts = {
    limits,
    schemas: ownSchemas,
    security: Object.keys(securitySchemes ?? {}).map((name) => ({ [name]: [] })),
    withRateLimit,
    optionProblems,
    submissionProblems: opened.flatMap(({ submissionProblems = [] }) => submissionProblems),
    keyRequired,
    withSequences,
  };
  const lookupWindowMs = Math.min(config.STATUS_WINDOW_MS, config.IDEMPOTENCY_TTL_MS);
  const acceptance = watchAcceptance({
    log,
    store,
    search,
    isSearchNeeded: () =>
      keyStore !== undefined && mayHaveForgotten(store.since(), new Date(clock().getTime() - lookupWindowMs)),
    intervalMs: config.KAFKA_PROBE_INTERVAL_MS,
    recordAgeMs: recordAgeMs(config),
    timers,
    onFailed: dependencies.onFailed,
  });
  app.addHook('onClose', async () => acceptance.close());
  const submitOperations = createSubmitOperations({
    log,
    store,
    deadlineMs: config.DEADLINE_MS,
    inFlight,
    outcomes: acceptance,
    timers,
    fillRandomly,
    search,
    isStoreShared: keyStore !== undefined,
    lookupWindowMs,
    longestSendMs: idempotencyLeaseMs(config),
  });
  const submissionLimits = { ...limits, messageBytes: config.MAX_MESSAGE_BYTES };
  const submitting: Submitting = {
    facts: submitFacts,
    submitOperations,
    readSubmission: ownSchemas?.readerOf(submissionLimits) ?? submissionReader(submissionLimits),
    readPlainSubmission: ownSchemas ? undefined : plainSubmissionReader(submissionLimits),
    admission,
    body,
    clock,
    fillRandomly,
    recordHeaders,
    onAccepted,
    onRejected,
  };

  app.post('/operations', submitOperationsRoute(submitting));
  readSubmissionRoute(app, '/operations/:submissionId', {
    schema: readSubmissionSchema(submitFacts),
    findSubmission: createFindSubmission({
      fillRandomly,
      store,
      search,
      inFlight,
      longestSendMs: idempotencyLeaseMs(config),
      windowMs: config.STATUS_WINDOW_MS,
      storeBegan: keyStore ? undefined : clock(),
    }),
    admission,
    clock,
    page: plainPage('ops-intake', headerOf),
  });
  const asyncApi = asyncApiDocument({
    version,
    topic: config.KAFKA_TOPIC,
    brokers: authentication ? [] : brokersOf(config),
    limits,
    withSequences,
    schemas,
    parts: opened.flatMap(({ topic }) => topic ?? []),
  });
  app.get('/asyncapi.json', asyncApiJsonRoute(asyncApi));
  app.get('/asyncapi.yaml', asyncApiYamlRoute(asyncApi));
  // Without OPERATION_SCHEMA_FILE: /schemas/operations.submitted.v1.json
  for (const [index, schema] of schemas.entries()) {
    const name = index === 0 ? undefined : schema.name;
    app.get(`/schemas/${schema.type}.json`, recordSchemaRoute(recordSchema(schema, limits), name));
  }
  const currentHealth = () =>
    healthOf({
      log: log.status(),
      store: store.status(),
      warnings: Object.assign({}, ...opened.map(({ warnings }) => warnings?.())) as Record<string, string>,
      outage: acceptance.outage(),
      canAuthenticate: authentication?.isUsable() ?? true,
      keyRequired,
      draining: drain.draining,
      version,
      bootstrapServers: config.KAFKA_BOOTSTRAP_SERVERS,
      topic: config.KAFKA_TOPIC,
      now: clock(),
    });
  app.get('/health', health(currentHealth, authentication));
  app.get('/health/live', livenessProbe('up'));
  // Without Kafka too: the answer is then a 503 that says what became of the submission, and when to retry.
  app.get('/health/ready', readinessProbe({ drain, ready: () => ({ ready: true }) }));
  for (const { routes } of opened) {
    routes?.(app, {
      config,
      version,
      metrics,
      drain,
      submitting,
      schemas,
      keysIn: keyStore?.server ?? 'memory',
      isAuthenticated: authentication !== undefined,
      log,
      store,
      health: currentHealth,
    });
  }
  return app;
};
