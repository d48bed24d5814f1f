import { type AnySchemaObject, Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { type NumberRules, numberViolation } from './number-rules.ts';
import { BOUNDS, numberRulesOf } from './number-keywords.ts';
import { LEXEMES } from './operation-view.ts';
import { eachSubschema, mapSubschemas, type SchemaNode, type SchemaObject, typesOf } from './schema-node.ts';
import { UnusableSchema } from './unusable-schema.ts';

/** Formats of strings that are judged; an unknown one would say what nothing checks. */
const FORMATS = [
  'date',
  'time',
  'date-time',
  'duration',
  'uuid',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
] as const;

/** What the keyword `number` says was wrong, and what the schema calls it: ajv adds that to its own keywords only. */
export interface NumberError {
  readonly code: string;
  readonly detail: string;
  readonly title?: string;
  readonly description?: string;
}

const ajvWith = (options: Options): Ajv2020 => {
  const ajv = new Ajv2020({
    messages: false,
    ...options,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    // The document was checked, and this copy of it has keywords of our own.
    validateSchema: false,
    logger: false,
  });
  for (const name of FORMATS) ajv.addFormat(name, fullFormats[name]);
  ajv.addKeyword({
    keyword: 'number',
    type: 'number',
    schemaType: 'object',
    errors: true,
    compile: (rules: NumberRules, parent: AnySchemaObject) => {
      const { title, description } = parent as Pick<SchemaObject, 'title' | 'description'>;
      const judge: { (value: number, context?: DataValidationCxt): boolean; errors?: object[] } = (
        _value,
        context,
      ) => {
        const { parentData, parentDataProperty } = context as DataValidationCxt;
        const lexemes = (parentData as { [LEXEMES]?: Record<string, string> })[LEXEMES];
        const violation = numberViolation(lexemes?.[parentDataProperty] ?? '', rules);
        if (violation)
          judge.errors = [
            { keyword: 'number', message: violation.detail, params: { ...violation, title, description } },
          ];
        return violation === undefined;
      };
      return judge;
    },
  });
  return ajv;
};

/** A schema for ajv: what it says of numbers is in a keyword of our own, and judged on their texts. */
const forAjv = (schema: SchemaNode, at: string): SchemaNode => {
  if (typeof schema === 'boolean') return schema;
  const { const: only, ...rest } = schema;
  const one: SchemaObject = 'const' in schema ? { ...rest, enum: [only] } : rest;
  const rules = numberRulesOf(one, at);
  const copy = mapSubschemas(one, at, forAjv);
  for (const keyword of [...BOUNDS, 'precision', 'scale', 'examples', 'default']) delete copy[keyword];
  const types = typesOf(one);
  if (types) copy['type'] = [...new Set(types.map((type) => (type === 'integer' ? 'number' : type)))];
  if (types?.includes('number') || types?.includes('integer')) delete copy['format'];
  else if (one.format !== undefined && !(FORMATS as readonly string[]).includes(one.format))
    throw new UnusableSchema(`${at}/format`, `must be one of ${FORMATS.join(', ')}, or decimal`);
  if (rules?.values) delete copy['enum'];
  return (rules ? { ...copy, number: rules } : copy) as SchemaObject;
};

const checkValues = (schema: SchemaObject, at: string): void => {
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (values?.some((value) => typeof value === 'object' && value !== null))
    throw new UnusableSchema(at, 'enum and const may have no objects and no arrays');
  const types = typesOf(schema) ?? [];
  const isNumeric = values?.some((value) => typeof value === 'number');
  if (
    isNumeric &&
    !(values?.every((value) => typeof value === 'number') && /^(number|integer)$/.test(types.join()))
  )
    throw new UnusableSchema(
      at,
      'enum or const with a number needs type number or integer, and only numbers',
    );
};

export interface Validators {
  /** stops at the first error, of which it says little */
  readonly isValid: ValidateFunction;
  /** stops at the first error */
  readonly first: ValidateFunction;
  /** lists all errors */
  readonly report: ValidateFunction;
}

/**
 * Compiles a schema, once for all submissions.
 * @throws UnusableSchema
 */
export const validatorsOf = (schema: SchemaObject): Validators => {
  eachSubschema(schema, checkValues);
  const copy = forAjv(schema, '') as AnySchemaObject;
  try {
    return {
      isValid: ajvWith({}).compile(copy),
      first: ajvWith({ verbose: true }).compile(copy),
      report: ajvWith({ verbose: true, allErrors: true }).compile(copy),
    };
  } catch (error) {
    throw new UnusableSchema('', `ajv cannot compile it: ${(error as Error).message}`);
  }
};
