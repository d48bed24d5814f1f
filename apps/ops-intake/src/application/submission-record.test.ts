import fc from 'fast-check';
import { acceptedSubmission, isOfSubmission, type SubmissionContext, toRecord } from './submission-record.ts';

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

it('gives submissions of a stream, which may share headers, the records that they have alone', () => {
  const traces = [{ traceparent: 'a' }, { traceparent: 'b', tracestate: 'c' }];
  const of = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
  const context = fc.record({
    now: of(1, 2).map((ms) => new Date(ms)),
    trace: of(...traces),
    principal: of(undefined, 'alice', 'bob'),
    authType: of(undefined, 'token' as const),
    partitionKey: of(undefined, undefined, 'p', 'q'),
    sequence: of(undefined, undefined, undefined, 7),
    recordHeaders: of(undefined, undefined, undefined, { ce_sha256: 'd' }),
  }) as fc.Arbitrary<SubmissionContext>;
  const schema = of(undefined, undefined, undefined, { type: 't', dataSchema: '/t' });
  let shared = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(context, schema), { maxLength: 40, size: 'max' }), (submissions) => {
      const all = submissions.map(([given, ofSchema], at) => {
        const submission = { bytes: Buffer.from(`[${at}]`), operations: 1, schema: ofSchema };
        return { id: `id-${at}`, submission, given, record: toRecord(`id-${at}`, submission, given) };
      });
      for (const { id, submission, given, record } of all) {
        // With a trace that no other submission has, headers are its own.
        const alone = toRecord(id, submission, { ...given, trace: { ...given.trace } });
        expect(alone.shared).toBeUndefined();
        const { key, value, timestamp } = alone;
        expect({ ...record, headers: {} }).toEqual({ key, value, timestamp, headers: {} });
        expect(Object.entries(record.headers)).toEqual(Object.entries(alone.headers));
        if (!record.shared) continue;
        shared += 1;
        const { headers, own } = record.shared;
        const values = Object.fromEntries(own.map((name, at) => [name, record.own![at]!]));
        expect(Object.entries({ ...headers, ...values })).toEqual(Object.entries(alone.headers));
        expect(Object.keys(headers).filter((name) => own.includes(name))).toEqual(own);
      }
    }),
  );
  expect(shared).toBeGreaterThan(100);
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
