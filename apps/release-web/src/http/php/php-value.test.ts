import { phpJson, phpSerialize, type PhpValue } from './php-value.ts';

const jsonExamples: [string, PhpValue, string][] = [
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
  it.each(jsonExamples)('writes %s as json_encode does', (_what, value, text) => {
    expect(phpJson(value)).toBe(text);
  });
});

const serializeExamples: [string, PhpValue, string][] = [
  ['null', null, 'N;'],
  ['booleans', [true, false], 'a:2:{i:0;b:1;i:1;b:0;}'],
  ['integers', -7, 'i:-7;'],
  ['lengths in bytes', 'é😀', 's:6:"é😀";'],
  ['quotes, unescaped', 'a"b', 's:3:"a"b";'],
  ['an empty array', new Map(), 'a:0:{}'],
  [
    'integer keys as integers',
    new Map([
      ['8', 1],
      ['7', 2],
    ]),
    'a:2:{i:8;i:1;i:7;i:2;}',
  ],
  [
    'keys that only resemble integers as text',
    new Map([
      ['08', 1],
      ['8.2', 2],
      ['-0', 3],
    ]),
    'a:3:{s:2:"08";i:1;s:3:"8.2";i:2;s:2:"-0";i:3;}',
  ],
  ['nested members', { a: { b: ['x'] } }, 'a:1:{s:1:"a";a:1:{s:1:"b";a:1:{i:0;s:1:"x";}}}'],
];

describe('phpSerialize', () => {
  it.each(serializeExamples)('writes %s', (_what, value, text) => {
    expect(phpSerialize(value)).toBe(text);
  });

  it('rejects a number that PHP would not read back', () => {
    expect(() => phpSerialize(1.5)).toThrow(RangeError);
    expect(() => phpSerialize(2 ** 60)).toThrow(RangeError);
  });
});
