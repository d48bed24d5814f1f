import { type TSchema, Type } from '@sinclair/typebox';
import type { OperationSchema } from '../../application/operation-schema.ts';
import type { SubmissionLimits } from '../../domain/submission.ts';
import { typeName } from '../../http/contract/type-name.ts';
import { submissionSchema } from '../../http/submit/submission-schema.ts';

/** One operation by one schema, for the description of the API. */
const operationOf = (
  { name, own }: OperationSchema,
  limits: SubmissionLimits,
  id = typeName(name),
): TSchema =>
  own
    ? Type.Unsafe({
        ...own.operation,
        $id: id,
        examples: own.examples.map((example): unknown => JSON.parse(example)),
      })
    : { ...(submissionSchema(limits).items as TSchema), $id: id };

/** A submission by the schemas in use, in the words of JSON Schema, for the description of the API. */
export const submissionSchemaOf = (
  schemas: readonly OperationSchema[],
  limits: SubmissionLimits,
): TSchema => {
  const { minItems, maxItems, description = '', $id = '' } = submissionSchema(limits);
  const bounds = { type: 'array', minItems, maxItems };
  const [first, ...others] = schemas;
  if (first && others.length === 0)
    return Type.Unsafe({ $id, ...bounds, description, items: operationOf(first, limits, 'Operation') });
  return Type.Unsafe({
    $id,
    description,
    anyOf: schemas.map((schema) => ({
      ...bounds,
      title: schema.name,
      items: operationOf(schema, limits),
    })),
  });
};
