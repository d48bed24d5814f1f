import { join } from 'node:path';
import { readSchemaFiles } from '../src/features/own-schemas/schema-files.ts';
import { operationSchemaOf } from '../src/features/own-schemas/operation-schemas.ts';
import type { OperationSchema } from '../src/application/operation-schema.ts';
import { parseStrictJson } from '../src/http/submit/strict-json.ts';

export const limits = { operations: 10_000, fractionDigits: 8 };

const read = new Map<string, Promise<readonly OperationSchema[]>>();

/** Reads schemas of `examples/` as the service does, each once. */
export const exampleSchemas = async (...names: string[]): Promise<readonly OperationSchema[]> => {
  const schemas = names.map((name) => {
    const file = name === 'built-in' ? name : join(import.meta.dirname, '../examples', name);
    const one = read.get(name) ?? readSchemaFiles([file], limits);
    read.set(name, one);
    return one;
  });
  return (await Promise.all(schemas)).flat();
};

/** The schema of a text, as a file would have it. */
export const schemaOfText = (text: string): OperationSchema =>
  operationSchemaOf(parseStrictJson(text, 64), limits);
