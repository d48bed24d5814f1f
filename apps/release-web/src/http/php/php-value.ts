import { asciiJson } from '@workspace/service-kit';
import { Representation } from '../rendering/representation.ts';

/**
 * What PHP calls an array of scalars. A `Map` keeps keys like `"8"` in the order they were set; a plain object may be
 * used where no key looks like an integer (JavaScript would move such keys to the front).
 */
export type PhpValue =
  | null
  | boolean
  | number
  | string
  | readonly PhpValue[]
  | ReadonlyMap<string, PhpValue>
  | { readonly [member: string]: PhpValue | undefined };

/** The members of a PHP array in order; a list's keys are `"0"`, `"1"`, … */
export const entriesOf = (value: object): [string, PhpValue][] =>
  value instanceof Map
    ? [...(value as ReadonlyMap<string, PhpValue>)]
    : Object.entries(value as Record<string, PhpValue | undefined>).filter(
        (entry): entry is [string, PhpValue] => entry[1] !== undefined,
      );

/** PHP turns a key into an integer when it reads exactly like one. */
export const isIntegerKey = (key: string): boolean =>
  /^(0|-?[1-9]\d*)$/.test(key) && Number.isSafeInteger(Number(key));

/**
 * A value as PHP's `json_encode` writes it without flags: compact, `/` as `\/`, everything beyond ASCII as `\uXXXX`,
 * and an empty array as `[]` even where a map is meant.
 */
export const phpJson = (value: PhpValue): string => {
  if (typeof value === 'string') return phpJsonString(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = entriesOf(value);
  // PHP has one array type: keys 0, 1, 2 … in order make it a list.
  if (entries.every(([key], index) => key === String(index))) {
    return `[${entries.map(([, member]) => phpJson(member)).join(',')}]`;
  }
  return `{${entries.map(([key, member]) => `${phpJsonString(key)}:${phpJson(member)}`).join(',')}}`;
};

const phpJsonString = (text: string): string => asciiJson(JSON.stringify(text).replaceAll('/', '\\/'));

/** A value as PHP's `serialize` writes it. Lengths are in bytes of UTF-8; nothing is escaped. */
export const phpSerialize = (value: PhpValue): string => {
  if (value === null) return 'N;';
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`;
  if (typeof value === 'number') return serializeInteger(value);
  if (typeof value === 'string') return serializeString(value);
  const entries = entriesOf(value);
  const members = entries.map(([key, member]) => serializeKey(key) + phpSerialize(member));
  return `a:${entries.length}:{${members.join('')}}`;
};

const serializeKey = (key: string): string => (isIntegerKey(key) ? `i:${key};` : serializeString(key));

const serializeInteger = (value: number): string => {
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${value} is not an integer that PHP would read back`);
  return `i:${value};`;
};

const serializeString = (text: string): string => `s:${Buffer.byteLength(text)}:"${text}";`;

/** Midnight as PHP writes it: `2025-11-20T00:00:00+00:00`; null stays null. */
export const phpDateTime = (date: Date | null): string | null =>
  date && `${date.toISOString().slice(0, 19)}+00:00`;

/** PHP's two ways to write a value. */
export const PHP_ENCODERS = { json: phpJson, serialize: phpSerialize } as const;
export type PhpFormat = keyof typeof PHP_ENCODERS;

const MEDIA_TYPES = { json: 'application/json; charset=UTF-8', serialize: 'text/plain; charset=UTF-8' };

/** A value as PHP writes JSON. */
export const jsonRepresentation = (value: PhpValue): Representation =>
  new Representation(MEDIA_TYPES.json, phpJson(value)).popular();

/** A value in both formats. @param types media type by format */
export const phpRepresentations = (
  value: PhpValue,
  types: Readonly<Record<PhpFormat, string>> = MEDIA_TYPES,
): Readonly<Record<PhpFormat, Representation>> => ({
  json: new Representation(types.json, phpJson(value)).popular(),
  serialize: new Representation(types.serialize, phpSerialize(value)).popular(),
});
