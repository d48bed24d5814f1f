import { parseTokens, principalsOf } from './principals.ts';

const TOKENS = 'alice:0123456789abcdef,bob:fedcba9876543210';

const principalOf = () => {
  const parsed = parseTokens(TOKENS);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return principalsOf(parsed.tokens);
};

describe('principals', () => {
  it.each([
    ['Bearer 0123456789abcdef', 'alice'],
    ['bearer  fedcba9876543210', 'bob'],
    ['Bearer 0123456789abcdeF', undefined],
    ['Bearer 0123456789abcde', undefined],
    ['Basic 0123456789abcdef', undefined],
    ['0123456789abcdef', undefined],
    ['Bearer ', undefined],
    [undefined, undefined],
  ])('takes %s for %s', (authorization, principal) => {
    expect(principalOf()(authorization)).toBe(principal);
  });

  it.each([
    ['alice', /entry 1/],
    ['alice:short', /entry 1/],
    [`${TOKENS},carol:`, /entry 3/],
    [`${TOKENS},alice:aaaaaaaaaaaaaaaaaaaa`, /alice is given twice/],
    [`${TOKENS},carol:0123456789abcdef`, /same token/],
  ])('refuses %s without showing a token', (text, sentence) => {
    const parsed = parseTokens(text);
    expect(parsed).toEqual({ fault: expect.stringMatching(sentence) });
    expect(JSON.stringify(parsed)).not.toMatch(/0123456789|short/);
  });
});
