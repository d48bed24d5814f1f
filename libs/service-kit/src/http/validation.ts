import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import { newAjv } from './ajv.ts';

/**
 * Text is coerced, JSON is validated as it is: path, query and headers are text by nature, so `"10"` may become 10 there;
 * a body says what it means, and turning its `null` into 0 would be data loss.
 */
export const validatorCompiler = (): FastifySchemaCompiler<FastifySchema> => {
  const json = newAjv();
  const text = newAjv({ coerceTypes: 'array', useDefaults: true });
  return ({ schema, httpPart }) => (httpPart === 'body' ? json : text).compile(schema);
};
