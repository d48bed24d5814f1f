import { type TSchema, Type } from '@sinclair/typebox';
import type { OperationSchema } from '../../application/operation-schema.ts';
import type { SubmissionLimits } from '../../domain/submission.ts';
import { submissionSchema } from './submission-schema.ts';

/** `fx-orders.v2.1` as the name of a type in generated clients: `FxOrdersV2_1`. */
export const typeName = (name: string): string =>
  name
    .replace(/(^|[-.])([a-z])/g, (_match, _separator, letter: string) => letter.toUpperCase())
    .replaceAll('-', '')
    .replaceAll('.', '_');

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
