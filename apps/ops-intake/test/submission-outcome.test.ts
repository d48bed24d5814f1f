import type { Service } from '@workspace/service-kit';
import { AppendError } from '../src/application/operation-log.ts';
import { LogUnreadable } from '../src/application/record-search.ts';
import { StoreUnavailable } from '../src/application/idempotency-store.ts';
import { submissionIdOf } from '../src/domain/submission-id.ts';
import { appUnderTest, NOW, ONE_BUY, post } from './app-under-test.ts';

const KEY = { 'idempotency-key': 'k1' };
const AUTH_TOKENS = 'alice:0123456789abcdef,bob:fedcba9876543210';
const ALICE = { authorization: 'Bearer 0123456789abcdef' };
const BOB = { authorization: 'Bearer fedcba9876543210' };
const LEASE_MS = 36_000;

const read = (app: Service, url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers });

/** The app with a clock that can be set forward. */
const atTime = (env: Record<string, string> = {}) => {
  let time = NOW.getTime();
  const under = appUnderTest(env, { clock: () => new Date(time) });
  return { ...under, pass: (milliseconds: number) => (time += milliseconds) };
};

describe('GET /operations/{submissionId}', () => {
  it.each([
    ['without a key, from the log', {}, 1],
    ['with a key, from the store', KEY, 0],
  ])('says where an accepted submission is: %s', async (_what, headers, searches) => {
    const { app, search } = appUnderTest();
    const accepted = await post(app, ONE_BUY, headers);
    const { submissionId, statusUrl, topic, partition, offset, operations } = accepted.json();
    expect(statusUrl).toBe(`/operations/${submissionId}`);
    expect(accepted.headers.location).toBe(statusUrl);
    const answer = await read(app, statusUrl);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['retry-after']).toBeUndefined();
    expect(answer.json()).toEqual({
      submissionId,
      outcome: 'accepted',
      operations,
      topic,
      partition,
      offset,
    });
    expect(search.queries).toHaveLength(searches);
    await app.close();
  });

  it.each([
    ['without a key', {}],
    ['with a key', KEY],
  ])(
    'says in-flight of a submission on its way, and accepted once it has landed: %s',
    async (_what, headers) => {
      const { app, log } = appUnderTest({ DEADLINE_MS: '100' });
      log.mode = 'stall';
      const unknown = await post(app, ONE_BUY, headers);
      expect(unknown.statusCode).toBe(503);
      expect(unknown.json()).toMatchObject({ type: 'urn:problem-type:outcome-unknown', outcome: 'unknown' });
      const { statusUrl } = unknown.json();
      expect(unknown.headers.location).toBe(statusUrl);
      const waiting = await read(app, statusUrl);
      expect(waiting.json()).toMatchObject({ outcome: 'in-flight' });
      expect(waiting.headers['retry-after']).toBe('1');
      log.release();
      await new Promise(setImmediate);
      expect((await read(app, statusUrl)).json()).toMatchObject({ outcome: 'accepted', offset: 0 });
      await app.close();
    },
  );

  it.each([
    ['without a key', {}],
    ['with a key', KEY],
  ])('says unknown while it may be on its way, then not-found: %s', async (_what, headers) => {
    const { app, log, pass } = atTime();
    log.mode = new AppendError('log-unavailable', 'unknown');
    const { submissionId, statusUrl } = (await post(app, ONE_BUY, headers)).json();
    pass(LEASE_MS - 1);
    const unknown = await read(app, statusUrl);
    expect(unknown.statusCode).toBe(200);
    expect(unknown.headers['retry-after']).toBe('1');
    expect(unknown.json()).toMatchObject({ submissionId, outcome: 'unknown' });
    pass(1);
    const gone = await read(app, statusUrl);
    expect(gone.statusCode).toBe(404);
    expect(gone.json()).toMatchObject({
      type: 'urn:problem-type:submission-not-found',
      status: 404,
      outcome: 'not-found',
      submissionId,
      detail: `No record with this id was written since ${new Date(NOW.getTime() - 60_000).toISOString()}.`,
    });
    await app.close();
  });

  it('finds the record of an attempt whose outcome the store does not know', async () => {
    const { app, log } = appUnderTest();
    log.mode = new AppendError('log-unavailable', 'unknown');
    const { statusUrl } = (await post(app, ONE_BUY, KEY)).json();
    log.mode = 'take';
    // The broker had appended it: the record is there, under the id of the key.
    const id = submissionIdOf('k1');
    log.append({ key: id, value: Buffer.from(ONE_BUY), headers: { ce_id: id } });
    expect((await read(app, statusUrl)).json()).toMatchObject({ outcome: 'accepted', operations: 1 });
    await app.close();
  });

  it('reads the time of the submission where its id tells it, else the recent past', async () => {
    const { app, search, pass } = atTime({ STATUS_WINDOW_MS: '600000' });
    const { statusUrl } = (await post(app, ONE_BUY)).json();
    pass(86_400_000);
    await read(app, statusUrl);
    await read(app, `/operations/${submissionIdOf('never used')}`);
    const at = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);
    expect(search.queries).toMatchObject([
      { from: at(-60_000), until: at(LEASE_MS + 60_000) },
      { from: at(86_400_000 - 600_000 - 60_000), until: at(86_400_000 + 60_000) },
    ]);
    await app.close();
  });

  it.each([
    ['only a part was read', async () => ({ isComplete: false }), /more was written/i],
    [
      'the topic cannot be read',
      () => Promise.reject(new LogUnreadable('TOPIC_AUTHORIZATION_FAILED')),
      /read/,
    ],
  ])('says unknown when %s', async (_what, instead, detail) => {
    const { app, search } = appUnderTest();
    search.instead = instead;
    const answer = await read(app, `/operations/${submissionIdOf('k')}`);
    expect(answer.json()).toMatchObject({
      outcome: 'unknown',
      detail: expect.stringMatching(detail) as unknown,
    });
    await app.close();
  });

  it('says unknown when the store cannot be asked and the log does not have it', async () => {
    const { app, store } = appUnderTest();
    store.find = () => Promise.reject(new StoreUnavailable('away'));
    const answer = await read(app, `/operations/${submissionIdOf('k')}`);
    expect(answer.json()).toMatchObject({
      outcome: 'unknown',
      detail: expect.stringMatching(/store/) as unknown,
    });
    await app.close();
  });

  it('reads the log for four at a time only', async () => {
    const { app, search } = appUnderTest();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    search.instead = () => held.then(() => ({ isComplete: true }));
    const url = `/operations/${submissionIdOf('k')}`;
    const asked = Array.from({ length: 4 }, () => read(app, url));
    while (search.queries.length < 4) await new Promise(setImmediate);
    expect((await read(app, url)).json()).toMatchObject({ outcome: 'unknown' });
    release();
    expect((await Promise.all(asked)).map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    await app.close();
  });

  it.each(['nonsense', '0193-1', 'F47AC10B-58CC-4372-A567-0E02B2C3D479'])(
    'does not look for what is no id: %s',
    async (id) => {
      const { app, search } = appUnderTest();
      const answer = await read(app, `/operations/${id}`);
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ type: 'urn:problem-type:submission-not-found' });
      expect(answer.json()).not.toHaveProperty('submissionId');
      expect(search.queries).toEqual([]);
      await app.close();
    },
  );

  it.each([
    ['without a key', {}],
    ['with a key', KEY],
  ])('tells only the principal who submitted: %s', async (_what, headers) => {
    const { app, log } = appUnderTest({ AUTH_TOKENS });
    log.mode = 'stall';
    const pending = post(app, ONE_BUY, { ...ALICE, ...headers });
    while (log.stalled === 0) await new Promise(setImmediate);
    if ('idempotency-key' in headers) {
      const url = `/operations/${submissionIdOf('k1', 'alice')}`;
      expect((await read(app, url, ALICE)).json()).toMatchObject({ outcome: 'in-flight' });
      expect((await read(app, url, BOB)).statusCode).toBe(404);
    }
    log.release();
    const { statusUrl } = (await pending).json();
    expect((await read(app, statusUrl, ALICE)).json()).toMatchObject({ outcome: 'accepted' });
    const others = await read(app, statusUrl, BOB);
    expect(others.statusCode).toBe(404);
    expect(others.json()).not.toHaveProperty('offset');
    expect((await read(app, statusUrl)).statusCode).toBe(401);
    await app.close();
  });

  it('names the principal in the record, as CloudEvents auth context', async () => {
    const { app, log } = appUnderTest({ AUTH_TOKENS });
    await post(app, ONE_BUY, ALICE);
    expect(log.records[0]?.headers).toMatchObject({ ce_authtype: 'api_key', ce_authid: 'alice' });
    await app.close();
  });
});
