import { type JsonValue, NumberLexeme } from '../../domain/json-value.ts';
import { JsonSyntaxError, parseStrictJson, StrictJsonParser } from './strict-json.ts';

const violationOf = (text: string, maxDepth?: number): string | undefined => {
  try {
    parseStrictJson(text, maxDepth);
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
};

describe('parseStrictJson', () => {
  it.each([
    ['10.00', '10.00'],
    ['-0', '-0'],
    ['1e400', '1e400'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ])('keeps the number %s as it was written', (text, lexeme) => {
    expect(parseStrictJson(text)).toEqual(new NumberLexeme(lexeme));
  });

  it('takes __proto__ as a name like any other', () => {
    const value = parseStrictJson('{"__proto__":{"polluted":true}}') as Map<string, JsonValue>;
    expect([...value.keys()]).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['an equal member twice', '{"a":1,"a":1}', 'member "a" given twice at character 7'],
    ['a member twice, once escaped', '{"a":1,"\\u0061":1}', 'member "a" given twice at character 7'],
    ['a byte order mark', '\ufeff[]', 'unexpected "\ufeff" at character 0'],
    ['NaN', '[NaN]', 'unexpected "N" at character 1'],
    ['Infinity', '[-Infinity]', 'unexpected "-" at character 1'],
    ['a leading zero', '[01]', 'unexpected "1" at character 2'],
    ['a bare point', '[1.]', 'unexpected "." at character 2'],
    ['a trailing comma', '[1,]', 'unexpected "]" at character 3'],
    ['single quotes', "['a']", 'unexpected "\'" at character 1'],
    ['a raw newline in a string', '["a\nb"]', 'control character in a string at character 3'],
    ['the last control character', '["a\u001f"]', 'control character in a string at character 3'],
    ['an unknown escape', '["\\x"]', 'bad escape at character 2'],
    ['an escape of three digits', '["\\u00e"]', 'bad escape at character 2'],
    ['an escape with a letter behind f', '["\\u00Eg"]', 'bad escape at character 2'],
    ['an escape with a letter behind F', '["\\u00eG"]', 'bad escape at character 2'],
    ['half a surrogate pair', '["\\ud800"]', 'half of a surrogate pair in a string at character 1'],
    ['an unfinished string', '["a', 'unfinished string at character 3'],
    ['two values', '[] []', 'unexpected "[" at character 3'],
    ['nothing', '', 'unexpected end at character 0'],
    ['only space', ' \n', 'unexpected end at character 2'],
  ])('rejects %s', (_what, text, message) => {
    expect(violationOf(text)).toBe(message);
  });

  it('counts depth instead of exhausting the stack', () => {
    expect(violationOf('['.repeat(100_000), 16)).toBe('nesting deeper than 16 at character 16');
    expect(violationOf(`${'['.repeat(16)}${']'.repeat(16)}`, 16)).toBeUndefined();
  });

  it('cuts what it quotes', () => {
    const name = `"${'n'.repeat(1_000)}"`;
    expect(violationOf(`{${name}:1,${name}:1}`)!.length).toBeLessThan(100);
  });

  it('hands out the elements of the outermost array only', () => {
    const elements: JsonValue[] = [];
    const parser = new StrictJsonParser('[[1],{"a":[]},"b"]', {
      onElement: (element) => elements.push(element),
    });
    expect(parser.advance()).toBe(true);
    expect(elements).toEqual([[new NumberLexeme('1')], new Map([['a', []]]), 'b']);
    expect(parser.value).toEqual([]);
  });
});
