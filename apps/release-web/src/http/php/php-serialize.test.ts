import { phpSerialize } from './php-serialize.ts';
import type { PhpValue } from './php-value.ts';

const examples: [string, PhpValue, string][] = [
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
  it.each(examples)('writes %s', (_what, value, text) => {
    expect(phpSerialize(value)).toBe(text);
  });

  it('rejects a number that PHP would not read back', () => {
    expect(() => phpSerialize(1.5)).toThrow(RangeError);
    expect(() => phpSerialize(2 ** 60)).toThrow(RangeError);
  });
});
