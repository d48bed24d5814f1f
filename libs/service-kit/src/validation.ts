import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { newAjv } from './ajv.ts';

/**
 * Text is coerced, JSON is validated as it is: path, query and headers are text by nature, so `"10"` may become 10 there;
 * a body says what it means, and turning its `null` into 0 would be data loss.
 */
export const validatorCompiler = (): FastifySchemaCompiler<FastifySchema> => {
  const json = once(() => newAjv({ verbose: true }));
  const text = once(() => newAjv({ coerceTypes: 'array', useDefaults: true, verbose: true }));
  return ({ schema, httpPart }) => {
    // Compiled for the first request: a service has dozens of schemas, and compiling them takes longer than the rest of its
    // start.
    const validator = once(() => (httpPart === 'body' ? json() : text()).compile(schema));
    return (data) => validator()(data) || { error: validator().errors as FastifySchemaValidationError[] };
  };
};

/** A function that is called when its result is first needed. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
