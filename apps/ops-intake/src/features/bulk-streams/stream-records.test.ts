import fc from 'fast-check';
import { type SubmissionContext, toRecord } from '../../application/submission-record.ts';
import { streamRecords } from './stream-records.ts';

it('gives the submissions of a stream the records that they have alone', () => {
  const of = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
  const stream = fc.record({
    trace: of({ traceparent: 'a' }, { traceparent: 'b', tracestate: 'c' }),
    principal: of(undefined, 'alice'),
    authType: of(undefined, 'token' as const),
  });
  const line = fc.record({
    now: of(1, 2).map((ms) => new Date(ms)),
    partitionKey: of(undefined, undefined, 'p', 'q'),
    sequence: of(undefined, undefined, undefined, 7),
    recordHeaders: of(undefined, undefined, undefined, { ce_sha256: 'd' }),
  });
  const schema = of(undefined, undefined, undefined, { type: 't', dataSchema: '/t' });
  const lines = fc.array(fc.tuple(line, schema), { maxLength: 40, size: 'max' });
  let shared = 0;
  fc.assert(
    fc.property(stream, lines, (ofStream, submissions) => {
      const toRecordOfStream = streamRecords();
      const all = submissions.map(([given, ofSchema], at) => {
        const submission = { bytes: Buffer.from(`[${at}]`), operations: 1, schema: ofSchema };
        const context = { ...ofStream, ...given } as SubmissionContext;
        const record = toRecordOfStream(`id-${at}`, submission, context);
        return { record, alone: toRecord(`id-${at}`, submission, context) };
      });
      for (const { record, alone } of all) {
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
