import { appUnderTest, ONE_BUY, post } from './app-under-test.ts';

const KEY = { 'idempotency-key': 'k1' };
const ACCOUNT = { 'partition-key': 'account-7' };

describe('Partition-Key', () => {
  it.each(['account-7', '"account-7"'])('is the key of the record: %s', async (header) => {
    const { app, log } = appUnderTest();
    const { submissionId } = (await post(app, ONE_BUY, { 'partition-key': header })).json();
    expect(log.records[0]?.key).toBe('account-7');
    expect(log.records[0]?.headers).toMatchObject({ ce_id: submissionId, ce_partitionkey: 'account-7' });
  });

  it('leaves the record unchanged without one', async () => {
    const { app, log } = appUnderTest();
    const { submissionId } = (await post(app, ONE_BUY)).json();
    expect(log.records[0]?.key).toBe(submissionId);
    expect(log.records[0]?.headers).not.toHaveProperty('ce_partitionkey');
  });

  it.each(['', '""', 'a'.repeat(256), 'konto-ü', 'a,b'])('is rejected when it is %j', async (header) => {
    const { app, log } = appUnderTest();
    const answer = await post(app, ONE_BUY, { 'partition-key': header });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ type: 'urn:problem-type:bad-partition-key' });
    expect(log.records).toEqual([]);
  });

  it.each([
    ['the same', ACCOUNT, 202],
    ['another', { 'partition-key': 'account-8' }, 422],
    ['none', {}, 422],
  ])('is part of what an Idempotency-Key stands for: %s', async (_what, headers, status) => {
    const { app, log } = appUnderTest();
    await post(app, ONE_BUY, { ...KEY, ...ACCOUNT });
    expect((await post(app, ONE_BUY, { ...KEY, ...headers })).statusCode).toBe(status);
    expect(log.records).toHaveLength(1);
  });
});
