import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Service } from '@workspace/service-kit';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import { QueuePosition } from '../../application/queue-position.ts';
import type { Submit } from '../../application/submit.ts';
import type { SubmitResult } from '../../application/submit-result.ts';
import type { Submission } from '../../domain/submission.ts';
import { clientOf } from '../../http/admission/admission.ts';
import { detachLargeBody, takeAsBytes } from '../../http/submit/request-body.ts';
import { idempotencyKeyIn } from '../../http/submit/submission-headers.ts';
import { submissionRoute, submitOf, type Submitting } from '../../http/submit/submit-route.ts';
import { problemsAt } from '../../http/submit/submit-schema.ts';
import { inheritedProblems, problems } from '../../problems.ts';
import { ANSWER_TYPE, bridgeAnswer, errorText, problemsOf } from './bridge-answer.ts';
import { type BridgeRecord, inRecord, MAX_RECORDS, readRecords } from './bridge-request.ts';

export const MEDIA_TYPE = 'application/vnd.kafka.json.v2+json';

/** Each record has a key of its own, `key/0`, `key/1` and so on, which is one that a header can have, too. */
const MAX_KEY = 255 - `/${MAX_RECORDS - 1}`.length;

/** `POST /topics/<topic>` as Confluent REST Proxy, Karapace and Strimzi's bridge take it: each record is a submission. */
export const bridgeRoutes = (service: Service, topic: string, submitting: Submitting): void => {
  const { body } = submitting;
  // A scope of its own: other routes have another media type and other errors.
  void service.register((app: Service, _options, registered) => {
    takeAsBytes(app, MEDIA_TYPE, body);
    app.addHook('onSend', inConfluentsFormat);
    app.post(`/topics/${topic}`, {
      schema: {
        hide: true,
        problems: [...problemsAt(submitting.facts), ...inheritedProblems],
      },
      ...submissionRoute(submitting),
      handler: (request, reply) => body.budget.during(request, answer(request, reply, submitting)),
    });
    const method = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'];
    app.route({
      method,
      url: `/topics/${topic}`,
      schema: { hide: true, problems: [commonProblems['method-not-allowed']] },
      handler: () => {
        throw new ProblemError(commonProblems['method-not-allowed'], { headers: { allow: 'POST' } });
      },
    });
    for (const url of ['/topics', '/topics/*', '/consumers', '/consumers/*'])
      app.route({
        method: [...method, 'POST'],
        url,
        schema: { hide: true, problems: [commonProblems['not-found']] },
        // Before the body: it may be of any type.
        onRequest: () => {
          throw new ProblemError(commonProblems['not-found'], {
            detail: `There are no consumers here, and no topic but ${topic}.`,
          });
        },
        handler: () => undefined,
      });
    registered();
  });
};

const inConfluentsFormat = async (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> => {
  const type = String(reply.getHeader('content-type') ?? '');
  if (!type.startsWith('application/problem+json') || typeof payload !== 'string') return payload;
  void reply.header('content-type', ANSWER_TYPE).removeHeader('content-length');
  return errorText(payload, request.url.startsWith('/topics'));
};

const answer = async (
  request: FastifyRequest,
  reply: FastifyReply,
  submitting: Submitting,
): Promise<object> => {
  const { admission, onAccepted, onRejected } = submitting;
  rejectHeadersOfOne(request, submitting);
  const key = keyOf(request);
  const records = readRecords(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
  // One was charged before the body was read.
  if (records.length > 1)
    await admission.rateLimiter?.charge(reply, clientOf(request, admission), records.length - 1, 1);
  // All of them before the first is submitted: a request with an invalid record publishes nothing.
  const submissions: Submission[] = [];
  for (const [index, record] of records.entries())
    submissions.push(await readValue(request, record, index, submitting));
  const submits = records.map(({ partitionKey }, index) => ({
    ...submitOf(request, submissions[index]!, submitting),
    idempotencyKey: key && `${key}/${index}`,
    partitionKey,
  }));
  const results = await submitInOrder(request, submits, submitting);
  const failures = problemsOf(submits, results);
  for (const [index, result] of results.entries()) {
    const failure = failures[index];
    const { idempotencyKey, partitionKey } = submits[index]!;
    if (failure)
      onRejected?.(failure, request, {
        line: index + 1,
        idempotencyKey,
        partitionKey,
        bytes: records[index]!.bytes,
      });
    else if (result?.outcome === 'accepted' && !result.replayed) onAccepted?.(result.answer.operations);
  }
  if (failures.every((failure) => !failure)) detachLargeBody(request);
  const { status, retryAfter, body } = bridgeAnswer(results, failures);
  if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
  void reply.code(status).header('content-type', ANSWER_TYPE).serializer(JSON.stringify);
  return body;
};

const headerOf = (request: FastifyRequest, name: string): string | undefined =>
  request.headers[name]?.toString();

/** Headers that promise an order for a single submission are rejected here, not ignored: each record has a key of its own. */
const rejectHeadersOfOne = (request: FastifyRequest, { facts }: Submitting): void => {
  const detail =
    'This header is not part of this API, in which the `key` of each record is its Partition-Key.';
  if (headerOf(request, 'partition-key') !== undefined)
    throw new ProblemError(problems['bad-partition-key'], { detail });
  if (facts.withSequences && headerOf(request, 'sequence') !== undefined)
    throw new ProblemError(problems['bad-sequence'], { detail });
};

const keyOf = (request: FastifyRequest): string | undefined => {
  const key = idempotencyKeyIn(headerOf(request, 'idempotency-key'));
  if (key === undefined || key.length <= MAX_KEY) return key;
  throw new ProblemError(problems['bad-idempotency-key'], {
    detail: `Here it has at most ${MAX_KEY} characters: the key of each record ends with the record's number.`,
  });
};

const readValue = async (
  request: FastifyRequest,
  { bytes }: BridgeRecord,
  index: number,
  submitting: Submitting,
): Promise<Submission> => {
  try {
    return await submitting.readSubmission(bytes, headerOf(request, 'operation-schema'));
  } catch (error) {
    throw inRecord(error, index);
  }
};

/**
 * Submits all at once. Records with the same key are queued in their order: one behind a record that was not queued is not either.
 * @returns what became of each; undefined where submitting failed
 */
const submitInOrder = (
  request: FastifyRequest,
  submits: readonly Submit[],
  submitting: Submitting,
): Promise<(SubmitResult | undefined)[]> => {
  const positions = new Map<string, QueuePosition>();
  return Promise.all(
    submits.map(async (submit) => {
      const { partitionKey } = submit;
      const order = partitionKey === undefined ? undefined : new QueuePosition(positions.get(partitionKey));
      if (order) positions.set(partitionKey!, order);
      try {
        const result = await new Promise<SubmitResult>((resolved, failed) =>
          submitting.submitOperations({ ...submit, order }, { resolved, failed }),
        );
        order?.over(result.outcome === 'not-published' ? 'refused' : 'queued');
        return result;
      } catch (error) {
        order?.over('refused');
        request.log.error({ err: error }, 'submission of a record failed');
        return undefined;
      }
    }),
  );
};
