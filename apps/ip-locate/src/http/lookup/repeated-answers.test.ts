import { RepeatedAnswers } from './repeated-answers.ts';

const answer = { headers: { etag: 'W/"1"' }, list: [], body: '{}' };

describe('repeated answers', () => {
  it('have a key from the second request on', () => {
    const answers = new RepeatedAnswers();
    expect(answers.keyOf('json', '/8.8.8.8/json')).toBeUndefined();
    const key = answers.keyOf('json', '/8.8.8.8/json') as string;
    expect(answers.get(key)).toBeUndefined();
    answers.set(key, answer);
    expect(answers.keyOf('json', '/8.8.8.8/json')).toBe(key);
    expect(answers.get(key)).toBe(answer);
  });

  it('differ by format or field, and by URL', () => {
    const answers = new RepeatedAnswers();
    const requests = [
      ['json', '/8.8.8.8'],
      ['xml', '/8.8.8.8'],
      ['json', '/8.8.8.8?lang=de'],
      ['json', '/8.8.8.9'],
    ] as const;
    for (const [formatOrField, url] of requests) expect(answers.keyOf(formatOrField, url)).toBeUndefined();
    const keys = requests.map(([formatOrField, url]) => answers.keyOf(formatOrField, url));
    expect(new Set(keys).size).toBe(requests.length);
    expect(keys).not.toContain(undefined);
  });

  it('are forgotten when many other requests come between', () => {
    const answers = new RepeatedAnswers();
    answers.keyOf('json', '/8.8.8.8');
    for (let i = 0; i < 100_000; i++) answers.keyOf('json', `/2001:db8::${i.toString(16)}`);
    expect(answers.keyOf('json', '/8.8.8.8')).toBeUndefined();
  });

  it('have no key when the URL is long', () => {
    const answers = new RepeatedAnswers();
    const url = `/8.8.8.8?x=${'y'.repeat(250)}`;
    expect([answers.keyOf('json', url), answers.keyOf('json', url)]).toEqual([undefined, undefined]);
  });
});
