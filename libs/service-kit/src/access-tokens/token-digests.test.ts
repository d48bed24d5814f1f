import { digestOfToken, parseApiKeyFile, parseTokenFile, parseTokens } from './token-digests.ts';

const TOKENS = 'alice:0123456789abcdef,bob:fedcba9876543210';

describe('principals and their tokens', () => {
  it.each([
    ['alice', /entry 1/],
    ['alice:short', /entry 1/],
    [`${TOKENS},carol:`, /entry 3/],
    [`${TOKENS},carol:0123456789abcdef`, /same token/],
  ])('are not read from %s, and no token is shown', (text, sentence) => {
    const parsed = parseTokens(text);
    expect(parsed).toEqual({ violation: expect.stringMatching(sentence) });
    expect(JSON.stringify(parsed)).not.toMatch(/0123456789|short/);
  });

  const ALICE = `alice:${digestOfToken('0123456789abcdef').toString('hex')}`;

  it('are read from a file of digests', () => {
    const parsed = parseTokenFile(`# who may submit\n\n${ALICE}\r\n`);
    expect(parsed).toEqual({ digests: [['alice', digestOfToken('0123456789abcdef')]] });
    expect(parseTokenFile('')).toEqual({ digests: [] });
    // As PowerShell's Get-FileHash prints it.
    expect(parseTokenFile(`alice:${ALICE.slice(6).toUpperCase()}`)).toEqual(parsed);
  });

  it.each([
    ['alice:0123456789abcdef', /line 1/],
    [`${ALICE} 5/hour`, /line 1/],
    [`${ALICE}\nbob`, /line 2/],
    [`${ALICE}\n${ALICE}`, /same token/],
    [`${ALICE}\n${ALICE.replace('alice', 'bob')}`, /same token/],
  ])('are not read from the file %j', (text, sentence) => {
    expect(parseTokenFile(text)).toEqual({ violation: expect.stringMatching(sentence) });
  });
});

describe('API keys', () => {
  const lineOf = (name: string, limit = '') =>
    `${name}:${digestOfToken(`secret of ${name}`).toString('hex')}${limit}`;

  it('are read from a file, each with a limit of its own if it has one', () => {
    // Bob has a new key, and the old one still counts.
    const bob = lineOf('bob', ' 5000/hour');
    const next = bob.replace(/:[^ ]+/, `:${digestOfToken('next secret of bob').toString('hex')}`);
    const text = [lineOf('alice'), '# partners', bob, next, lineOf('carol', '\t0')].join('\n');
    const parsed = parseApiKeyFile(text);
    if ('violation' in parsed) throw new Error(parsed.violation);
    const keyOf = (secret: string) => parsed.keys.get(digestOfToken(secret).toString('hex'));
    expect(keyOf('secret of alice')).toEqual({ name: 'alice', limit: undefined });
    expect(keyOf('secret of bob')).toEqual({ name: 'bob', limit: { requests: 5000, per: 'hour' } });
    expect(keyOf('next secret of bob')).toEqual(keyOf('secret of bob'));
    expect(keyOf('secret of carol')).toEqual({ name: 'carol', limit: 'unlimited' });
    expect(keyOf('secret of dave')).toBeUndefined();
  });

  it('have one of the options that the service names, after the limit if there is one', () => {
    const text = [lineOf('alice', ' low'), lineOf('bob', ' 0 high'), lineOf('carol', ' 5/hour')].join('\n');
    const parsed = parseApiKeyFile(text, ['low', 'high']);
    if ('violation' in parsed) throw new Error(parsed.violation);
    expect([...parsed.keys.values()]).toEqual([
      { name: 'alice', limit: undefined, option: 'low' },
      { name: 'bob', limit: 'unlimited', option: 'high' },
      { name: 'carol', limit: { requests: 5, per: 'hour' } },
    ]);
    for (const words of [' middle', ' low high', ' low 5/hour', ' 5/hour low low', ' 5/hour 6/hour low']) {
      expect(parseApiKeyFile(lineOf('alice', words), ['low', 'high'])).toEqual({
        violation: expect.stringMatching(/^line 1 must be .*one of low, high$/),
      });
    }
    expect(parseApiKeyFile(lineOf('alice', ' low'))).toHaveProperty('violation');
  });

  it.each([
    [`alice:secret`, /line 1 must be name:digest/],
    [lineOf('alice', ' 5/fortnight'), /line 1/],
    [lineOf('alice', ' 5/hour 6/hour'), /line 1/],
    [`${lineOf('alice')}\n${lineOf('alice')}`, /same token/],
    [`${lineOf('alice')} 5/hour\n${lineOf('bob').replace('bob', 'alice')}`, /keys of alice differ/],
  ])('are not read from the file %j, and no digest is shown', (text, sentence) => {
    const parsed = parseApiKeyFile(text);
    expect(parsed).toEqual({ violation: expect.stringMatching(sentence) });
    expect(JSON.stringify(parsed)).not.toMatch(/[0-9a-f]{64}/);
  });
});
