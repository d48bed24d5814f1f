import { parseTokens } from './token-digests.ts';
import { bearerToken, principalOfToken } from './bearer-token.ts';

// Alice has a new token, and the old one still counts.
const TOKENS = 'alice:0123456789abcdef,bob:fedcba9876543210,alice:new-0123456789abcdef';

describe('bearer tokens', () => {
  it.each([
    ['Bearer 0123456789abcdef', 'alice'],
    ['Bearer new-0123456789abcdef', 'alice'],
    ['bearer  fedcba9876543210', 'bob'],
    ['Bearer 0123456789abcdeF', undefined],
    ['Bearer 0123456789abcde', undefined],
    ['Basic 0123456789abcdef', undefined],
    ['0123456789abcdef', undefined],
    ['Bearer ', undefined],
    [undefined, undefined],
  ])('%s belong to %s', (authorization, principal) => {
    const parsed = parseTokens(TOKENS);
    if ('violation' in parsed) throw new Error(parsed.violation);
    const token = bearerToken(authorization);
    expect(token && principalOfToken(token, parsed.digests)).toBe(principal);
  });
});
