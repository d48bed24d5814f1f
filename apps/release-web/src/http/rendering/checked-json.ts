import { FormatRegistry, type TSchema } from '@sinclair/typebox';
import { Errors } from '@sinclair/typebox/errors';
import { Check } from '@sinclair/typebox/value';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { newAjv } from '@workspace/service-kit';
import { Representation, type RepresentationOptions } from './representation.ts';

type Validate = (value: unknown) => boolean;

// TypeBox knows no formats of its own.
for (const name of ['date', 'date-time', 'uri', 'uri-reference'] as const) {
  const format = fullFormats[name] as Validate | { validate: Validate };
  FormatRegistry.Set(name, typeof format === 'function' ? format : format.validate);
}

/** undefined for a schema that has been used once */
const validators = new WeakMap<TSchema, Validate | undefined>();

/**
 * Whether a schema agrees with a value. Most schemas are used once for each snapshot, and interpreting them takes a tenth of
 * the time that compiling them takes, which was a quarter of the service's start. The second use compiles a schema.
 */
const agrees = (schema: TSchema, value: unknown): boolean => {
  if (!validators.has(schema)) {
    validators.set(schema, undefined);
    return Check(schema, value);
  }
  const validate = validators.get(schema) ?? newAjv().compile(schema);
  validators.set(schema, validate);
  return validate(value);
};

/**
 * JSON text of a value that its schema agrees with: a description that is wrong is worse than none.
 * @throws Error when they differ, which is a mistake in this service
 */
export const checkedJson = (schema: TSchema, value: unknown): string => {
  if (!agrees(schema, value))
    throw new Error(`a response differs from its schema: ${JSON.stringify([...Errors(schema, value)])}`);
  return JSON.stringify(value);
};

/** The same text as an answer. @throws as `checkedJson` */
export const jsonRepresentation = (
  schema: TSchema,
  value: unknown,
  options?: RepresentationOptions,
): Representation =>
  new Representation('application/json; charset=utf-8', checkedJson(schema, value), options);
