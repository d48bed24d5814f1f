import { append } from './append.ts';
import type { Service } from '@workspace/service-kit';
import { notPublished, UNKNOWN } from './in-memory-log.ts';
import { LogUnreadable } from '../src/application/record-search.ts';
import { submissionIdOf } from '../src/domain/submission-id.ts';
import { appUnderTest, NOW, ONE_BUY, post } from './app-under-test.ts';

const KEY = { 'idempotency-key': 'k1' };
const AUTH_TOKENS = 'alice:0123456789abcdef,bob:fedcba9876543210';
const ALICE = { authorization: 'Bearer 0123456789abcdef' };
const BOB = { authorization: 'Bearer fedcba9876543210' };
const LEASE_MS = 36_000;
/** by which clocks of instances may differ */
const SKEW_MS = 60_000;
const WINDOW_MS = 3_600_000;

const read = (app: Service, url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers });

/** The app with a clock that can be set forward. */
const atTime = (env: Record<string, string> = {}) => {
  let time = NOW.getTime();
  const under = appUnderTest(env, { clock: () => new Date(time) });
  return { ...under, pass: (milliseconds: number) => (time += milliseconds) };
};

describe('GET /operations/{submissionId}', () => {
  it('is a page in a browser, with the same words for each outcome', async () => {
    const { app, search } = appUnderTest();
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const { submissionId, statusUrl } = (await post(app, ONE_BUY)).json();
    const page = await read(app, statusUrl, { accept });
    expect([page.statusCode, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).toContain('<h1>Accepted</h1>');
    expect(page.body).toContain(`<dd>${submissionId}</dd>`);
    expect(page.body).toContain('<dt>offset</dt><dd>0</dd>');
    expect(page.body).toContain('<a href="../docs">API</a>');
    search.find = () => Promise.reject(new LogUnreadable('log-unreadable'));
    const unknown = await read(app, statusUrl, { accept });
    expect(unknown.body).toContain('<h1>The outcome is not known</h1>');
    expect(unknown.body).toContain('The topic cannot be read now, or not by this service.');
    expect(unknown.headers['retry-after']).toBe('1');
  });

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
  });

  it.each([
    ['without a key', {}],
    ['with a key', KEY],
  ])('finds it by its id in capitals, as some databases keep a UUID: %s', async (_what, headers) => {
    const { app } = appUnderTest();
    const { submissionId } = (await post(app, ONE_BUY, headers)).json();
    const answer = await read(app, `/operations/${submissionId.toUpperCase()}`);
    expect(answer.json()).toMatchObject({ submissionId, outcome: 'accepted' });
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
    },
  );

  it.each([
    // By the clock of the instance that took it.
    ['without a key', {}, LEASE_MS + SKEW_MS, 0],
    // The store is younger than the window, so that an earlier attempt may be forgotten.
    ['with a key', KEY, LEASE_MS, LEASE_MS - WINDOW_MS],
  ])(
    'says unknown while it may be on its way, then not-found: %s',
    async (_what, headers, untilMs, sinceMs) => {
      const { app, log, pass } = atTime();
      log.mode = UNKNOWN;
      const { submissionId, statusUrl } = (await post(app, ONE_BUY, headers)).json();
      pass(untilMs - 1);
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
        detail: `No record with this id was written since ${new Date(NOW.getTime() + sinceMs - SKEW_MS).toISOString()}.`,
      });
    },
  );

  it('says unknown while a retry may be on its way, however old the first attempt is', async () => {
    const { app, log, pass } = atTime();
    log.mode = UNKNOWN;
    await post(app, ONE_BUY, KEY);
    pass(LEASE_MS);
    const { statusUrl } = (await post(app, ONE_BUY, KEY)).json();
    pass(LEASE_MS - 1);
    expect((await read(app, statusUrl)).json()).toMatchObject({ outcome: 'unknown' });
    pass(1);
    expect((await read(app, statusUrl)).json()).toMatchObject({ outcome: 'not-found' });
  });

  describe('of an attempt whose outcome the store does not know', () => {
    /** An attempt that the broker appended without an answer: its record is in the log, under the id of the key. */
    const appended = async (value = ONE_BUY) => {
      const under = atTime();
      const { app, log } = under;
      log.mode = UNKNOWN;
      const { statusUrl } = (await post(app, ONE_BUY, { ...KEY, 'partition-key': 'p' })).json();
      log.mode = 'take';
      const id = submissionIdOf('k1');
      const headers = { ce_id: id, ce_partitionkey: 'p' };
      await append(log, { key: 'p', value: Buffer.from(value), headers });
      return { ...under, statusUrl: String(statusUrl) };
    };

    it('finds the record, and settles the key: a retry gets the answer, and writes nothing', async () => {
      const { app, log, search, statusUrl } = await appended();
      expect((await read(app, statusUrl)).json()).toMatchObject({ outcome: 'accepted', operations: 1 });
      expect((await read(app, statusUrl)).json()).toMatchObject({ outcome: 'accepted', operations: 1 });
      expect(search.queries).toHaveLength(1);
      const retry = await post(app, ONE_BUY, { ...KEY, 'partition-key': 'p' });
      expect([retry.statusCode, retry.headers['idempotent-replayed']]).toEqual([202, 'true']);
      expect(retry.json()).toMatchObject({ offset: 0, statusUrl });
      expect(log.records).toHaveLength(1);
    });

    it('never settles that it is absent: the failure of a later retry stays unknown', async () => {
      const { app, log, pass } = atTime();
      log.mode = UNKNOWN;
      const { statusUrl } = (await post(app, ONE_BUY, KEY)).json();
      pass(LEASE_MS);
      expect((await read(app, statusUrl)).json()).toMatchObject({ outcome: 'not-found' });
      log.mode = notPublished('log-unavailable');
      expect((await post(app, ONE_BUY, KEY)).json()).toMatchObject({ outcome: 'unknown' });
    });
  });

  it('reads the time of the submission if its id contains it, else the recent past', async () => {
    const { app, search, pass } = atTime({ STATUS_WINDOW_MS: '600000' });
    const { statusUrl } = (await post(app, ONE_BUY)).json();
    pass(86_400_000);
    await read(app, statusUrl);
    await read(app, `/operations/${submissionIdOf('never used')}`);
    const at = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);
    expect(search.queries).toMatchObject([
      { from: at(-60_000) },
      { from: at(86_400_000 - 600_000 - 60_000) },
    ]);
  });

  it('reads from the first attempt that the store knows, and further back while it may have forgotten earlier ones', async () => {
    const { app, log, search, pass } = atTime({ STATUS_WINDOW_MS: '600000' });
    const at = (milliseconds: number) => new Date(NOW.getTime() + milliseconds - 60_000);
    log.mode = UNKNOWN;
    await post(app, ONE_BUY, KEY);
    pass(LEASE_MS);
    await read(app, `/operations/${submissionIdOf('k1')}`);
    pass(1_200_000 - LEASE_MS);
    await post(app, ONE_BUY, { 'idempotency-key': 'k2' });
    pass(LEASE_MS);
    await read(app, `/operations/${submissionIdOf('k2')}`);
    expect(search.queries).toMatchObject([{ from: at(LEASE_MS - 600_000) }, { from: at(1_200_000) }]);
  });

  it.each([
    ['only a part was read', async () => ({ gap: 'too-long' as const }), /more was written/i, '1'],
    ['the log is cut off', async () => ({ gap: 'deleted' as const }), /no longer/, undefined],
    ['followers lag', async () => ({ gap: 'not-replicated' as const }), /in-sync/, '1'],
    ['it is compressed', async () => ({ gap: 'unreadable-compression' as const }), /compressed/, undefined],
    [
      'the topic cannot be read',
      () => Promise.reject(new LogUnreadable('TOPIC_AUTHORIZATION_FAILED')),
      /read/,
      '1',
    ],
  ])('says unknown when %s', async (_what, instead, detail, retryAfter) => {
    const { app, search, pass } = atTime();
    pass(LEASE_MS);
    search.instead = instead;
    const answer = await read(app, `/operations/${submissionIdOf('k')}`);
    expect(answer.headers['retry-after']).toBe(retryAfter);
    expect(answer.json()).toMatchObject({
      outcome: 'unknown',
      detail: expect.stringMatching(detail) as unknown,
    });
  });

  it('reads the log for four at a time only, of which two may be of one client', async () => {
    const { app, search, pass } = atTime({ TRUST_PROXY: 'loopback' });
    pass(LEASE_MS);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    search.instead = () => held.then(() => ({}));
    const url = `/operations/${submissionIdOf('k')}`;
    const ask = (client: number) => read(app, url, { 'x-forwarded-for': `192.0.2.${client}` });
    const isBusy = async (client: number) => {
      const answer = await ask(client);
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([200, '1']);
      expect(answer.json()).toMatchObject({ detail: expect.stringMatching(/same time/) as unknown });
    };
    const asked = [ask(1), ask(1)];
    while (search.queries.length < 2) await new Promise(setImmediate);
    await isBusy(1);
    asked.push(ask(2), ask(3));
    while (search.queries.length < 4) await new Promise(setImmediate);
    await isBusy(4);
    release();
    expect((await Promise.all(asked)).map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect((await ask(1)).statusCode).toBe(404);
  });

  it('is charged to the rate limit, as a submission is', async () => {
    const { app, search } = appUnderTest({ RATE_LIMIT: '2/minute' });
    const { statusUrl } = (await post(app, ONE_BUY)).json();
    const allowed = await read(app, statusUrl);
    expect([allowed.statusCode, allowed.headers['ratelimit']]).toEqual([200, '"requests";r=0;t=60']);
    const limited = await read(app, statusUrl);
    expect([limited.statusCode, limited.headers['retry-after']]).toEqual([429, '30']);
    expect(limited.json()).toMatchObject({ type: 'urn:problem-type:rate-limited' });
    expect(search.queries).toHaveLength(1);
  });

  it.each(['nonsense', '0193-1', 'f47ac10b58cc4372a5670e02b2c3d479'])(
    'does not search for an invalid id: %s',
    async (id) => {
      const { app, search } = appUnderTest();
      const answer = await read(app, `/operations/${id}`);
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ type: 'urn:problem-type:submission-not-found' });
      expect(answer.json()).not.toHaveProperty('submissionId');
      expect(search.queries).toEqual([]);
    },
  );

  it.each([
    ['without a key', {}, 'unknown'],
    ['with a key', KEY, 'not-found'],
  ])('answers only the principal who submitted: %s', async (_what, headers, toOthers) => {
    const { app, log, pass } = atTime({ AUTH_TOKENS });
    pass(LEASE_MS);
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
    expect(others.json()).toMatchObject({ outcome: toOthers, detail: expect.any(String) });
    expect(others.json()).not.toHaveProperty('offset');
    expect((await read(app, statusUrl)).statusCode).toBe(401);
  });
});
