import {
  FormatRegistry,
  type Static,
  type TObject,
  type TSchema,
  type TString,
  Type,
} from '@sinclair/typebox';
import { Errors } from '@sinclair/typebox/errors';
import { Default } from '@sinclair/typebox/value';
import { StartupError } from './startup-error.ts';

/** An environment that cannot be used. `violations` has one sentence for each; the message lists them all. */
export class ConfigError extends StartupError {
  override readonly name = 'ConfigError';
  readonly violations: readonly string[];
  constructor(violations: readonly string[]) {
    super(`Invalid configuration:\n${violations.map((violation) => `  - ${violation}`).join('\n')}`);
    this.violations = violations;
  }
}

const HTTP_URL = 'http-url';
FormatRegistry.Set(HTTP_URL, (text) => /^https?:\/\/\S+$/.test(text) && URL.canParse(text));

/**
 * A variable that holds the URL of an HTTP server.
 * @param without characters that it must not contain, such as `?#` where paths are appended to it
 */
export const httpUrl = (description: string, without?: string): TString =>
  Type.String({
    description,
    format: HTTP_URL,
    ...(without !== undefined && { pattern: `^[^${without}]*$`, without }),
  });

const SECRET = /PASSWORD|SECRET|TOKEN|KEY/;
/** A URL with a user or a password. */
const LOGIN = /:\/\/.*@/;

/** Text to the schema's type, only where the text is exactly that; anything else stays text, which validation then rejects. */
const coerce = (text: string, schema: TSchema): unknown => {
  if (schema['type'] === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (schema['type'] === 'number' && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (schema['type'] === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
};

const expectation = (schema: TSchema): string => {
  const literals = (schema['anyOf'] as TSchema[] | undefined)?.map((option) => option['const']);
  if (schema['const'] !== undefined) return `must be ${schema['const']}`;
  if (literals) return `must be one of ${literals.join(', ')}`;
  if (schema['type'] === 'boolean') return 'must be true or false';
  if (schema['format'] === HTTP_URL) {
    const { without } = schema as { without?: string };
    return `must be an http:// or https:// URL${without === undefined ? '' : ` without any of ${without}`}`;
  }
  const article = schema['type'] === 'integer' ? 'an integer' : `a ${schema['type']}`;
  const bounds = [
    schema['minimum'] !== undefined && `at least ${schema['minimum']}`,
    schema['maximum'] !== undefined && `at most ${schema['maximum']}`,
    schema['minLength'] !== undefined && `of at least ${schema['minLength']} characters`,
    schema['pattern'] !== undefined && `matching ${schema['pattern']}`,
  ].filter(Boolean);
  return `must be ${article}${bounds.length ? ` ${bounds.join(' and ')}` : ''}`;
};

/** Checked without compiling the schema: an environment is read once. */
const invalidNames = (schema: TObject, given: unknown): Set<string> =>
  new Set([...Errors(schema, given)].map(({ path }) => path.slice(1)));

const violationOf = (name: string, value: unknown, property: TSchema): string => {
  if (value === undefined) return `${name} is not set; it ${expectation(property)}`;
  const text = JSON.stringify(value);
  const shown = SECRET.test(name) || LOGIN.test(text) ? '' : `, not ${text}`;
  return `${name} ${expectation(property)}${shown}`;
};

/** Names without what is easily left out, added or mixed up: `API_KEY_FILES` is like `API_KEYS_FILE`. */
const skeleton = (name: string): string =>
  name
    .toUpperCase()
    .split('_')
    .filter((word) => word !== 'FILE' && word !== 'PATH')
    .map((word) => word.replace(/S$/, ''))
    .join('');

/** Whether a text becomes another by one letter more, less or instead of one, or by two letters in turn. */
const isOneLetterApart = (one: string, other: string): boolean => {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end--;
    otherEnd--;
  }
  const [rest, otherRest] = [one.slice(start, end), other.slice(start, otherEnd)];
  return (
    (rest.length <= 1 && otherRest.length <= 1) ||
    (rest.length === 2 && rest === [...otherRest].reverse().join(''))
  );
};

/** Shorter names are like many others, such as HOST and HOSTS. */
const MIN_NAME = 8;

/** Variables that are no settings but look like one: what they should restrict would be open. */
const misspelt = (names: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env).flatMap((given) => {
    if (given.length < MIN_NAME || names.includes(given) || !env[given]?.trim()) return [];
    const meant = names.find(
      (name) =>
        name.length >= MIN_NAME &&
        (skeleton(name) === skeleton(given) || isOneLetterApart(name, given.toUpperCase())),
    );
    return meant === undefined ? [] : [`${given} is not a setting; did you mean ${meant}?`];
  });

/**
 * Reads a whole environment at once.
 *
 * Every property of `schema` is the name of a variable; its `default` is the only home of that default. An empty
 * variable counts as unset. Integers, numbers and booleans are taken from text strictly (`8080`, `true`). A variable whose name
 * looks like a misspelt setting is a violation.
 *
 * @param check further violations that need several variables or a parser, one sentence each. An invalid variable has its
 *   default there; `check` is not called while a required variable is missing
 * @returns the frozen configuration
 * @throws ConfigError naming every violation
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
  Default(schema, given);
  const violations = misspelt(Object.keys(schema.properties), env);
  for (const name of invalidNames(schema, given)) {
    const property = schema.properties[name] as TSchema;
    violations.push(violationOf(name, given[name], property));
    delete given[name];
  }
  // The rest is still checked, with defaults for invalid variables: one message names every violation.
  Default(schema, given);
  if (invalidNames(schema, given).size === 0) violations.push(...check(given as Static<T>));
  if (violations.length) throw new ConfigError(violations);
  return Object.freeze(given) as Static<T>;
};
