import { Type } from '@sinclair/typebox';
import { LARGEST_QUANTITY, MOST_DIGITS } from '../../domain/decimal.ts';
import { OPERATIONS, type SubmissionLimits } from '../../domain/submission.ts';

/**
 * A submission in the words of JSON Schema, for the description of the API. `domain/submission.ts` judges: how a number
 * is written is no business of a schema, and here it is all that matters.
 */
export const submissionSchema = ({ operations, fractionDigits }: SubmissionLimits) =>
  Type.Array(
    Type.Object(
      {
        operation: Type.Unsafe<(typeof OPERATIONS)[number]>({ type: 'string', enum: OPERATIONS }),
        'unit-cost': Type.Number({
          format: 'double',
          minimum: 0,
          maximum: Number('9'.repeat(MOST_DIGITS)),
          description: `without sign, at most ${MOST_DIGITS} significant and ${fractionDigits} fraction digits; kept as it is written`,
          examples: [10, 25.5],
        }),
        quantity: Type.Integer({
          format: 'int64',
          minimum: 1,
          maximum: Number(LARGEST_QUANTITY),
          description: 'written without point or exponent',
          examples: [100],
        }),
      },
      { $id: 'Operation', additionalProperties: false },
    ),
    {
      $id: 'Submission',
      minItems: 1,
      maxItems: operations,
      description: 'becomes one record, byte for byte; may be compressed: Content-Encoding gzip or br',
    },
  );

/** The answer to a submission that every in-sync replica has. */
export const AcceptedBody = Type.Object(
  {
    message: Type.String(),
    submissionId: Type.String({ format: 'uuid', description: 'key and ce_id of the record' }),
    operations: Type.Integer({ minimum: 1 }),
    topic: Type.String(),
    partition: Type.Integer({ minimum: 0 }),
    offset: Type.Integer({ minimum: 0, format: 'int64' }),
  },
  { $id: 'Accepted' },
);
