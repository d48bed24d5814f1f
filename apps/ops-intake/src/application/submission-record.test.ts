import { acceptedSubmission, isOfSubmission, toRecord } from './submission-record.ts';

const OURS = { ce_source: '/operations-service' };

it('counts operations as people do', () => {
  const receipt = { topic: 'operations', partition: 0, offset: 7 };
  expect(acceptedSubmission('id', 1, receipt).message).toBe('1 operation accepted');
  expect(acceptedSubmission('id', 2, receipt).message).toBe('2 operations accepted');
});

it('names a principal whose kind of login is not known', () => {
  const context = { now: new Date(0), trace: { traceparent: '' }, principal: 'alice' };
  const { headers } = toRecord('id', { bytes: Buffer.from('[]'), operations: 0 }, context);
  expect(headers).toMatchObject({ ce_authid: 'alice', ce_authtype: 'unknown' });
});

it.each([
  ['hello', OURS, false],
  ['', OURS, false],
  ['{"length":1}', OURS, false],
  ['[{}]', OURS, true],
  ['[{}]', { ce_source: '/orders' }, false],
  ['[{}]', {}, false],
])('takes %j with %j for a submission: %j', (value, headers, isOne) => {
  expect(isOfSubmission(Buffer.from(value), headers)).toBe(isOne);
});
