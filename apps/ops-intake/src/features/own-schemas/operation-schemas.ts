import { BUILT_IN_SCHEMA, type OperationSchema, type OwnSchema } from '../../application/operation-schema.ts';
import { type DecimalLimits, MOST_DIGITS } from '../../domain/decimal.ts';
import { type JsonValue, NumberLexeme } from '../../domain/json-value.ts';
import { MEMBERS } from '../../domain/operation.ts';
import { NO_VIOLATIONS, type OperationRules } from '../../domain/submission.ts';
import { viewOf } from './operation-view.ts';
import { checkPatterns } from './patterns.ts';
import { schemaFileOf } from './schema-file.ts';
import type { SchemaObject } from './schema-node.ts';
import { schemaViolations } from './schema-violations.ts';
import { UnusableSchema } from './unusable-schema.ts';
import { validatorsOf } from './validators.ts';

/** An operation with more values than this is reported by its first violation alone: each takes memory. */
const MOST_REPORTED_VALUES = 200;

/** The rules of a schema, judged by ajv on the texts of numbers. @throws UnusableSchema */
const rulesOf = (schema: SchemaObject): OperationRules => {
  const { isValid, first, report } = validatorsOf(schema);
  return (element, index) => {
    const { value, values } = viewOf(element);
    if (isValid(value)) return NO_VIOLATIONS;
    const validate = values > MOST_REPORTED_VALUES ? first : report;
    validate(value);
    return schemaViolations(validate.errors ?? [], `#/${index}`);
  };
};

/** The built-in schema in the words of a schema file: what `$ref: operations.v1#/properties/…` refers to. */
const builtInDocument = (limits: DecimalLimits): object => ({
  type: 'object',
  required: [...MEMBERS.keys()],
  additionalProperties: false,
  properties: Object.fromEntries(
    Array.from(MEMBERS, ([name, member]) => {
      const { examples: _unused, ...schema } = member.schema(limits) as Record<string, unknown>;
      const decimal = { format: 'decimal', precision: MOST_DIGITS, scale: limits.fractionDigits };
      return [name, schema['type'] === 'number' ? { ...schema, ...decimal } : schema];
    }),
  ),
});

/** A parsed value as JSON text, with numbers as they were written. */
const jsonText = (value: JsonValue): string => {
  if (value instanceof NumberLexeme) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join()}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  return `{${Array.from(value, ([name, one]) => `${JSON.stringify(name)}:${jsonText(one)}`).join()}}`;
};

/**
 * Makes a schema of a file that submissions are checked against.
 * @param value the parsed file
 * @throws UnusableSchema
 */
export const operationSchemaOf = (value: JsonValue, limits: DecimalLimits): OperationSchema => {
  const file = schemaFileOf(value, new Map([[BUILT_IN_SCHEMA.name, builtInDocument(limits)]]));
  checkPatterns(file.schema);
  if (file.name === BUILT_IN_SCHEMA.name)
    throw new UnusableSchema('/$id', `${BUILT_IN_SCHEMA.name} is the built-in schema`);
  const rules = rulesOf(file.schema);
  for (const [index, example] of file.examples.entries()) {
    const [broken] = rules(example, index);
    if (broken) throw new UnusableSchema(broken.pointer.replace('#', '/examples'), broken.detail);
  }
  const { examples: _unused, ...operation } = file.schema;
  const own: OwnSchema = {
    dataSchema: file.dataSchema,
    rules,
    operation: operation as Record<string, unknown>,
    examples: file.examples.map(jsonText) as [string, ...string[]],
  };
  return { name: file.name, type: file.type, own };
};
