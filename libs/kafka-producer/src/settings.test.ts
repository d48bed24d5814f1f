import { reasonOf } from './settings.ts';

const problem = { type: 'TOPIC_AUTHORIZATION_FAILED' };

describe('the reason of a failure', () => {
  it.each([
    ['the broker’s word', Object.assign(new Error('not allowed'), problem), problem.type],
    ['the broker’s word, wrapped', new Error('gave up', { cause: problem }), problem.type],
    [
      'the broker’s word for the topic that could not be made',
      Object.assign(new Error('Topic creation errors'), { errors: [problem] }),
      problem.type,
    ],
    ['the client’s words', new Error('connect ECONNREFUSED'), 'connect ECONNREFUSED'],
    ['whatever was thrown', 'away', 'away'],
  ])('is %s', (_what, error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });
});
