import type { ErrorObject } from 'ajv/dist/2020.js';
import { fragmentStep } from '@workspace/schemas';
import type { Violation } from '../../domain/submission.ts';
import type { NumberError } from './validators.ts';

/** Alternatives: which of them was meant is not known, so what is wrong in each is left out. */
const ALTERNATIVES = ['anyOf', 'oneOf'];
const MOST_LISTED = 20;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  number: 'a JSON number',
  string: 'a string',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
  null: 'null',
};

const alternatives = (values: readonly string[]): string => {
  const shown = values.length > MOST_LISTED ? [...values.slice(0, MOST_LISTED), '…'] : values;
  return shown.join(', ').replace(/, ([^,]*)$/, ' or $1');
};

interface Texts {
  readonly title?: string;
  readonly description?: string;
}

/** What is wrong, in words; `step` is the member that is missing or too much. */
interface Broken {
  readonly code: string;
  readonly rule: string;
  readonly step?: string;
}

const LIMITS: Readonly<Record<string, readonly [bound: string, noun: string]>> = {
  maxLength: ['at most', 'character'],
  minLength: ['at least', 'character'],
  maxItems: ['at most', 'element'],
  minItems: ['at least', 'element'],
  maxProperties: ['at most', 'member'],
  minProperties: ['at least', 'member'],
};

const enumerated = (schema: Readonly<Record<string, unknown>>): Broken => ({
  code: 'enum',
  rule: `must be ${alternatives((schema['enum'] as unknown[]).map((value) => JSON.stringify(value)))}`,
});

const brokenRule = ({ keyword, params, parentSchema }: ErrorObject): Broken => {
  const schema = parentSchema as Readonly<Record<string, unknown>>;
  const limited = LIMITS[keyword];
  if (limited) {
    const [bound, noun] = limited;
    const { limit } = params as { limit: number };
    return { code: keyword, rule: `must have ${bound} ${limit} ${noun}${limit === 1 ? '' : 's'}` };
  }
  switch (keyword) {
    case 'required':
      return {
        code: 'required',
        rule: `${String(params['missingProperty'])} is missing`,
        step: String(params['missingProperty']),
      };
    case 'dependentRequired':
      return {
        code: 'required',
        rule: `${String(params['missingProperty'])} is missing, which ${String(params['property'])} needs`,
        step: String(params['missingProperty']),
      };
    case 'additionalProperties':
      return { code: 'unknown', rule: 'no such member', step: String(params['additionalProperty']) };
    case 'false schema':
      return { code: 'unknown', rule: 'not allowed here' };
    case 'type': {
      if (schema['enum'] !== undefined) return enumerated(schema);
      const types = [params['type'] as string | string[]].flat();
      return { code: 'type', rule: `must be ${types.map((type) => TYPE_NAMES[type]).join(' or ')}` };
    }
    case 'enum':
      return enumerated(schema);
    case 'number': {
      const { code, detail } = params as NumberError;
      return { code, rule: detail };
    }
    case 'pattern':
      return { code: keyword, rule: `must match ${String(schema['pattern'])}` };
    case 'format':
      return { code: keyword, rule: `must be in the format ${String(schema['format'])}` };
    case 'anyOf':
      return { code: keyword, rule: 'must fit one of the alternatives' };
    case 'oneOf':
      return { code: keyword, rule: 'must fit exactly one of the alternatives' };
    default:
      return { code: keyword, rule: `must not be like this (${keyword})` };
  }
};

/** Whose title and description explain the violation. */
const textsOf = ({ keyword, params, parentSchema }: ErrorObject, step: string | undefined): Texts => {
  if (keyword === 'number') return params as NumberError;
  const schema = (parentSchema ?? {}) as Texts & { properties?: Readonly<Record<string, Texts | boolean>> };
  if (step === undefined) return schema;
  if (keyword === 'additionalProperties') return {};
  const member = schema.properties?.[step];
  return typeof member === 'object' ? member : {};
};

const sentence = (rule: string, { title, description }: Texts): string =>
  `${title === undefined ? '' : `${title}: `}${rule}${description === undefined ? '' : ` (${description})`}`;

const fragmentOf = (instancePath: string): string =>
  instancePath
    .split('/')
    .slice(1)
    .map((step) => fragmentStep(step.replaceAll('~1', '/').replaceAll('~0', '~')))
    .join('');

/** The violations that ajv found in one operation: for each pointer the first rule that is broken there. */
export const schemaViolations = (errors: readonly ErrorObject[], pointer: string): Violation[] => {
  const unions = errors.filter(({ keyword }) => ALTERNATIVES.includes(keyword));
  const isWithin = (error: ErrorObject, union: ErrorObject): boolean =>
    error !== union &&
    error.schemaPath.startsWith(`${union.schemaPath}/`) &&
    `${error.instancePath}/`.startsWith(`${union.instancePath}/`);
  const found = new Map<string, Violation>();
  for (const error of errors) {
    // Its `then` or `else` says what is wrong.
    if (error.keyword === 'if' || unions.some((union) => isWithin(error, union))) continue;
    const { code, rule, step } = brokenRule(error);
    const at = pointer + fragmentOf(error.instancePath) + (step === undefined ? '' : fragmentStep(step));
    if (!found.has(at)) found.set(at, { pointer: at, code, detail: sentence(rule, textsOf(error, step)) });
  }
  return [...found.values()];
};
