import assert from 'node:assert/strict';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { type JsonValue, NumberLexeme } from '../src/domain/json-value.ts';
import { JsonSyntaxError, StrictJsonParser } from '../src/http/submit/strict-json.ts';

const STRICT_JSON = 'apps/ops-intake/src/http/submit/strict-json.ts';
const MAX_DEPTH = 16;

const STRING = /"(?:[^"\\]|\\.)*"/gs;
const decoded = (hex: string): string => Buffer.from(hex, 'hex').toString('utf16le');

/**
 * A value as V8 parses it, with numbers as they are written; undefined for text that is not JSON.
 *
 * Each string is parsed by itself and stands in hexadecimal in its place. Without that, V8 of Node 24.21 takes a name that begins with
 * an escape for `\` where it parsed an object with that name before: `{"a":1,"\\":0}`, then `{"a":1,"\n":0}`.
 */
export const referenceValue = (text: string): JsonValue | undefined => {
  // The third argument is newer than TypeScript's library (https://github.com/tc39/proposal-json-parse-with-source).
  const reviver = (_name: string, value: unknown, ...[context]: unknown[]): unknown => {
    if (typeof value === 'number') return new NumberLexeme((context as { source: string }).source);
    if (typeof value === 'string') return decoded(value);
    const isObject =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      !(value instanceof NumberLexeme);
    return isObject ? new Map(Object.entries(value).map(([name, one]) => [decoded(name), one])) : value;
  };
  const inHexadecimal = (string: string): string =>
    `"${Buffer.from(JSON.parse(string) as string, 'utf16le').toString('hex')}"`;
  try {
    return JSON.parse(text.replace(STRING, inHexadecimal), reviver) as JsonValue;
  } catch {
    return undefined;
  }
};

/** Whether an object of the text has a member twice: more colons outside of strings than members in the value. */
export const repeatsMembers = (text: string, value: JsonValue): boolean => {
  const colons = text.replace(STRING, '').split(':').length - 1;
  return colons > countMembers(value);
};
const countMembers = (value: JsonValue): number => {
  if (value instanceof Map) return [...value.values()].reduce((sum, one) => sum + 1 + countMembers(one), 0);
  return Array.isArray(value) ? value.reduce<number>((sum, one) => sum + countMembers(one), 0) : 0;
};

/** Whether the value is one that the strict parser rejects on purpose. */
export const isAmbiguous = (text: string, value: JsonValue): boolean =>
  repeatsMembers(text, value) || depthOf(value) > MAX_DEPTH || !isWellFormed(value);
const depthOf = (value: JsonValue): number =>
  value instanceof Map || Array.isArray(value) ? 1 + Math.max(0, ...[...value.values()].map(depthOf)) : 0;
const HALF_SURROGATE = /\p{Surrogate}/u;
const isWellFormed = (value: JsonValue): boolean => {
  if (typeof value === 'string') return !HALF_SURROGATE.test(value);
  if (value instanceof Map)
    return [...value].every(([name, one]) => !HALF_SURROGATE.test(name) && isWellFormed(one));
  return !Array.isArray(value) || value.every(isWellFormed);
};

/** Objects of V8 have members that look like integers first. */
const sorted = (value: JsonValue): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  return [...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]);
};

/** The value, parsed in parts that end every few characters; undefined for a syntax error. */
const strictValue = (text: string, characters: number): JsonValue | undefined => {
  try {
    const parser = new StrictJsonParser(text, { maxDepth: MAX_DEPTH });
    while (!parser.advance(parser.at + characters));
    return parser.value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
};

export const json: FuzzTarget = {
  name: 'json',
  property:
    'the strict parser reads what JSON.parse reads, apart from repeated members, depth and half surrogates',
  seeds: [
    '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
    ' {"a":[null,true,false,{"b":{}}],"c":"\\u00E9\\n\\ud83d\\ude00","d":-1.5e+10}\n',
    `${'['.repeat(16)}${']'.repeat(16)}`,
    '{"a":1,"\\u0061":2}',
  ],
  dictionary: [
    '"__proto__":',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '\\u',
    '\\"',
    '"a":',
    '[[[[',
    ']]]]',
    'null',
    'true',
  ],
  branchesPerByte: 100,
  planted: [
    { file: STRICT_JSON, from: '(?:[eE][+-]?\\d+)?/y', to: '(?:[eE][+-]?\\d*)?/y' },
    { file: STRICT_JSON, from: 'if (members.has(name))', to: 'if (members.size > 1 && members.has(name))' },
    { file: STRICT_JSON, from: '/bfnrt', to: '/bfnrtv' },
    {
      file: STRICT_JSON,
      from: 'this.#open.length >= this.#maxDepth',
      to: 'this.#open.length > this.#maxDepth',
    },
  ],
  check: (input) => {
    const text = input.toString();
    const strict = strictValue(text, Infinity);
    for (const characters of [1, 7]) assert.deepEqual(strictValue(text, characters), strict);
    const reference = referenceValue(text);
    if (reference === undefined || isAmbiguous(text, reference)) assert.equal(strict, undefined);
    else assert.deepEqual(strict === undefined ? strict : sorted(strict), sorted(reference));
  },
};
