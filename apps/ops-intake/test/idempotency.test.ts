import { notPublished, UNKNOWN } from './in-memory-log.ts';
import { append } from './append.ts';
import { appUnderTest, NOW, ONE_BUY, post } from './app-under-test.ts';
import { LogUnreadable } from '../src/application/record-search.ts';
import { submissionIdOf } from '../src/domain/submission-id.ts';

const OTHER = '[{"operation":"sell","unit-cost":10.00,"quantity":100}]';
const LEASE_MS = 36_000;
const KEY = { 'idempotency-key': '"order-17"' };

/** The app with a clock that can be set forward. */
const atTime = (env: Record<string, string> = {}, isStoreShared = false) => {
  let time = NOW.getTime();
  const under = appUnderTest(env, { clock: () => new Date(time), isStoreShared });
  return { ...under, pass: (milliseconds: number) => (time += milliseconds) };
};

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
  });

  it('makes the submission id from the key, quoted or bare', async () => {
    const { app, log } = appUnderTest();
    const quoted = await post(app, ONE_BUY, KEY);
    const bare = await post(app, ONE_BUY, { 'idempotency-key': 'order-17' });
    expect(bare.body).toBe(quoted.body);
    expect(log.records[0]?.key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
  });

  it('answers 422 when the key is sent again with another payload, and says where the first one is', async () => {
    const { app, log } = appUnderTest();
    const { submissionId, statusUrl } = (await post(app, ONE_BUY, KEY)).json<Record<string, string>>();
    const answer = await post(app, OTHER, KEY);
    expect(answer.statusCode).toBe(422);
    const type = 'urn:problem-type:idempotency-key-reused';
    expect(answer.json()).toMatchObject({ type, submissionId, statusUrl });
    expect(log.records).toHaveLength(1);
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
    const { submissionId } = answers[49]!.json();
    expect(answers[0]?.json()).toMatchObject({ outcome: 'unknown', submissionId });
    expect(answers[49]?.statusCode).toBe(202);
    expect(log.records).toHaveLength(1);
  });

  it('remembers the payload when the outcome is unknown, and publishes a retry under the same id once the first is certainly absent', async () => {
    const { app, log, pass } = atTime();
    log.mode = UNKNOWN;
    const { submissionId } = (await post(app, ONE_BUY, KEY)).json();
    log.mode = 'take';
    expect((await post(app, OTHER, KEY)).statusCode).toBe(422);
    pass(LEASE_MS - 1);
    expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ outcome: 'unknown', submissionId });
    expect(log.records).toEqual([]);
    pass(1);
    expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ submissionId, offset: 0 });
    expect((await post(app, ONE_BUY, KEY)).headers['idempotent-replayed']).toBe('true');
    expect(log.records).toHaveLength(1);
  });

  it.each([
    ['which was appended without an answer', UNKNOWN],
    // It is gone: its claim was never settled.
    ['of an instance that was killed', 'stall' as const],
  ])('answers a retry by the record of an attempt %s', async (_what, mode) => {
    const { app, log, search, pass } = atTime({ DEADLINE_MS: '100' });
    log.mode = mode;
    const { submissionId } = (await post(app, ONE_BUY, KEY)).json();
    log.mode = 'take';
    await append(log, { key: '', value: Buffer.from(ONE_BUY), headers: { ce_id: submissionId } });
    pass(LEASE_MS);
    const retry = await post(app, ONE_BUY, KEY);
    expect([retry.statusCode, retry.headers['idempotent-replayed']]).toEqual([202, 'true']);
    expect(retry.json()).toMatchObject({ submissionId, offset: 0 });
    expect((await post(app, ONE_BUY, KEY)).body).toBe(retry.body);
    expect([log.records.length, search.queries.length]).toEqual([1, 1]);
    expect(search.queries[0]!.from).toEqual(new Date(NOW.getTime() - 60_000));
  });

  it.each([
    ['only a part was read', async () => ({ gap: 'too-long' as const })],
    ['the log cannot be read', () => Promise.reject(new LogUnreadable('away'))],
  ])('publishes no second record when %s', async (_what, instead) => {
    const { app, log, search, pass } = atTime();
    log.mode = UNKNOWN;
    const { submissionId } = (await post(app, ONE_BUY, KEY)).json();
    log.mode = 'take';
    pass(LEASE_MS);
    search.instead = instead;
    expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ outcome: 'unknown', submissionId });
    expect(log.records).toEqual([]);
    delete search.instead;
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(202);
  });

  describe('that a shared store does not know, and may have lost', () => {
    const shared = (env: Record<string, string> = {}) => atTime(env, true);

    it('is answered by the record in the log, and settled', async () => {
      const { app, log, search } = shared();
      const headers = { ce_id: submissionIdOf('order-17') };
      await append(log, { key: '', value: Buffer.from(ONE_BUY), headers });
      const retry = await post(app, ONE_BUY, KEY);
      expect([retry.statusCode, retry.headers['idempotent-replayed']]).toEqual([202, 'true']);
      expect((await post(app, ONE_BUY, KEY)).body).toBe(retry.body);
      expect([log.records.length, search.queries.length]).toEqual([1, 1]);
      expect((await post(app, OTHER, { 'idempotency-key': 'another' })).statusCode).toBe(202);
    });

    it('publishes nothing when the log cannot be searched, nor while something may be on its way', async () => {
      const { app, log, search, store, pass } = shared();
      search.instead = async () => ({ gap: 'deleted' });
      expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ outcome: 'unknown' });
      delete search.instead;
      const { status } = store;
      store.status = () => ({ ...status(), loss: { at: NOW, over: NOW } });
      pass(LEASE_MS - 1);
      expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ outcome: 'unknown' });
      pass(1);
      // Our clock is ahead.
      search.now = new Date(NOW.getTime() + LEASE_MS - 1);
      expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ outcome: 'unknown' });
      expect(log.records).toEqual([]);
      search.now = new Date(NOW.getTime() + LEASE_MS);
      expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(202);
    });

    it('is searched further back than the first attempt that the store knows', async () => {
      const { app, log, search, pass } = shared({ STATUS_WINDOW_MS: '600000' });
      pass(300_000);
      log.mode = UNKNOWN;
      await post(app, ONE_BUY, KEY);
      pass(LEASE_MS);
      search.queries.length = 0;
      await post(app, ONE_BUY, KEY);
      const windowBegan = NOW.getTime() + 300_000 + LEASE_MS - 600_000;
      expect(search.queries).toMatchObject([{ from: new Date(windowBegan - 60_000) }]);
    });

    it('is published at once when the store has kept every key for long enough, or is not shared', async () => {
      const old = shared();
      old.pass(3_600_000 + 60_000);
      expect((await post(old.app, ONE_BUY, KEY)).statusCode).toBe(202);
      const alone = atTime();
      expect((await post(alone.app, ONE_BUY, KEY)).statusCode).toBe(202);
      expect([old.search.queries, alone.search.queries]).toEqual([[], []]);
    });
  });

  it('replays what was acknowledged after the deadline, when the answer was unknown', async () => {
    const { app, log } = appUnderTest({ DEADLINE_MS: '100' });
    log.mode = 'stall';
    expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ outcome: 'unknown' });
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(409);
    log.release();
    expect((await post(app, ONE_BUY, KEY)).headers['idempotent-replayed']).toBe('true');
    expect(log.records).toHaveLength(1);
  });

  it('answers unknown, with the submission id, to every retry after an unknown outcome until it is settled', async () => {
    const { app, log, pass } = atTime();
    log.mode = UNKNOWN;
    const { submissionId } = (await post(app, ONE_BUY, KEY)).json();
    // The retries publish nothing; the first record may be there all the same.
    for (const reason of ['log-unavailable', 'queue-full', 'closed'] as const) {
      pass(LEASE_MS);
      log.mode = notPublished(reason);
      const answer = await post(app, ONE_BUY, KEY);
      expect([answer.statusCode, answer.json()]).toEqual([
        503,
        expect.objectContaining({ outcome: 'unknown', submissionId }),
      ]);
    }
    pass(LEASE_MS);
    log.mode = 'take';
    expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ submissionId, offset: 0 });
  });

  it('keeps no key of a submission that breaks the rules', async () => {
    const { app } = appUnderTest();
    expect((await post(app, '[]', KEY)).statusCode).toBe(422);
    expect((await post(app, ONE_BUY, KEY)).statusCode).toBe(202);
  });
});
