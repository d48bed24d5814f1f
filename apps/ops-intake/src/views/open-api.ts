import { type TSchema, Type } from '@sinclair/typebox';
import {
  type ApiOperation,
  openApiDocument,
  type ProblemType,
  problemResponses,
} from '@workspace/service-kit';
import { IDEMPOTENCY_KEY_PATTERN } from '../http/idempotency-key.ts';
import type { SubmissionLimits } from '../domain/submission.ts';
import { inheritedProblems, problems } from '../problems.ts';
import { LiveBody, OperationsHealth } from './health.ts';
import { AcceptedBody, submissionSchema } from './submission.ts';

/** What a description depends on: it tells of this instance, so that nobody meets an answer it does not know. */
export interface ApiFacts {
  version: string;
  limits: SubmissionLimits;
  /** whether a bearer token is asked for */
  withTokens: boolean;
  withRateLimit: boolean;
  /** whether a submission has to have an Idempotency-Key */
  keyRequired: boolean;
}

const JSON_TYPE = 'application/json';

const IdempotencyKey = Type.String({
  pattern: IDEMPOTENCY_KEY_PATTERN,
  description: 'the first answer to a key is replayed; quoted or bare, 1 to 255 characters',
  examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
});

const TraceContext = {
  traceparent: Type.Optional(
    Type.String({ description: 'W3C Trace Context, sent on in the record; made when there is none' }),
  ),
  tracestate: Type.Optional(Type.String()),
};

const Replayed = Type.Object({
  'Idempotent-Replayed': Type.Optional(
    Type.Unsafe<'true'>({ type: 'string', enum: ['true'], description: 'this answer was given before' }),
  ),
});

const RetryAfter = Type.Object({
  'Retry-After': Type.String({ pattern: '^\\d+$', description: 'seconds' }),
});

const headersOf: Readonly<Record<number, ReturnType<typeof Type.Object>>> = {
  401: Type.Object({ 'WWW-Authenticate': Type.String() }),
  409: RetryAfter,
  429: RetryAfter,
  503: RetryAfter,
};

const problemMembers: Record<string, TSchema> = {
  outcome: Type.Unsafe<string>({
    type: 'string',
    enum: ['not-published', 'unknown'],
    description: 'not-published: not in the log and never will be; unknown: it may be',
  }),
  submissionId: Type.String({
    format: 'uuid',
    description: 'where the outcome is unknown: key of the record, if there is one',
  }),
  errorsTruncated: Type.Boolean({ description: 'there were more errors than are listed' }),
};

/** Every problem a submission can meet here. */
const problemsOf = ({ withTokens, withRateLimit, keyRequired }: ApiFacts): ProblemType[] => {
  const elsewhere = new Set(['not-found', 'method-not-allowed']);
  if (!withTokens) elsewhere.add('unauthorized');
  if (!withRateLimit) elsewhere.add('rate-limited');
  if (!keyRequired) elsewhere.add('idempotency-key-missing');
  return [...inheritedProblems, ...Object.values(problems)]
    .filter(({ code }) => !elsewhere.has(code))
    .sort((a, b) => a.status - b.status);
};

const submit = (facts: ApiFacts): ApiOperation => ({
  method: 'post',
  path: '/operations',
  id: 'submit',
  tag: 'operations',
  summary: 'Submit operations; answered once every in-sync replica has them',
  headers: Type.Object({
    'Idempotency-Key': facts.keyRequired ? IdempotencyKey : Type.Optional(IdempotencyKey),
    ...TraceContext,
  }),
  body: {
    description: 'Becomes one record, byte for byte. May be compressed: `Content-Encoding: gzip` or `br`.',
    content: { [JSON_TYPE]: submissionSchema(facts.limits) },
  },
  responses: {
    202: {
      description: 'The record is on every in-sync replica.',
      headers: Replayed,
      content: { [JSON_TYPE]: AcceptedBody },
    },
    ...Object.fromEntries(
      Object.entries(problemResponses(problemsOf(facts), problemMembers)).map(([status, response]) => {
        const headers = headersOf[Number(status)];
        return [status, { ...response, ...(headers && { headers }) }];
      }),
    ),
  },
  ...(facts.withTokens && { security: 'bearer' }),
});

const health: ApiOperation = {
  method: 'get',
  path: '/health',
  id: 'health',
  tag: 'service',
  summary: 'Whether submissions are taken',
  responses: {
    200: { description: 'They are.', content: { [JSON_TYPE]: OperationsHealth } },
    503: { description: 'They are not; `kafka.error` says why.', content: { [JSON_TYPE]: OperationsHealth } },
  },
};

const live: ApiOperation = {
  method: 'get',
  path: '/health/live',
  id: 'live',
  tag: 'service',
  summary: 'Whether the process turns, whatever Kafka does',
  responses: { 200: { description: 'It does.', content: { [JSON_TYPE]: LiveBody } } },
};

/** The service as OpenAPI 3.1. */
export const openApi = (facts: ApiFacts): object =>
  openApiDocument({
    title: 'ops-intake',
    version: facts.version,
    description:
      'Takes trading operations into a Kafka topic: nothing lost, nothing doubled, nothing altered.',
    operations: [submit(facts), health, live],
    ...(facts.withTokens && { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }),
  });
