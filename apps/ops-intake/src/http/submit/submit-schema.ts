import { type TSchema, Type } from '@sinclair/typebox';
import { Problem } from '@workspace/schemas';
import { apiResponse } from '@workspace/service-kit';
import { commonProblems, type ProblemType } from '@workspace/service-kit/problems';
import { RATE_LIMIT_HEADERS } from '@workspace/service-kit/rate-limit';
import type { SubmissionLimits } from '../../domain/submission.ts';
import { loopbackProblems, problems } from '../../problems.ts';
import { AcceptedBody, submissionSchema } from './submission-schema.ts';
import { SEQUENCE_PATTERN } from '../../domain/sequence.ts';
import type { OperationSchemas } from './operation-schemas.ts';
import { KEY_PATTERN } from './submission-headers.ts';

/** What the description of a submission depends on: the settings of this instance. */
export interface SubmitFacts {
  readonly limits: SubmissionLimits;
  /** undefined: the built-in one alone */
  readonly schemas: OperationSchemas | undefined;
  /** how clients authenticate, as OpenAPI writes it; empty: they need not */
  readonly security: Readonly<Record<string, string[]>>[];
  readonly withRateLimit: boolean;
  /** what requests to `/operations` can meet because of options */
  readonly optionProblems: readonly ProblemType[];
  /** what submissions can meet because of options */
  readonly submissionProblems: readonly ProblemType[];
  /** whether a submission has to have an Idempotency-Key */
  readonly keyRequired: boolean;
  /** whether `Sequence` is read */
  readonly withSequences: boolean;
}

/** Problem details with the members of this service. */
export const SubmissionProblem = Type.Object(
  {
    ...Problem.properties,
    outcome: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['not-published', 'unknown', 'not-found'],
        description:
          'not-published: not in the log and never will be; unknown: it may be; not-found: it was searched for',
      }),
    ),
    submissionId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'where the outcome is unknown: key of the record, if there is one',
      }),
    ),
    statusUrl: Type.Optional(
      Type.String({
        format: 'uri-reference',
        description: 'where the outcome is unknown: what became of the submission can be read here',
      }),
    ),
    errorsTruncated: Type.Optional(Type.Boolean({ description: 'there were more errors than are listed' })),
  },
  { $id: 'Problem', additionalProperties: true },
);

/** The same, where `Sequence` is read. */
export const SequencedProblem = Type.Object(
  {
    ...SubmissionProblem.properties,
    expectedSequence: Type.Optional(
      Type.Integer({
        format: 'int64',
        description:
          'where the Sequence was not the expected one: the lowest that is not known to be accepted',
      }),
    ),
  },
  { $id: 'Problem', additionalProperties: true },
);

const Sequence = Type.String({
  pattern: SEQUENCE_PATTERN,
  description:
    'number of this submission among those with its Partition-Key; a gap or a repeat gets 409. The first one may be any',
});

const IdempotencyKey = Type.String({
  pattern: KEY_PATTERN,
  description: 'the first answer to a key is replayed; quoted or bare, 1 to 255 characters',
});

const requestHeaders = (key: TSchema, schemas: OperationSchemas | undefined, withSequences: boolean) =>
  Type.Object({
    'Idempotency-Key': key,
    ...(schemas && { 'Operation-Schema': schemas.header }),
    'Partition-Key': Type.Optional(
      Type.String({
        pattern: KEY_PATTERN,
        description:
          'submissions with the same one go to the same partition, in order; it is the key of the record; quoted or bare, 1 to 255 characters',
      }),
    ),
    ...(withSequences && { Sequence: Type.Optional(Sequence) }),
    traceparent: Type.Optional(
      Type.String({ description: 'W3C Trace Context, sent on in the record; created when it is missing' }),
    ),
    tracestate: Type.Optional(Type.String({ description: 'W3C Trace Context, sent on with traceparent' })),
  });

/** The problem types that a submission can meet at this instance. */
export const problemsAt = ({
  security,
  optionProblems,
  keyRequired,
  withSequences,
  submissionProblems,
}: SubmitFacts): ProblemType[] => {
  // Those of every request are described elsewhere.
  const cannotHappen = new Set<ProblemType>([problems['submission-not-found'], ...loopbackProblems]);
  if (security.length === 0) cannotHappen.add(problems.unauthorized);
  if (!keyRequired) cannotHappen.add(problems['idempotency-key-missing']);
  if (!withSequences) {
    for (const code of ['bad-sequence', 'out-of-sequence', 'sequence-pending'] as const)
      cannotHappen.add(problems[code]);
  }
  const ofCore = [...Object.values(problems), commonProblems.draining];
  return [...ofCore.filter((type) => !cannotHappen.has(type)), ...submissionProblems, ...optionProblems];
};

/** The schema of POST /operations. The route checks headers and body itself: how a number is written matters here. */
export const submitSchema = (facts: SubmitFacts) => ({
  operationId: 'submit',
  tags: ['operations'],
  summary: 'Submit operations; answered once every in-sync replica has them',
  described: {
    headers: requestHeaders(
      facts.keyRequired ? IdempotencyKey : Type.Optional(IdempotencyKey),
      facts.schemas,
      facts.withSequences,
    ),
    body: facts.schemas?.bodyOf(facts.limits) ?? submissionSchema(facts.limits),
  },
  problems: problemsAt(facts),
  response: {
    202: apiResponse('The record is on every in-sync replica.', {
      content: { 'application/json': AcceptedBody },
      headers: {
        Location: Type.String({ format: 'uri-reference', description: 'the `statusUrl`' }),
        'Idempotent-Replayed': Type.Literal('true', {
          description: 'only there when this answer was given before',
        }),
        ...(facts.withRateLimit && RATE_LIMIT_HEADERS),
      },
    }),
  },
  ...(facts.security.length > 0 && { security: facts.security }),
});
