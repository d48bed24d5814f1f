import { kindOfReason, reasonOf } from './settings.ts';

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
    [
      'those of the first address',
      new AggregateError([new Error('connect ECONNREFUSED')]),
      'connect ECONNREFUSED',
    ],
    ['whatever was thrown', 'away', 'away'],
  ])('is %s', (_what, error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });
});

describe('the kind of a reason', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:9092', 'connect ECONNREFUSED 127.0.0.1:9093', true],
    ['broker-1:9092 closed the connection', 'broker-22:9092 closed the connection', true],
    ['connect ECONNREFUSED 127.0.0.1:9092', '127.0.0.1:9092 closed the connection', false],
    [undefined, 'NOT_ENOUGH_REPLICAS', false],
  ])('of %j and %j is the same: %s', (one, other, isSame) => {
    expect(kindOfReason(one) === kindOfReason(other)).toBe(isSame);
  });
});
