import { phpJson } from './php-json.ts';
import type { PhpValue } from './php-value.ts';

const examples: [string, PhpValue, string][] = [
  ['slashes', 'https://x/y', '"https:\\/\\/x\\/y"'],
  ['characters beyond ASCII', 'é – 😀\u2028', '"\\u00e9 \\u2013 \\ud83d\\ude00\\u2028"'],
  ['DEL, which is ASCII', '\u007f', '"\u007f"'],
  ['control characters', 'a\nb\tc\u0001"\\', '"a\\nb\\tc\\u0001\\"\\\\"'],
  ['scalars', [null, true, false, 0, -12], '[null,true,false,0,-12]'],
  ['an empty list', [], '[]'],
  ['an empty map, which PHP cannot distinguish from a list', new Map(), '[]'],
  ['an empty object', {}, '[]'],
  [
    'keys that look like integers, in their own order',
    new Map([
      ['8', 'a'],
      ['7', 'b'],
      ['10', 'c'],
    ]),
    '{"8":"a","7":"b","10":"c"}',
  ],
  [
    'keys 0, 1 … in order, which make a list',
    new Map([
      ['0', 'a'],
      ['1', 'b'],
    ]),
    '["a","b"]',
  ],
  [
    'keys 1, 0, which do not',
    new Map([
      ['1', 'a'],
      ['0', 'b'],
    ]),
    '{"1":"a","0":"b"}',
  ],
  ['members that are not there', { a: 1, b: undefined }, '{"a":1}'],
  ['a key with a slash', { 'a/b': 'é' }, '{"a\\/b":"\\u00e9"}'],
];

describe('phpJson', () => {
  it.each(examples)('writes %s as json_encode does', (_what, value, text) => {
    expect(phpJson(value)).toBe(text);
  });
});
