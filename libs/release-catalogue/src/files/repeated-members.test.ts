import fc from 'fast-check';
import { repeatedMembers } from './repeated-members.ts';

it.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', []],
  ['{"a":1, "b":2, "a":1}', ['/a']],
  ['{"a":1,"\\u0061":1}', ['/a']],
  ['{"a":[1,{"b/~":"a\\":,{","b/~":[],"b/~":{}}],"a":"a"}', ['/a/1/b~1~0', '/a/1/b~1~0', '/a']],
  ['"a"', []],
])('%s repeats %j', (text, pointers) => {
  expect(repeatedMembers(text)).toEqual(pointers);
});

it('finds none in what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(2), (text, spaces) => {
      expect(repeatedMembers(JSON.stringify(JSON.parse(text), null, spaces))).toEqual([]);
    }),
  );
});
