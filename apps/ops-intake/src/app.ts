import type { Logger } from '@workspace/logging';
import {
  apiReference,
  type Clock,
  createClientAddress,
  createService,
  type Drain,
  type Metrics,
  parseRateLimit,
  RateLimiter,
  type Service,
  standardProblemFormat,
} from '@workspace/service-kit';
import type { Config } from './config.ts';
import type { IdempotencyStore } from './application/idempotency-store.ts';
import { createSubmitOperations } from './application/submit-operations.ts';
import type { OperationLog } from './application/operation-log.ts';
import { submissionParser } from './domain/submission.ts';
import type { IntakeMetrics } from './metrics.ts';
import { SubmissionProblem, submitSchema } from './http/schemas/submit.ts';
import { beforeLookup, queueFull } from './routes/admission.ts';
import { takeJsonAsBytes } from './routes/body.ts';
import { createBodyBudget } from './routes/body-budget.ts';
import { healthRoute } from './routes/health.ts';
import { operationsRoute } from './routes/operations.ts';
import { principalLookup } from './settings.ts';
import { healthView } from './views/health.ts';

export interface AppNeeds {
  config: Config;
  log: OperationLog;
  store: IdempotencyStore;
  logger: Logger;
  clock: Clock;
  drain: Drain;
  version: string;
  metrics?: Metrics;
  intakeMetrics?: IntakeMetrics;
}

/** The whole service without its process: every route, no I/O of its own. */
export const buildApp = (needs: AppNeeds): Service => {
  const { config, log, store, logger, clock, drain, version, metrics, intakeMetrics } = needs;
  const principalOf = principalLookup(config);
  const rateLimit = parseRateLimit(config);
  const app = createService({
    logger,
    drain,
    interrupted: ({ headers }) => beforeLookup(headers, { principalOf }),
    ...(metrics && { metrics }),
    fastify: {
      bodyLimit: config.BODY_LIMIT_BYTES,
      requestTimeout: config.REQUEST_TIMEOUT_MS,
    },
  });
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
  const body = {
    limitBytes: config.BODY_LIMIT_BYTES,
    budget: createBodyBudget({
      bytes: config.LARGE_BODIES_BYTES,
      full: (request) => queueFull(request, { principalOf }),
    }),
  };
  takeJsonAsBytes(app, body);

  const intake = createSubmitOperations({ log, store, deadlineMs: config.DEADLINE_MS });
  const limits = { operations: config.MAX_OPERATIONS, fractionDigits: config.MAX_FRACTION_DIGITS };
  const keyRequired = config.IDEMPOTENCY_KEY_REQUIRED;
  const withRateLimit = rateLimit !== undefined;
  operationsRoute(app, {
    schema: submitSchema({ limits, withTokens, withRateLimit, keyRequired }),
    intake,
    clock,
    parse: submissionParser(limits),
    messageBytes: config.MAX_MESSAGE_BYTES,
    body,
    principalOf,
    rateLimiter: rateLimit && new RateLimiter(rateLimit),
    clientAddressOf: createClientAddress(config),
    keyRequired,
    isFull: () => log.isFull(),
    onAccepted: (operations) => intakeMetrics?.accepted(operations),
  });
  healthRoute(app, {
    health: () =>
      healthView({
        log: log.status(),
        store: store.status(),
        draining: drain.draining,
        version,
        bootstrapServers: config.KAFKA_BOOTSTRAP_SERVERS,
        topic: config.KAFKA_TOPIC,
        now: clock(),
      }),
  });
  app.addHook('onClose', async () => {
    await log.close();
    await store.close();
  });
  return app;
};
