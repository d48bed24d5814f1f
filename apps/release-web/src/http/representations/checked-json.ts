import type { TSchema } from '@sinclair/typebox';
import { newAjv } from '@workspace/service-kit';

type Validate = ReturnType<ReturnType<typeof newAjv>['compile']>;
const validators = new WeakMap<TSchema, Validate>();

/**
 * JSON text of a value that its schema agrees with: a description that is wrong is worse than none.
 * @throws Error when they differ, which is a mistake in this service
 */
export const checkedJson = (schema: TSchema, value: unknown): string => {
  const validate = validators.get(schema) ?? newAjv().compile(schema);
  validators.set(schema, validate);
  if (!validate(value))
    throw new Error(`a response differs from its schema: ${JSON.stringify(validate.errors)}`);
  return JSON.stringify(value);
};
