import { BUILT_IN_SCHEMA, type OperationSchema, type OwnSchema } from '../../application/operation-schema.ts';
import type { DecimalLimits } from '../../domain/decimal.ts';
import type { JsonValue } from '../../domain/json-value.ts';
import { builtInDocument } from './built-in-document.ts';
import { jsonText } from './json-text.ts';
import { checkPatterns } from './patterns.ts';
import { schemaFileOf } from './schema-file.ts';
import { schemaRules } from './schema-rules.ts';
import { UnusableSchema } from './unusable-schema.ts';

export interface OperationSchemaOptions {
  readonly limits: DecimalLimits;
}

/**
 * Makes a schema of a file that submissions are checked against.
 * @param value the parsed file
 * @throws UnusableSchema
 */
export const operationSchemaOf = (value: JsonValue, { limits }: OperationSchemaOptions): OperationSchema => {
  const file = schemaFileOf(value, new Map([[BUILT_IN_SCHEMA.name, builtInDocument(limits)]]));
  checkPatterns(file.schema);
  if (file.name === BUILT_IN_SCHEMA.name)
    throw new UnusableSchema('/$id', `${BUILT_IN_SCHEMA.name} is the built-in schema`);
  const rules = schemaRules(file.schema);
  for (const [index, example] of file.examples.entries()) {
    const [broken] = rules(example, index);
    if (broken) throw new UnusableSchema(broken.pointer.replace('#', '/examples'), broken.detail);
  }
  const { examples: _unused, ...operation } = file.schema;
  const [first, ...others] = file.examples.map(jsonText) as [string, ...string[]];
  const own: OwnSchema = {
    dataSchema: file.dataSchema,
    rules,
    operation: operation as Record<string, unknown>,
    examples: [first, ...others],
  };
  return { name: file.name, type: file.type, own };
};
