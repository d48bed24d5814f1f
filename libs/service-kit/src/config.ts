import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { ValidateFunction } from 'ajv';
import { newAjv } from './ajv.ts';

/** An environment that cannot be used. `faults` has one sentence a fault; the message has them all. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The environment cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

const SECRET = /PASSWORD|SECRET|TOKEN|KEY/;

/** Text to the schema's type, only where the text is exactly that; anything else stays text and is then refused. */
const coerce = (text: string, schema: TSchema): unknown => {
  if (schema['type'] === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (schema['type'] === 'number' && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (schema['type'] === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
};

const expectation = (schema: TSchema): string => {
  const literals = (schema['anyOf'] as TSchema[] | undefined)?.map((option) => option['const']);
  if (literals) return `must be one of ${literals.join(', ')}`;
  if (schema['type'] === 'boolean') return 'must be true or false';
  const article = schema['type'] === 'integer' ? 'an integer' : `a ${schema['type']}`;
  const bounds = [
    schema['minimum'] !== undefined && `at least ${schema['minimum']}`,
    schema['maximum'] !== undefined && `at most ${schema['maximum']}`,
    schema['minLength'] !== undefined && `of at least ${schema['minLength']} characters`,
    schema['pattern'] !== undefined && `matching ${schema['pattern']}`,
    schema['format'] !== undefined && `in the format ${schema['format']}`,
  ].filter(Boolean);
  return `must be ${article}${bounds.length ? ` ${bounds.join(' and ')}` : ''}`;
};

const faultyNames = (errors: ValidateFunction['errors']): Set<string> =>
  new Set(errors?.map((error) => error.instancePath.slice(1) || String(error.params['missingProperty'])));

const faultOf = (name: string, value: unknown, property: TSchema): string => {
  if (value === undefined) return `${name} is not set; it ${expectation(property)}`;
  const shown = SECRET.test(name) ? '' : `, not ${JSON.stringify(value)}`;
  return `${name} ${expectation(property)}${shown}`;
};

/**
 * Reads a whole environment at once.
 *
 * Every property of `schema` is the name of a variable; its `default` is the only home of that default. An empty
 * variable counts as unset. Integers, numbers and booleans are taken from text strictly (`8080`, `true`).
 *
 * @param check further faults that need several variables or a parser, one sentence each; a variable that is faulty by itself
 *   has its default there, and nothing is asked while a required one is missing
 * @returns the frozen configuration
 * @throws ConfigError naming every fault
 */
export const readConfig = <T extends TObject>(
  schema: T,
  env: Readonly<Record<string, string | undefined>>,
  check: (config: Static<T>) => readonly string[] = () => [],
): Static<T> => {
  const given: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = env[name]?.trim();
    if (text) given[name] = coerce(text, property);
  }
  const validate = newAjv({ useDefaults: true }).compile(schema);
  const faults: string[] = [];
  if (!validate(given)) {
    for (const name of faultyNames(validate.errors)) {
      const property = schema.properties[name] as TSchema;
      faults.push(faultOf(name, given[name], property));
      delete given[name];
    }
  }
  // The rest is still judged, with defaults where a variable was faulty: one message names every fault there is.
  if (validate(given)) faults.push(...check(given as Static<T>));
  if (faults.length) throw new ConfigError(faults);
  return Object.freeze(given) as Static<T>;
};
