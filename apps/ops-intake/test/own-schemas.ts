import { join } from 'node:path';
import { ProblemError } from '@workspace/service-kit';
import { readSchemaFiles } from '../src/adapters/json-schema/schema-files.ts';
import { operationSchemaOf } from '../src/adapters/json-schema/operation-schemas.ts';
import type { OperationSchema } from '../src/application/operation-schema.ts';
import { parseStrictJson } from '../src/http/submit/strict-json.ts';
import { countStrictly } from '../src/http/submit/submission-body.ts';

export const limits = { operations: 10_000, fractionDigits: 8 };

const options = {
  limits,
  budgetMicros: 1_000_000,
  read: (body: Buffer, { rules }: NonNullable<OperationSchema['own']>) => {
    try {
      countStrictly(body, limits, rules);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  },
};

const read = new Map<string, Promise<readonly OperationSchema[]>>();

/** Reads schemas of `examples/` as the service does, each once. */
export const exampleSchemas = async (...names: string[]): Promise<readonly OperationSchema[]> => {
  const schemas = names.map((name) => {
    const file = name === 'built-in' ? name : join(import.meta.dirname, '../examples', name);
    const parse = (text: string) => parseStrictJson(text, 64);
    const one = read.get(name) ?? readSchemaFiles({ ...options, files: [file], builtIn: 'built-in', parse });
    read.set(name, one);
    return one;
  });
  return (await Promise.all(schemas)).flat();
};

/** The schema of a text, as a file would have it. */
export const schemaOfText = (text: string, budgetMicros = options.budgetMicros): OperationSchema =>
  operationSchemaOf(parseStrictJson(text, 64), { ...options, budgetMicros });
