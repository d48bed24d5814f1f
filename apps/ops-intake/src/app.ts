import type { Logger } from '@workspace/logging';
import {
  apiReference,
  type Clock,
  createClientAddress,
  createService,
  type Drain,
  livenessProbe,
  type Metrics,
  parseRateLimit,
  RateLimiter,
  readinessProbe,
  type Service,
  type Tracing,
  standardProblemFormat,
} from '@workspace/service-kit';
import type { IdempotencyStore } from './application/idempotency-store.ts';
import type { OperationLog } from './application/operation-log.ts';
import { createSubmitOperations } from './application/submit-operations.ts';
import type { Config } from './config.ts';
import { parseTokens } from './domain/principals.ts';
import { beforeLookup, queueFull } from './http/admission.ts';
import { type PrincipalOf, principalsOf } from './http/bearer-token.ts';
import { createBodyBudget } from './http/body-budget.ts';
import { healthOf } from './http/representations/health.ts';
import { type BodyOptions, takeJsonAsBytes } from './http/request-body.ts';
import { health } from './http/routes/health.ts';
import { submitOperationsRoute } from './http/routes/submit-operations.ts';
import { SubmissionProblem, submitSchema } from './http/schemas/submit.ts';
import { submissionReader } from './http/submission-body.ts';

export interface AppDependencies {
  config: Config;
  log: OperationLog;
  store: IdempotencyStore;
  logger: Logger;
  clock: Clock;
  drain: Drain;
  version: string;
  metrics?: Metrics;
  tracing?: Tracing | undefined;
  /** told of each submission that was newly accepted, with the number of its operations */
  onAccepted?: (operations: number) => void;
}

/** The whole service without its process: every path, no I/O of its own. */
export const buildApp = (dependencies: AppDependencies): Service => {
  const { config, log, store, logger, clock, drain, version, metrics, tracing, onAccepted } = dependencies;
  const principalOf = principalLookup(config);
  const rateLimit = parseRateLimit(config);
  const app = createService({
    logger,
    drain,
    interrupted: ({ headers }) => beforeLookup(headers, { principalOf }),
    ...(metrics && { metrics }),
    tracing,
    fastify: {
      bodyLimit: config.BODY_LIMIT_BYTES,
      requestTimeout: config.REQUEST_TIMEOUT_MS,
    },
  });
  const body: BodyOptions = {
    limitBytes: config.BODY_LIMIT_BYTES,
    budget: createBodyBudget({
      bytes: config.LARGE_BODIES_BYTES,
      full: (request) => queueFull(request, { principalOf }),
    }),
  };
  takeJsonAsBytes(app, body);
  const withTokens = config.AUTH_TOKENS !== undefined;
  apiReference(app, {
    title: 'ops-intake',
    version,
    description:
      'Puts trading operations into a Kafka topic: nothing lost, nothing doubled, nothing altered.',
    tags: [
      { name: 'operations', description: 'Submissions of trading operations.' },
      { name: 'service', description: 'The service itself.' },
    ],
    problemFormat: { ...standardProblemFormat, schema: SubmissionProblem },
    ...(withTokens && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }),
  });
  const keyRequired = config.IDEMPOTENCY_KEY_REQUIRED;
  const limits = { operations: config.MAX_OPERATIONS, fractionDigits: config.MAX_FRACTION_DIGITS };

  app.post(
    '/operations',
    submitOperationsRoute({
      schema: submitSchema({ limits, withTokens, withRateLimit: rateLimit !== undefined, keyRequired }),
      submitOperations: createSubmitOperations({ log, store, deadlineMs: config.DEADLINE_MS }),
      readSubmission: submissionReader({ ...limits, messageBytes: config.MAX_MESSAGE_BYTES }),
      admission: {
        principalOf,
        rateLimiter: rateLimit && new RateLimiter(rateLimit),
        clientAddressOf: createClientAddress(config),
        clock,
        keyRequired,
        isFull: () => log.isFull(),
      },
      body,
      clock,
      onAccepted,
    }),
  );
  app.get(
    '/health',
    health(() =>
      healthOf({
        log: log.status(),
        store: store.status(),
        draining: drain.draining,
        version,
        bootstrapServers: config.KAFKA_BOOTSTRAP_SERVERS,
        topic: config.KAFKA_TOPIC,
        now: clock(),
      }),
    ),
  );
  app.get('/health/live', livenessProbe('up'));
  // Without Kafka too: the answer is then a 503 that says what became of the submission, and when to retry.
  app.get('/health/ready', readinessProbe({ drain, ready: () => ({ ready: true }) }));
  app.addHook('onClose', async () => {
    await log.close();
    await store.close();
  });
  return app;
};

/** Who may submit; undefined when everyone may. `configViolations` has checked that the tokens can be read. */
const principalLookup = ({ AUTH_TOKENS }: Config): PrincipalOf | undefined => {
  if (AUTH_TOKENS === undefined) return undefined;
  const parsed = parseTokens(AUTH_TOKENS);
  if ('violation' in parsed) throw new Error(parsed.violation);
  return principalsOf(parsed.tokens);
};
