import { eventually } from '@workspace/testing';
import { notPublished, UNKNOWN } from './in-memory-log.ts';
import { appUnderTest, NOW, ONE_BUY, post } from './app-under-test.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /operations', () => {
  it('answers 202 with the place of the record', async () => {
    const { app } = appUnderTest();
    const answer = await post(app, ONE_BUY);
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toEqual({
      message: '1 operation accepted',
      submissionId: expect.stringMatching(UUID),
      operations: 1,
      topic: 'operations',
      partition: 0,
      offset: 0,
      statusUrl: expect.stringMatching(/^\/operations\//),
    });
  });

  it('writes the array byte for byte, with CloudEvents attributes as headers', async () => {
    const { app, log } = appUnderTest();
    const body = '[ {"quantity":9007199254740991,"unit-cost":10.10,"operation":"sell"} ]\n';
    const { submissionId } = (await post(app, body)).json<{ submissionId: string }>();
    const [record] = log.records;
    expect(record?.key).toBe(submissionId);
    expect(record?.value.toString()).toBe(body);
    expect(Object.entries(record?.headers ?? {}).map(([name, value]) => [name, String(value)])).toEqual([
      ['ce_specversion', '1.0'],
      ['ce_id', submissionId],
      ['ce_source', '/operations-service'],
      ['ce_type', 'operations.submitted.v1'],
      ['ce_time', NOW.toISOString()],
      ['content-type', 'application/json'],
      ['traceparent', expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)],
    ]);
  });

  it.each([
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true],
    ['00-00000000000000000000000000000000-b7ad6b7169203331-01', false],
    ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', false],
    ['00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01', false],
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more', false],
    ['ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', false],
  ])('takes traceparent %s on: %s', async (traceparent, taken) => {
    const { app, log } = appUnderTest();
    await post(app, ONE_BUY, { traceparent, tracestate: 'vendor=1' });
    expect(log.records[0]?.headers['traceparent'] === traceparent).toBe(taken);
    expect(log.records[0]?.headers['tracestate']).toBe(taken ? 'vendor=1' : undefined);
  });

  it('answers the others of a batch when one answer cannot be written', async () => {
    const { app, log, lines } = appUnderTest();
    app.addHook('onRequest', (request, reply, done) => {
      // Then Node takes no other head.
      if (request.headers['x-begun']) reply.raw.writeHead(500).flushHeaders();
      done();
    });
    log.mode = 'stall';
    const begun = post(app, ONE_BUY, { 'x-begun': 'true' }).catch(() => 'broken off');
    const other = post(app, ONE_BUY);
    await eventually('two on their way', async () => log.stalled === 2);
    log.release();
    expect((await other).statusCode).toBe(202);
    expect(await begun).toBe('broken off');
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', msg: 'answer not written' }));
  });

  const problems: [string, string, Record<string, string>, number, string][] = [
    ['no JSON', '[', {}, 400, 'malformed-json'],
    ['an empty body', '', {}, 400, 'malformed-json'],
    ['text', ONE_BUY, { 'content-type': 'text/plain' }, 415, 'unsupported-media-type'],
    ['no array', '{}', {}, 422, 'invalid-submission'],
    ['too many operations', `[${'0,'.repeat(10_000)}0]`, {}, 413, 'too-many-operations'],
    ['a body over the limit', ' '.repeat(1_048_577), {}, 413, 'body-too-large'],
    ['a message over the limit', ONE_BUY + ' '.repeat(900_000), {}, 413, 'message-too-large'],
    ['an empty key', ONE_BUY, { 'idempotency-key': '""' }, 400, 'bad-idempotency-key'],
    ['a key with a quote', ONE_BUY, { 'idempotency-key': 'a"b' }, 400, 'bad-idempotency-key'],
    ['a long key', ONE_BUY, { 'idempotency-key': 'k'.repeat(256) }, 400, 'bad-idempotency-key'],
  ];
  it.each(problems)('rejects %s', async (_what, body, headers, status, code) => {
    const { app, log } = appUnderTest();
    const answer = await post(app, body, headers);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json()).toMatchObject({ type: `urn:problem-type:${code}`, status });
    expect(log.records).toEqual([]);
  });

  it('points at every bad element', async () => {
    const { app } = appUnderTest();
    const answer = await post(app, '[{"operation":"hold","unit-cost":"1","quantity":1.5},7]');
    expect(answer.json<{ errors: unknown[] }>().errors).toEqual([
      { pointer: '#/0/operation', code: 'enum', detail: 'must be "buy" or "sell"' },
      { pointer: '#/0/unit-cost', code: 'type', detail: 'must be a JSON number' },
      {
        pointer: '#/0/quantity',
        code: 'format',
        detail: 'must be a whole number of at least 1, written without point or exponent, not 1.5',
      },
      { pointer: '#/1', code: 'type', detail: 'must be an object' },
    ]);
  });

  it('says that there were more errors than it lists', async () => {
    const { app } = appUnderTest();
    const answer = await post(app, `[${'0,'.repeat(200)}0]`);
    const { errors, errorsTruncated } = answer.json<{ errors: unknown[]; errorsTruncated: boolean }>();
    expect([errors.length, errorsTruncated]).toEqual([100, true]);
  });

  it.each([
    [notPublished('queue-full'), 503, 'queue-full', '1'],
    [notPublished('log-unavailable'), 503, 'log-unavailable', '1'],
    [notPublished('withdrawn'), 503, 'log-unavailable', '1'],
    [UNKNOWN, 503, 'outcome-unknown', '1'],
    [notPublished('closed'), 503, 'draining', '1'],
    [notPublished('record-too-large'), 413, 'message-too-large', undefined],
  ] as const)('answers %j with %d %s', async (failure, status, code, retryAfter) => {
    const { app, log } = appUnderTest();
    log.mode = failure;
    const { outcome } = failure;
    const answer = await post(app, ONE_BUY);
    expect(answer.statusCode).toBe(status);
    const id = outcome === 'unknown' ? { submissionId: expect.stringMatching(UUID) } : {};
    expect(answer.json()).toMatchObject({ type: `urn:problem-type:${code}`, outcome, ...id });
    expect(answer.headers['retry-after']).toBe(retryAfter);
  });

  it.each([
    [true, 'log-unavailable', 'not-published'],
    [false, 'outcome-unknown', 'unknown'],
  ])('answers at the deadline; withdrawn: %s', async (withdrawable, code, outcome) => {
    const { app, log } = appUnderTest({ DEADLINE_MS: '100' });
    log.mode = 'stall';
    log.withdrawable = withdrawable;
    const answer = await post(app, ONE_BUY);
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ type: `urn:problem-type:${code}`, outcome });
    log.release();
  });

  it('names the record that may be there, with a key too', async () => {
    const { app, log } = appUnderTest();
    const key = { 'idempotency-key': 'order-17' };
    log.mode = UNKNOWN;
    const { submissionId } = (await post(app, ONE_BUY, key)).json();
    log.mode = 'take';
    expect((await post(app, ONE_BUY, key)).json()).toMatchObject({ submissionId });
  });

  it('answers 405 with Allow, and 404', async () => {
    const { app } = appUnderTest();
    const wrongMethod = await app.inject({ method: 'DELETE', url: '/operations' });
    expect([wrongMethod.statusCode, wrongMethod.headers['allow']]).toEqual([405, 'POST']);
    // An empty id names no submission.
    for (const method of ['POST', 'GET', 'PUT'] as const) {
      expect((await app.inject({ method, url: '/operations/' })).statusCode).toBe(404);
    }
    expect((await app.inject('/nothing')).statusCode).toBe(404);
  });
});
