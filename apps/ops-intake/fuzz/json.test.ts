import { isAmbiguous, referenceValue } from './json.ts';

it('reads names that begin with an escape as they are, whatever V8 parsed before', () => {
  // After the first text, V8 of Node 24 takes every escape at this place for the name "\".
  const [backslash, repeated, newline] = ['{"a":1,"\\\\":0}', '{"a":1,"\\u0061":0}', '{"a":1,"\\n":0}'];
  expect([...(referenceValue(backslash!) as Map<string, unknown>).keys()]).toEqual(['a', '\\']);
  expect(isAmbiguous(repeated!, referenceValue(repeated!)!)).toBe(true);
  expect([...(referenceValue(newline!) as Map<string, unknown>).keys()]).toEqual(['a', '\n']);
});
