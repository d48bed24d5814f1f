import { readFile } from 'node:fs/promises';
import { BUILT_IN_SCHEMA, type OperationSchema } from '../../application/operation-schema.ts';
import type { JsonValue } from '../../domain/json-value.ts';
import { operationSchemaOf, type OperationSchemaOptions } from './operation-schemas.ts';
import { UnusableSchema } from './unusable-schema.ts';

export { UnusableSchema };

export interface SchemaFilesOptions extends OperationSchemaOptions {
  /** in the order of preference */
  readonly files: readonly string[];
  /** what stands in `files` for the schema that needs none */
  readonly builtIn: string;
  /** parses JSON with numbers as they are written; throws */
  readonly parse: (text: string) => JsonValue;
}

const withReason = (error: unknown): UnusableSchema => new UnusableSchema('', (error as Error).message);

/**
 * Reads schemas of operations.
 * @throws UnusableSchema that names the file and the reason
 */
export const readSchemaFiles = async (options: SchemaFilesOptions): Promise<readonly OperationSchema[]> => {
  const schemas: OperationSchema[] = [];
  for (const file of options.files) {
    try {
      schemas.push(file === options.builtIn ? BUILT_IN_SCHEMA : await readSchema(file, options));
    } catch (error) {
      throw error instanceof UnusableSchema ? new UnusableSchema('', `${file}: ${error.message}`) : error;
    }
    const { name } = schemas.at(-1)!;
    if (schemas.slice(0, -1).some((other) => other.name === name))
      throw new UnusableSchema('', `${name} is given twice`);
  }
  return schemas;
};

const readSchema = async (file: string, options: SchemaFilesOptions): Promise<OperationSchema> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw withReason(error);
  });
  let value: JsonValue;
  try {
    value = options.parse(text);
  } catch (error) {
    throw withReason(error);
  }
  return operationSchemaOf(value, options);
};
