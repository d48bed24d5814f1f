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
import { fileVariableOf } from '@workspace/schemas';
import { readSecretFile } from './secrets.ts';
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
FormatRegistry.Set(HTTP_URL, (text) => {
  const { username, password } = URL.parse(text) ?? {};
  return /^https?:\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(text) && username === '' && password === '';
});

/**
 * A variable that holds the URL of an HTTP server in the characters of RFC 3986, as headers and feeds take it, and without a login:
 * URLs are logged and linked to.
 * @param without characters that it must not contain, such as `?#` where paths are appended to it
 */
export const httpUrl = (description: string, without?: string): TString =>
  Type.String({
    description,
    format: HTTP_URL,
    ...(without !== undefined && { pattern: `^[^${without}]*$`, without }),
  });

/** The words that a setting may have; undefined where it may have others. */
const wordsOf = (schema: TSchema): unknown[] | undefined =>
  'const' in schema
    ? [schema['const']]
    : (schema['anyOf'] as TSchema[] | undefined)?.map((option) => option['const']);

/** `SCRAM-SHA-512`, `AWS_MSK_IAM` and `INFO` are what others call `scram-sha-512`, `aws-msk-iam` and `info`. */
const plainWord = (word: unknown): string => String(word).toLowerCase().replaceAll('_', '-');

/**
 * Text to the schema's type, only where the text is exactly that; anything else stays text, which validation then rejects. A
 * word may be in capitals, and have underscores for hyphens.
 */
const coerce = (text: string, schema: TSchema): unknown => {
  if (schema['type'] === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (schema['type'] === 'number' && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (schema['type'] === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return wordsOf(schema)?.find((word) => plainWord(word) === plainWord(text)) ?? text;
};

const expectation = (schema: TSchema): string => {
  const words = wordsOf(schema);
  if (words) return `must be ${words.length > 1 ? 'one of ' : ''}${words.join(', ')}`;
  if (schema['type'] === 'boolean') return 'must be true or false';
  if (schema['format'] === HTTP_URL) {
    const { without } = schema as { without?: string };
    return `must be an http:// or https:// URL in ASCII without a login${without === undefined ? '' : ` or any of ${without}`}`;
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

const isText = (schema: TSchema): boolean => schema['type'] === 'string' && !wordsOf(schema);

/** What stands where a number or a word is wanted; a URL or a list, which may hold a secret, is not shown. */
const shown = (value: unknown): string =>
  /^[\w.-]*$/.test(String(value)) ? `, not ${JSON.stringify(value)}` : '';

const violationOf = (name: string, value: unknown, property: TSchema): string => {
  if (value === undefined) return `${name} is not set; it ${expectation(property)}`;
  return `${name} ${expectation(property)}${isText(property) ? '' : shown(value)}`;
};

/** Names without what is easily left out, added or mixed up: `API_KEY_FILES` is like `API_KEYS_FILE`, `TRUSTED_PROXY` like `TRUST_PROXY`. */
const skeleton = (name: string): string =>
  name
    .toUpperCase()
    .split('_')
    .filter((word) => word !== 'FILE' && word !== 'PATH')
    .map((word) => word.replace(/IES$/, 'Y').replace(/(?:S|ED?)$/, ''))
    .sort()
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
    if (names.includes(given) || !env[given]?.trim()) return [];
    const meant = names.find(
      (name) =>
        name.length >= MIN_NAME &&
        (skeleton(name) === skeleton(given) || isOneLetterApart(name, given.toUpperCase())),
    );
    return meant === undefined ? [] : [`${given} is not a setting; did you mean ${meant}?`];
  });

/** Variables that differ from their defaults and do nothing, see `onlyWith`. */
const withoutEffect = (schema: TObject, given: Readonly<Record<string, unknown>>): string[] =>
  Object.entries<TSchema>(schema.properties).flatMap(([name, { onlyWith: other, default: unset }]) =>
    other === undefined || given[name] === unset || given[other]
      ? []
      : [`${name} is set, but ${other} is not`],
  );

/**
 * Reads a whole environment at once.
 *
 * Every property of `schema` is the name of a variable; its `default` is the only home of that default. An empty
 * variable counts as unset. Integers, numbers and booleans are taken from text strictly (`8080`, `true`). A variable whose name
 * looks like a misspelt setting is a violation. A `secret` may be in a file. Violations never show the value of a text: it may be, or hold, a secret.
 *
 * @param check further violations that need several variables or a parser, one sentence each. An invalid variable has its
 *   default there, so what names one is left out; `check` is not called while a required variable is missing
 * @returns the frozen configuration
 * @throws ConfigError naming every violation
 */
export const readConfig = <T extends TObject>(
  schema: T,
  env: Readonly<Record<string, string | undefined>>,
  check: (config: Static<T>) => readonly string[] = () => [],
): Static<T> => {
  const given: Record<string, unknown> = {};
  const files: Record<string, string> = {};
  const violations: string[] = [];
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    const text = env[name]?.trim();
    if (text) given[name] = coerce(text, property);
    const variable = fileVariableOf(name, property);
    const path = variable && env[variable]?.trim();
    if (!variable || !path) continue;
    if (text) violations.push(`${name} and ${variable} must not be set together`);
    else {
      files[variable] = path;
      try {
        given[name] = readSecretFile(variable, path);
      } catch (error) {
        violations.push((error as Error).message);
      }
    }
  }
  Default(schema, given);
  const names = Object.entries<TSchema>(schema.properties).flatMap(([name, property]) => [
    name,
    fileVariableOf(name, property) ?? [],
  ]);
  violations.push(...misspelt(names.flat(), env));
  const invalid = invalidNames(schema, given);
  for (const name of invalid) {
    const property = schema.properties[name] as TSchema;
    violations.push(violationOf(name, given[name], property));
    delete given[name];
  }
  // The rest is still checked, with defaults for invalid variables: one message names every violation.
  Default(schema, given);
  const isOfInvalid = (violation: string): boolean =>
    violation.match(/\b[A-Z][A-Z0-9_]+\b/g)?.some((name) => invalid.has(name)) ?? false;
  if (invalidNames(schema, given).size === 0) {
    const found = [...withoutEffect(schema, given), ...check(given as Static<T>)];
    violations.push(...found.filter((violation) => !isOfInvalid(violation)));
  }
  if (violations.length) throw new ConfigError(violations);
  return Object.freeze({ ...given, ...files }) as Static<T>;
};
