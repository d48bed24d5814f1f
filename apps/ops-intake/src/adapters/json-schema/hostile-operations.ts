import type { JsonValue } from '../../domain/json-value.ts';
import { jsonText } from './json-text.ts';
import { eachSubschema, type SchemaObject } from './schema-node.ts';

/** Values of each example that are replaced. */
const MOST_PLACES = 40;
const MOST_LENGTHS = 2;
const MOST_LETTERS = 8;
const MOST_MEMBERS = 300;

/** An operation that takes time to judge, as JSON text. */
export interface HostileOperation {
  readonly text: string;
  /** what was done to an example */
  readonly what: string;
}

/** Lengths up to which strings are allowed, and letters that patterns know. */
const stringsOf = (schema: SchemaObject): string[] => {
  const lengths = new Set([64]);
  const letters = new Set<string>();
  eachSubschema(schema, ({ maxLength, pattern = '' }) => {
    if (maxLength !== undefined) lengths.add(maxLength);
    for (const letter of pattern) if (!'^$\\[]{}()?*+|'.includes(letter)) letters.add(letter);
  });
  const longest = [...lengths].sort((one, other) => other - one).slice(0, MOST_LENGTHS);
  return [...letters]
    .slice(0, MOST_LETTERS)
    .flatMap((letter) =>
      longest.flatMap((length) => [letter.repeat(length), `${letter.repeat(length - 1)}!`]),
    );
};

const zeros = '0'.repeat(1_000);
const NUMBERS = ['-1', '1e400', `1${zeros}`, `0.${zeros}1`, `1.${zeros}1e5`, '0.1'];
const deep = '['.repeat(12) + ']'.repeat(12);

interface Place {
  readonly path: readonly (string | number)[];
  readonly value: JsonValue;
}

/** The values in an example, members of members included. */
function* placesIn(value: JsonValue, path: Place['path'] = []): Generator<Place> {
  if (path.length > 0) yield { path, value };
  const entries = value instanceof Map ? value.entries() : Array.isArray(value) ? value.entries() : [];
  for (const [step, one] of entries) yield* placesIn(one, [...path, step]);
}

/** The text of an example in which one value is another text. */
const replaced = (value: JsonValue, path: readonly (string | number)[], text: string): string => {
  const [step, ...rest] = path;
  if (step === undefined) return text;
  const inner = (one: JsonValue, key: string | number): string =>
    key === step ? replaced(one, rest, text) : jsonText(one);
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  const members = [...(value as Map<string, JsonValue>)];
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${inner(one, name)}`).join()}}`;
};

/** Operations made from the examples of a schema: as they are, and with values and members that take time to judge. */
export function* hostileOperations(
  schema: SchemaObject,
  examples: readonly JsonValue[],
): Generator<HostileOperation> {
  const strings = stringsOf(schema).map((text) => JSON.stringify(text));
  const others = [...NUMBERS, 'null', '{}', deep, `[${Array(500).fill('0').join()}]`];
  const members = Array.from({ length: MOST_MEMBERS }, (_, index) => `"n${index}":0`).join();
  for (const example of examples.slice(0, 3)) {
    const whole = jsonText(example);
    yield { text: whole, what: 'an example' };
    yield { text: whole.replace(/\}$/, `,${members}}`).replace('{,', '{'), what: 'unknown members' };
    yield { text: '{}', what: 'no members' };
    for (const { path, value } of [...placesIn(example)].slice(0, MOST_PLACES)) {
      for (const text of typeof value === 'string' ? [...strings, ...others] : others) {
        const shown = text.length > 20 ? `${text.slice(0, 20)}…` : text;
        yield { text: replaced(example, path, text), what: `${path.join('/')} = ${shown}` };
      }
    }
  }
}
