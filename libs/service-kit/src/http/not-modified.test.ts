import { isNotModified } from './not-modified.ts';

const validators = { etag: '"abc-br"', lastModified: new Date('2026-08-13T00:00:00Z') };

describe('isNotModified', () => {
  it.each([
    [{}, false],
    [{ 'if-none-match': '"abc-br"' }, true],
    [{ 'if-none-match': 'W/"abc-br"' }, true],
    [{ 'if-none-match': '"x", "abc-br"' }, true],
    [{ 'if-none-match': '*' }, true],
    [{ 'if-none-match': '"abc"' }, false],
    [{ 'if-modified-since': 'Thu, 13 Aug 2026 00:00:00 GMT' }, true],
    [{ 'if-modified-since': 'Fri, 14 Aug 2026 00:00:00 GMT' }, true],
    [{ 'if-modified-since': 'Wed, 12 Aug 2026 23:59:59 GMT' }, false],
    [{ 'if-modified-since': 'nonsense' }, false],
    // The tag alone decides when there is one.
    [{ 'if-none-match': '"x"', 'if-modified-since': 'Fri, 14 Aug 2026 00:00:00 GMT' }, false],
  ])('%j → %s', (headers, expected) => {
    expect(isNotModified(headers, validators)).toBe(expected);
  });

  it.each([
    ['W/"abc"', 'W/"abc"', true],
    ['W/"abc"', '"abc"', true],
    ['W/"abc"', '"x" , W/"abc"', true],
    ['W/"abc"', '"xabc"', false],
    ['W/"abc"', 'abc', false],
  ])('the weak validator %s matches %s: %s', (etag, header, expected) => {
    expect(isNotModified({ 'if-none-match': header }, { etag })).toBe(expected);
  });
});
