import type { FastifyRequest } from 'fastify';
import { ProblemError, type Service } from '@workspace/service-kit';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { SubmitOperations } from '../application/submit-operations.ts';
import type { ParseSubmission, Submission } from '../domain/submission.ts';
import { problems } from '../problems.ts';
import { problemOf, problemOfSubmission } from '../views/problem-of-submission.ts';
import type { submitSchema } from '../http/schemas/submit.ts';
import { type AdmissionNeeds, admit, principalIn } from './admission.ts';
import { admitBody, type BodyOptions } from './body.ts';

export interface OperationsRouteNeeds extends AdmissionNeeds {
  schema: ReturnType<typeof submitSchema>;
  intake: SubmitOperations;
  parse: ParseSubmission;
  /** most bytes of a submission that fit into one message */
  messageBytes: number;
  body: BodyOptions;
  /** told of each submission that was newly accepted */
  onAccepted: (operations: number) => void;
}

const keyOf = (request: FastifyRequest): string | undefined => {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = idempotencyKey(String(header));
  if (key !== undefined) return key;
  const detail = 'It must be 1 to 255 printable ASCII characters, in double quotes or without any.';
  throw new ProblemError(problems['bad-idempotency-key'], { detail });
};

const NOTHING = Buffer.alloc(0);

const submissionIn = (body: unknown, { parse, messageBytes }: OperationsRouteNeeds): Submission => {
  const bytes = Buffer.isBuffer(body) ? body : NOTHING;
  const parsed = parse(bytes);
  if ('error' in parsed) throw problemOfSubmission(parsed.error);
  if (bytes.length <= messageBytes) return parsed.submission;
  const detail = `${bytes.length} bytes; at most ${messageBytes} fit into one message.`;
  throw new ProblemError(problems['message-too-large'], { detail, members: { outcome: 'not-published' } });
};

/** A header that Node joins to one text, however often it was sent. */
const textHeader = (request: FastifyRequest, name: string): string | undefined =>
  request.headers[name]?.toString();

/** POST /operations: an array of operations becomes one record; 202 once every in-sync replica has it. */
export const operationsRoute = (app: Service, needs: OperationsRouteNeeds): void => {
  const { intake, clock, onAccepted } = needs;
  const options = {
    schema: needs.schema,
    onRequest: async (request: FastifyRequest) => {
      admit(request, needs);
      admitBody(request, needs.body);
    },
  };
  app.post('/operations', options, async (request, reply) => {
    const { accepted, replayed } = await intake({
      submission: submissionIn(request.body, needs),
      now: clock(),
      idempotencyKey: keyOf(request),
      principal: principalIn(request, needs),
      traceparent: textHeader(request, 'traceparent'),
      tracestate: textHeader(request, 'tracestate'),
    }).catch((error: unknown) => {
      throw problemOf(error);
    });
    if (replayed) void reply.header('idempotent-replayed', 'true');
    else onAccepted(accepted.operations);
    return reply.code(202).send(accepted);
  });
};
