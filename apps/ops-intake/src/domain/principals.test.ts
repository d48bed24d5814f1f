import { digestOfToken, parseTokenFile, parseTokens } from './principals.ts';

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

  const ALICE = `alice:${digestOfToken('0123456789abcdef').toString('hex')}`;

  it('are read from a file of digests', () => {
    const parsed = parseTokenFile(`# who may submit\n\n${ALICE}\r\n`);
    expect(parsed).toEqual({ digests: new Map([['alice', digestOfToken('0123456789abcdef')]]) });
    expect(parseTokenFile('')).toEqual({ digests: new Map() });
  });

  it.each([
    ['alice:0123456789abcdef', /line 1/],
    [`${ALICE}\nbob`, /line 2/],
    [`${ALICE}\n${ALICE}`, /alice is given twice/],
    [`${ALICE}\n${ALICE.replace('alice', 'bob')}`, /same token/],
  ])('are not read from the file %j', (text, sentence) => {
    expect(parseTokenFile(text)).toEqual({ violation: expect.stringMatching(sentence) });
  });
});
