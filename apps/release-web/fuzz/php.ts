import assert from 'node:assert/strict';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { phpJson, phpSerialize, type PhpValue } from '../src/http/php/php-value.ts';
import { LIST, phpInteger, phpQuery } from '../src/http/php/php-query.ts';

const PHP = 'apps/release-web/src/http/php';

/** What PHP has for an array: keys in order, integers apart from texts. */
type PhpArray = readonly (readonly [number | string, unknown])[];

/** Reads what `serialize` writes; lengths count bytes. @throws Error where it is anything else */
const unserialize = (bytes: Buffer): unknown => {
  let at = 0;
  const until = (end: string): string => {
    const from = at;
    at = bytes.indexOf(end, at) + end.length;
    assert(at >= end.length + from, `no ${end}`);
    return bytes.toString('utf8', from, at - end.length);
  };
  const value = (): unknown => {
    const type = until(bytes[at] === 0x4e ? ';' : ':');
    if (type === 'N') return null;
    if (type === 'b') return until(';') === '1';
    if (type === 'i') return Number(until(';'));
    const length = Number(until(':'));
    if (type === 's') {
      const text = bytes.toString('utf8', at + 1, at + 1 + length);
      assert.equal(bytes[at], 0x22);
      at += length + 2;
      assert.equal(until(';'), '');
      return text;
    }
    assert.equal(type, 'a');
    assert.equal(until('{'), '');
    const members = Array.from({ length }, () => [value(), value()] as const);
    assert.equal(until('}'), '');
    return members;
  };
  const read = value();
  assert.equal(at, bytes.length);
  return read;
};

/** A value as PHP has it. */
const asPhp = (value: PhpValue): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return entries.map(([key, member]: [string, PhpValue]) => {
    const number = Number(key);
    const isInteger = Number.isSafeInteger(number) && String(number) === key;
    return [isInteger ? number : key, asPhp(member)];
  }) satisfies PhpArray;
};

/** JSON with objects as maps, whose keys keep their order and their kind. */
const valueOf = (text: string): PhpValue | undefined => {
  try {
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? new Map(Object.entries(value))
        : value,
    ) as PhpValue;
  } catch {
    return undefined;
  }
};

const isReadable = (value: PhpValue): boolean => {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  const entries: [string, PhpValue][] = value instanceof Map ? [...value] : Object.entries(value);
  return entries.every(([key, member]) => isReadable(key) && isReadable(member));
};

export const phpEncodings: FuzzTarget = {
  name: 'php-encodings',
  property:
    'what is serialized or encoded for PHP reads back as the same value, with integer keys as integers',
  seeds: [
    '{"8":["a",null,true],"8.4":{"x":-1}}',
    '"é😀\\"/\\u2028"',
    '[[],{},{"0":1,"1":2},{"1":1,"0":2}]',
    '{"-1":0,"01":0,"-0":0}',
  ],
  dictionary: [
    '"__proto__":',
    '"9007199254740991":',
    '"9007199254740993":',
    '";',
    '}',
    '"s:1:\\"a\\";"',
    '\\u0000',
    '/',
    '"-5":',
  ],
  branchesPerByte: 500,
  planted: [
    { file: `${PHP}/php-value.ts`, from: 'Buffer.byteLength(text)', to: 'text.length' },
    { file: `${PHP}/php-value.ts`, from: '/^(0|-?[1-9]\\d*)$/', to: '/^-?\\d+$/' },
    { file: `${PHP}/php-value.ts`, from: 'key === String(index)', to: 'Number(key) === index' },
    {
      file: 'libs/service-kit/src/ascii-json.ts',
      from: '[\\u0080-\\uffff]',
      to: '[\\u0100-\\uffff]',
    },
  ],
  check: (input) => {
    const value = valueOf(input.toString());
    if (value === undefined || !isReadable(value)) return;
    assert.deepEqual(unserialize(Buffer.from(phpSerialize(value))), asPhp(value));
    const json = phpJson(value);
    assert.match(json, /^[\x20-\x7f]*$/);
    assert(!/[^\\]\//.test(json));
    const decoded = valueOf(json);
    assert(decoded !== undefined);
    // To PHP an empty map is an empty list, and a list has its indexes as keys.
    assert.deepEqual(asPhp(decoded), asPhp(value));
  },
};

/** The same text with every byte percent-encoded, which means the same. */
const encoded = (text: string): string =>
  [...Buffer.from(decodeURIComponentLoosely(text), 'latin1')]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('');
/** The bytes that a part of a query stands for, each as a character. */
const decodeURIComponentLoosely = (text: string): string =>
  Buffer.from(text.replaceAll('+', ' '), 'utf8')
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));

const entries = (query: string) =>
  [...phpQuery(`/?${query}`)].map(([name, value]) => [name, value === LIST ? [] : value]);

export const phpQueries: FuzzTarget = {
  name: 'php-queries',
  property:
    'a query means the same however it is percent-encoded, the last of equal names counts, and numbers are finite integers',
  seeds: [
    'json&version=8.4&max=3',
    'version[]=8&max[a]=1',
    'a.b=1&a b=2&a_b=3',
    'version=%208e0&x%00y=1',
    'max=-1.9&max=+1e3',
  ],
  dictionary: [
    '%00',
    '%5B',
    '%5D',
    '[',
    ']',
    '+',
    '.',
    '=',
    '&',
    'version',
    'max',
    'json',
    '%',
    '%ff',
    '1e400',
    '__proto__',
  ],
  branchesPerByte: 500,
  planted: [
    { file: `${PHP}/php-query.ts`, from: 'url.slice(start)', to: 'url.slice(start + 1)' },
    { file: `${PHP}/php-query.ts`, from: 'Number.isFinite(number) ? number : 0', to: 'number' },
    { file: `${PHP}/php-query.ts`, from: '/[. [\\]]/g', to: '/[. [\\]]/' },
  ],
  check: (input) => {
    // What a request line can have.
    const query = input.toString('latin1').replace(/[^\x21-\x7e]|#/g, '');
    const found = entries(query);
    const same = query
      .split('&')
      .map((pair) => {
        const [name = '', ...rest] = pair.split('=');
        return rest.length === 0 ? encoded(name) : `${encoded(name)}=${encoded(rest.join('='))}`;
      })
      .join('&');
    assert.deepEqual(entries(same), found);
    assert.deepEqual(entries(`${query}&${query}`), found);
    for (const [name, value] of found) {
      assert(!/[. \0]/.test(String(name)), String(name));
      if (typeof value !== 'string') continue;
      const number = phpInteger(value);
      assert(Number.isInteger(number));
      if (/^[1-9]\d{0,14}$/.test(value)) assert.equal(number, Number(value));
    }
  },
};
