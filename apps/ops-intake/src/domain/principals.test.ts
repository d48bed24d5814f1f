import { parseTokens } from './principals.ts';

const TOKENS = 'alice:0123456789abcdef,bob:fedcba9876543210';

describe('principals and their tokens', () => {
  it.each([
    ['alice', /entry 1/],
    ['alice:short', /entry 1/],
    [`${TOKENS},carol:`, /entry 3/],
    [`${TOKENS},alice:aaaaaaaaaaaaaaaaaaaa`, /alice is given twice/],
    [`${TOKENS},carol:0123456789abcdef`, /same token/],
  ])('are not read from %s, and no token is shown', (text, sentence) => {
    const parsed = parseTokens(text);
    expect(parsed).toEqual({ violation: expect.stringMatching(sentence) });
    expect(JSON.stringify(parsed)).not.toMatch(/0123456789|short/);
  });
});
