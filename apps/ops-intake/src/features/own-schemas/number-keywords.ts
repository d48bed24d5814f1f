import { type Bound, exactNumber, type NumberRules } from './number-rules.ts';
import { type SchemaObject, typesOf } from './schema-node.ts';
import { UnusableSchema } from './unusable-schema.ts';

export const BOUNDS = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'] as const;
/** What an own field may have at most; databases stop there, too. */
const MOST_DIGITS = 38;

const boundOf = (number: number): Bound => ({ text: String(number), value: exactNumber(String(number)) });

/** Digits, for a number; a schema must say them, so that no number is longer than consumers can take. */
const formOf = (schema: SchemaObject, at: string): NumberRules['form'] => {
  const types = typesOf(schema) ?? [];
  const { format, precision, scale } = schema;
  const isNumber = types.includes('number');
  if (!isNumber && !types.includes('integer')) {
    if (format === 'decimal') throw new UnusableSchema(`${at}/format`, 'decimal is for type number');
    return undefined;
  }
  if (isNumber && format === undefined && 'enum' in schema) return undefined;
  if (isNumber) {
    if (format !== 'decimal')
      throw new UnusableSchema(at, 'a number needs format decimal with precision and scale');
    const isWhole = (value: unknown, least: number): value is number =>
      Number.isInteger(value) && Number(value) >= least && Number(value) <= MOST_DIGITS;
    if (!isWhole(precision, 1))
      throw new UnusableSchema(`${at}/precision`, `must be a whole number from 1 to ${MOST_DIGITS}`);
    if (!isWhole(scale, 0))
      throw new UnusableSchema(`${at}/scale`, `must be a whole number from 0 to ${MOST_DIGITS}`);
    return { digits: precision, fractionDigits: scale };
  }
  if (format !== undefined && format !== 'int32' && format !== 'int64')
    throw new UnusableSchema(`${at}/format`, 'must be int32 or int64, or none, for type integer');
  return 'integer';
};

/**
 * What a schema says of numbers, apart from the keywords that ajv judges: it would judge doubles.
 * @param schema in which `const` is an `enum` of one
 * @throws UnusableSchema
 */
export const numberRulesOf = (schema: SchemaObject, at: string): NumberRules | undefined => {
  const form = formOf(schema, at);
  if (schema.format !== 'decimal' && (schema.precision ?? schema.scale) !== undefined)
    throw new UnusableSchema(at, 'precision and scale are for format decimal');
  const bounds = BOUNDS.flatMap((name) => {
    const value = schema[name];
    return value === undefined ? [] : [[name, boundOf(value)] as const];
  });
  const lowest = schema.minimum ?? schema.exclusiveMinimum;
  const highest = schema.maximum ?? schema.exclusiveMaximum;
  if (form !== undefined && schema.enum === undefined) {
    if (lowest === undefined)
      throw new UnusableSchema(at, 'a number needs minimum, which says whether it has a sign');
    if (form === 'integer' && highest === undefined) throw new UnusableSchema(at, 'an integer needs maximum');
  }
  const numbers = schema.enum?.filter((value) => typeof value === 'number');
  const values = numbers?.length ? numbers.map(boundOf) : undefined;
  if (form === undefined && bounds.length === 0 && !values) return undefined;
  return {
    ...(form !== undefined && { form }),
    isSigned: lowest === undefined ? Boolean(numbers?.some((value) => value < 0)) : lowest < 0,
    ...Object.fromEntries(bounds),
    ...(values && { values }),
  };
};
