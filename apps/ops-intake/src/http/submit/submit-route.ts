import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@workspace/service-process';
import type { FillRandomly } from '../../domain/randomness.ts';
import type { Submit } from '../../application/submit.ts';
import type { Submission } from '../../domain/submission.ts';
import type { SubmitOperations } from '../../application/submit-operations.ts';
import type { SubmitListener, SubmitResult } from '../../application/submit-result.ts';
import { type AdmissionOptions, admit, clientsOf } from '../admission/admission.ts';
import type { RecordHeaders } from './record-headers.ts';
import type { OnRejected } from './answered-problem.ts';
import { problemOf } from './problem-of-submission.ts';
import { statusUrlOf } from '../status/submission-outcome.ts';
import { admitBody, type BodyOptions, detachLargeBody } from './request-body.ts';
import type { AcceptedBody } from './submission-schema.ts';
import type { ReadPlainSubmission } from './submission-body.ts';
import { type SubmitFacts, submitSchema } from './submit-schema.ts';
import type { ReadWithSchema } from './operation-schemas.ts';
import { idempotencyKeyIn, partitionKeyIn, sequenceIn } from './submission-headers.ts';
import { traceContext } from './trace-context.ts';

/** How submissions are taken, on each path that takes them. */
export interface Submitting {
  /** for the description of the API */
  readonly facts: SubmitFacts;
  readonly submitOperations: SubmitOperations;
  readonly readSubmission: ReadWithSchema;
  /** reads bodies of the built-in schema that are plainly written; undefined with other schemas */
  readonly readPlainSubmission: ReadPlainSubmission | undefined;
  readonly admission: AdmissionOptions;
  readonly body: BodyOptions;
  readonly clock: Clock;
  readonly fillRandomly: FillRandomly;
  /** headers that an option adds to records */
  readonly recordHeaders: RecordHeaders | undefined;
  /** called with the number of operations of each submission that was newly accepted */
  readonly onAccepted: ((operations: number) => void) | undefined;
  /** called with every problem that a submission is answered with */
  readonly onRejected: OnRejected | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** whether a body is one or more submissions, and a problem with it a rejection */
    takesSubmissions?: boolean;
  }
}

/** What comes before the body on each path that takes submissions in one body. */
export const submissionRoute = ({ recordHeaders, admission, body }: Submitting) => ({
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
export const submitOperationsRoute = (options: Submitting) => ({
  schema: submitSchema(options.facts),
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
  options: Submitting,
  listener: SubmitListener,
): void => {
  const { headers } = request;
  const one = submitOf(request, submission, options);
  one.idempotencyKey = idempotencyKeyIn(textOf(headers['idempotency-key']));
  one.partitionKey = partitionKeyIn(textOf(headers['partition-key']));
  if (options.facts.withSequences) one.sequence = sequenceIn(textOf(headers['sequence']), one.partitionKey);
  options.submitOperations(one, listener);
};

/** What a request submits, by whom and when; without its keys. */
export const submitOf = (
  request: FastifyRequest,
  submission: Submission,
  { admission, clock, recordHeaders, fillRandomly }: Submitting,
): Submit => {
  const { headers, raw } = request;
  const identity = admission.authentication?.identityOf(raw);
  return {
    submission,
    now: clock(),
    idempotencyKey: undefined,
    partitionKey: undefined,
    principal: identity?.principal,
    authType: identity?.type,
    clients: clientsOf(request, admission),
    recordHeaders: recordHeaders?.of(request, submission.bytes),
    trace: traceContext(headers, fillRandomly),
  };
};

/** The answer to a request, once it is known what became of its submission. Never throws: Kafka's answers to others come next. */
class Answer implements SubmitListener {
  readonly #reply: FastifyReply;
  readonly #onAccepted: Submitting['onAccepted'];

  constructor(reply: FastifyReply, onAccepted: Submitting['onAccepted']) {
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
