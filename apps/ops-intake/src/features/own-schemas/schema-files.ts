import { readFile } from 'node:fs/promises';
import { BUILT_IN_SCHEMA, type OperationSchema } from '../../application/operation-schema.ts';
import type { DecimalLimits } from '../../domain/decimal.ts';
import type { JsonValue } from '../../domain/json-value.ts';
import { parseStrictJson } from '../../http/submit/strict-json.ts';
import { operationSchemaOf } from './operation-schemas.ts';
import { UnusableSchema } from './unusable-schema.ts';

/** What stands in OPERATION_SCHEMA_FILE for the schema that needs no file. */
const BUILT_IN = 'built-in';

/** How deep a schema may nest: deeper than what it describes. */
const SCHEMA_LEVELS = 64;

/**
 * Reads schemas of operations.
 * @param files in the order of preference
 * @throws UnusableSchema that names the file and the reason
 */
export const readSchemaFiles = async (
  files: readonly string[],
  limits: DecimalLimits,
): Promise<readonly OperationSchema[]> => {
  const schemas: OperationSchema[] = [];
  for (const file of files) {
    try {
      schemas.push(file === BUILT_IN ? BUILT_IN_SCHEMA : operationSchemaOf(await readJson(file), limits));
    } catch (error) {
      throw error instanceof UnusableSchema ? new UnusableSchema('', `${file}: ${error.message}`) : error;
    }
    const { name } = schemas.at(-1)!;
    if (schemas.slice(0, -1).some((other) => other.name === name))
      throw new UnusableSchema('', `${name} is given twice`);
  }
  return schemas;
};

const readJson = async (file: string): Promise<JsonValue> => {
  try {
    return parseStrictJson(await readFile(file, 'utf8'), SCHEMA_LEVELS);
  } catch (error) {
    throw new UnusableSchema('', (error as Error).message);
  }
};
