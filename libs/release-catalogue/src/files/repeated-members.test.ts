import fc from 'fast-check';
import { repeatedMembers } from './repeated-members.ts';

it.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', []],
  ['{"a":1, "b":2, "a":1}', ['/a']],
  ['{"a":1,"\\u0061":1}', ['/a']],
  ['{"a":[1,{"b/~":"a\\":,{","b/~":[],"b/~":{}}],"a":"a"}', ['/a/1/b~1~0', '/a/1/b~1~0', '/a']],
  ['"a"', []],
])('%s repeats %j', (text, pointers) => {
  expect(repeatedMembers(text, JSON.parse(text))).toEqual(pointers);
});

it('finds none in what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(2), (value, spaces) => {
      expect(repeatedMembers(JSON.stringify(value, null, spaces), value)).toEqual([]);
    }),
  );
});

it('finds a repeated one wherever it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.json(), fc.string(), (value, inner, name) => {
      const member = `${JSON.stringify(name)} : ${inner}`;
      const text = `[${JSON.stringify(value)},{${member},${member}}]`;
      expect(repeatedMembers(text, JSON.parse(text))).toHaveLength(1);
    }),
  );
});
