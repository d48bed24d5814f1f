import { type Static, Type } from '@sinclair/typebox';
import { MEMBERS } from '../../domain/operation.ts';
import type { SubmissionLimits } from '../../domain/submission.ts';

/**
 * A submission in the words of JSON Schema, for the description of the API. `domain/operation.ts` judges: how a number
 * is written is no business of a schema, and here it is all that matters.
 */
export const submissionSchema = (limits: SubmissionLimits) =>
  Type.Array(
    Type.Object(
      Object.fromEntries(Array.from(MEMBERS, ([name, member]) => [name, Type.Unsafe(member.schema(limits))])),
      { $id: 'Operation', additionalProperties: false },
    ),
    {
      $id: 'Submission',
      minItems: 1,
      maxItems: limits.operations,
      description: 'becomes one record, byte for byte; may be compressed: Content-Encoding gzip or br',
    },
  );

const submissionId = Type.String({
  format: 'uuid',
  description: 'ce_id of the record',
  examples: ['01a20180-9d49-7280-ba57-f59a4da008d4'],
});
const recordMetadata = {
  operations: Type.Integer({ minimum: 1, examples: [1] }),
  topic: Type.String({ examples: ['operations'] }),
  partition: Type.Integer({ minimum: 0, examples: [0] }),
  offset: Type.Integer({ minimum: 0, format: 'int64', examples: [42] }),
};

/** The answer to a submission that every in-sync replica has. */
export const AcceptedBody = Type.Object(
  {
    message: Type.String({ examples: ['1 operation accepted'] }),
    submissionId,
    ...recordMetadata,
    statusUrl: Type.String({
      format: 'uri-reference',
      description: 'where its outcome can be read again',
      examples: ['/operations/01a20180-9d49-7280-ba57-f59a4da008d4'],
    }),
  },
  { $id: 'Accepted' },
);
export type AcceptedBody = Static<typeof AcceptedBody>;

const outcome = (value: string) => Type.Unsafe<string>({ type: 'string', const: value });

/** What became of a submission that may be in the log. */
export const SubmissionOutcomeBody = Type.Union(
  [
    Type.Object(
      { submissionId, outcome: outcome('accepted'), ...recordMetadata },
      { description: 'every in-sync replica has the record' },
    ),
    Type.Object({ submissionId, outcome: outcome('in-flight') }, { description: 'on its way to Kafka' }),
    Type.Object(
      { submissionId, outcome: outcome('unknown'), detail: Type.String({ description: 'why' }) },
      { description: 'not known now' },
    ),
  ],
  { $id: 'SubmissionOutcome' },
);
export type SubmissionOutcomeBody = Static<typeof SubmissionOutcomeBody>;
