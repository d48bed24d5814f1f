import { notPublished, UNKNOWN } from './in-memory-log.ts';
import { appUnderTest, ONE_BUY, post } from './app-under-test.ts';

const OTHER = '[{"operation":"sell","unit-cost":10.00,"quantity":100}]';
const KEY = { 'idempotency-key': '"order-17"' };

describe('Idempotency-Key', () => {
  it('replays status and body without a second record', async () => {
    const { app, log } = appUnderTest();
    const first = await post(app, ONE_BUY, KEY);
    const second = await post(app, ONE_BUY, KEY);
    expect(second.statusCode).toBe(202);
    expect(second.body).toBe(first.body);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    expect(log.records).toHaveLength(1);
    await app.close();
  });

  it('makes the submission id from the key, quoted or bare', async () => {
    const { app, log } = appUnderTest();
    const quoted = await post(app, ONE_BUY, KEY);
    const bare = await post(app, ONE_BUY, { 'idempotency-key': 'order-17' });
    expect(bare.body).toBe(quoted.body);
    expect(log.records[0]?.key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    await app.close();
  });

  it('answers 422 when the key comes back with another payload', async () => {
    const { app, log } = appUnderTest();
    await post(app, ONE_BUY, KEY);
    const answer = await post(app, OTHER, KEY);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ type: 'urn:problem-type:idempotency-key-reused' });
    expect(log.records).toHaveLength(1);
    await app.close();
  });

  it('answers 409 while the first is in progress, and makes one record of fifty', async () => {
    const { app, log } = appUnderTest();
    log.mode = 'stall';
    const answers: Awaited<ReturnType<typeof post>>[] = [];
    const fifty = Array.from({ length: 50 }, async () => {
      answers.push(await post(app, ONE_BUY, KEY));
      // All others are answered before the one in progress may end.
      if (answers.length === 49) log.release();
    });
    await Promise.all(fifty);
    expect(answers.slice(0, 49).every(({ statusCode }) => statusCode === 409)).toBe(true);
    expect(answers[0]?.headers['retry-after']).toBe('1');
    expect(answers[49]?.statusCode).toBe(202);
    expect(log.records).toHaveLength(1);
    await app.close();
  });

  it('forgets the key when nothing was published', async () => {
    const { app, log } = appUnderTest();
    log.mode = notPublished('queue-full');
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(503);
    log.mode = 'take';
    expect((await post(app, OTHER, KEY)).statusCode).toBe(202);
    await app.close();
  });

  it('remembers the payload when the outcome is unknown, and publishes a retry under the same id', async () => {
    const { app, log } = appUnderTest();
    log.mode = UNKNOWN;
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(503);
    log.mode = 'take';
    expect((await post(app, OTHER, KEY)).statusCode).toBe(422);
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(202);
    expect((await post(app, ONE_BUY, KEY)).headers['idempotent-replayed']).toBe('true');
    expect(log.records).toHaveLength(1);
    await app.close();
  });

  it('replays what was acknowledged after the deadline had been told as unknown', async () => {
    const { app, log } = appUnderTest({ DEADLINE_MS: '100' });
    log.mode = 'stall';
    expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ outcome: 'unknown' });
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(409);
    log.release();
    expect((await post(app, ONE_BUY, KEY)).headers['idempotent-replayed']).toBe('true');
    expect(log.records).toHaveLength(1);
    await app.close();
  });

  it('answers unknown, with the submission id, to every retry after an unknown outcome until it is settled', async () => {
    const { app, log } = appUnderTest();
    log.mode = UNKNOWN;
    const { submissionId } = (await post(app, ONE_BUY, KEY)).json();
    // The retries publish nothing; the first record may be there all the same.
    for (const reason of ['log-unavailable', 'queue-full', 'closed'] as const) {
      log.mode = notPublished(reason);
      const answer = await post(app, ONE_BUY, KEY);
      expect([answer.statusCode, answer.json()]).toEqual([
        503,
        expect.objectContaining({ outcome: 'unknown', submissionId }),
      ]);
    }
    log.mode = 'take';
    expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ submissionId, offset: 0 });
    await app.close();
  });

  it('names the submission in a 409, whose outcome is not known yet', async () => {
    const { app, log } = appUnderTest();
    log.mode = 'stall';
    // An injected request begins when somebody waits for it.
    const first = post(app, ONE_BUY, KEY).then((answer) => answer);
    const second = await post(app, ONE_BUY, KEY);
    log.release();
    const { submissionId } = (await first).json();
    expect(second.json()).toMatchObject({ outcome: 'unknown', submissionId });
    await app.close();
  });

  it('keeps no key of a submission that breaks the rules', async () => {
    const { app } = appUnderTest();
    expect((await post(app, '[]', KEY)).statusCode).toBe(422);
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(202);
    await app.close();
  });
});
