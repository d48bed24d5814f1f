import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@workspace/service-process';
import type { FillRandomly } from '../../domain/randomness.ts';
import type { Submit } from '../../application/submit.ts';
import type { Submission } from '../../domain/submission.ts';
import type { SubmitOperations } from '../../application/submit-operations.ts';
import type { SubmitListener, SubmitResult } from '../../application/submit-result.ts';
import { type AdmissionOptions, admit, clientsOf } from '../admission/admission.ts';
import type { RecordHeaders } from './record-headers.ts';
import { problemOf } from './problem-of-submission.ts';
import { statusUrlOf } from '../status/submission-outcome.ts';
import { admitBody, type BodyOptions, detachLargeBody } from './request-body.ts';
import type { AcceptedBody } from './submission-schema.ts';
import type { submitSchema } from './submit-schema.ts';
import type { ReadWithSchema } from './operation-schemas.ts';
import { idempotencyKeyIn, partitionKeyIn, sequenceIn } from './submission-headers.ts';
import { traceContext } from './trace-context.ts';

export interface SubmitOperationsRouteOptions {
  schema: ReturnType<typeof submitSchema>;
  submitOperations: SubmitOperations;
  readSubmission: ReadWithSchema;
  admission: AdmissionOptions;
  body: BodyOptions;
  /** whether `Sequence` is read */
  withSequences: boolean;
  clock: Clock;
  fillRandomly: FillRandomly;
  /** of options */
  recordHeaders?: RecordHeaders | undefined;
  /** called with the number of operations of each submission that was newly accepted */
  onAccepted?: ((operations: number) => void) | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** whether a body is one or more submissions, and a problem with it a rejection */
    takesSubmissions?: boolean;
  }
}

/** What comes before the body on each path that takes submissions in one body. */
export const submissionRoute = ({
  recordHeaders,
  admission,
  body,
}: Pick<SubmitOperationsRouteOptions, 'recordHeaders' | 'admission' | 'body'>) => ({
  config: { takesSubmissions: true },
  // With callbacks: an async hook would make three promises for each request.
  onRequest: [
    ...(recordHeaders ? [watchArrival(recordHeaders)] : []),
    ...(admission.authentication ? [admission.authentication.hook] : []),
    (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      const charged = admit(request, reply, admission);
      if (charged) {
        charged.then(() => admitBody(request, body)).then(() => done(), done);
        return;
      }
      admitBody(request, body);
      done();
    },
  ],
});

/** POST /operations: an array of operations becomes one record; 202 once every in-sync replica has it. */
export const submitOperationsRoute = (options: SubmitOperationsRouteOptions) => ({
  schema: options.schema,
  ...submissionRoute(options),
  handler: (request: FastifyRequest, reply: FastifyReply): void => {
    const read = options.readSubmission(bytesOf(request), textOf(request.headers['operation-schema']));
    const answer = new Answer(reply, options.onAccepted);
    if (read instanceof Promise) {
      const whole = options.body.budget.during(request, read);
      whole
        .then((submission) => submit(request, submission, options, answer))
        .catch((error: unknown) => answer.failed(error));
    } else submit(request, read, options, answer);
  },
});

const submit = (
  request: FastifyRequest,
  submission: Submission,
  options: SubmitOperationsRouteOptions,
  answer: Answer,
): void => {
  const { headers, raw } = request;
  const identity = options.admission.authentication?.identityOf(raw);
  const one: Submit = {
    submission,
    now: options.clock(),
    idempotencyKey: idempotencyKeyIn(textOf(headers['idempotency-key'])),
    partitionKey: partitionKeyIn(textOf(headers['partition-key'])),
    principal: identity?.principal,
    authType: identity?.type,
    clients: clientsOf(request, options.admission),
    recordHeaders: options.recordHeaders?.of(request, submission.bytes),
    trace: traceContext(
      { traceparent: textOf(headers['traceparent']), tracestate: textOf(headers['tracestate']) },
      options.fillRandomly,
    ),
  };
  if (options.withSequences) one.sequence = sequenceIn(textOf(headers['sequence']), one.partitionKey);
  options.submitOperations(one, answer);
};

/** The answer to a request, once it is known what became of its submission. Never throws: Kafka's answers to others come next. */
class Answer implements SubmitListener {
  readonly #reply: FastifyReply;
  readonly #onAccepted: SubmitOperationsRouteOptions['onAccepted'];

  constructor(reply: FastifyReply, onAccepted: SubmitOperationsRouteOptions['onAccepted']) {
    this.#reply = reply;
    this.#onAccepted = onAccepted;
  }

  resolved(result: SubmitResult): void {
    if (result.outcome === 'accepted') this.#send(result);
    else this.failed(problemOf(result));
  }

  failed(error: unknown): void {
    try {
      void this.#reply.send(error);
    } catch (unsent) {
      this.#reply.log.error({ err: unsent }, 'answer not written');
      this.#reply.raw.destroy();
    }
  }

  #send({ answer, replayed }: Extract<SubmitResult, { outcome: 'accepted' }>): void {
    try {
      if (replayed) void this.#reply.header('idempotent-replayed', 'true');
      else this.#onAccepted?.(answer.operations);
      const statusUrl = statusUrlOf(answer.submissionId);
      const body: AcceptedBody = { ...answer, statusUrl };
      detachLargeBody(this.#reply.request);
      void this.#reply.code(202).header('location', statusUrl).send(body);
    } catch (error) {
      this.failed(error);
    }
  }
}

const watchArrival =
  (recordHeaders: RecordHeaders) =>
  ({ raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    recordHeaders.arrives(raw);
    done();
  };

const NO_BYTES = Buffer.alloc(0);

/** The body as it came; a request without one has no Content-Type, and so no parser. */
const bytesOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : NO_BYTES);

/** The value of a header that Node joins to one text, however often it was sent. */
const textOf = (value: string | string[] | undefined): string | undefined => value?.toString();
