import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CloudEvent, Kafka } from 'cloudevents';
import { systemTimers } from '@workspace/service-process';
import {
  RejectedSubmissions,
  type RejectionOutcome,
} from '../src/features/rejected-topic/rejected-submissions.ts';
import { createRandomPool } from '../src/adapters/random/random-pool.ts';
import { AUDIT_FACTS } from '../src/features/audit-trail/facts.ts';
import { auditTrailOf } from '../src/features/audit-trail/index.ts';
import { openedWith } from '../src/features/rejected-topic/index.ts';
import { rejectedTopic as topicOf } from '../src/features/rejected-topic/rejected-message.ts';
import { appUnderTest, NOW, ONE_BUY, post } from './app-under-test.ts';
import { createInMemoryLog, notPublished } from './in-memory-log.ts';

const ENV = { AUTH_TOKENS: 'alice:0123456789abcdef', REJECTED_TOPIC: 'rejected' };
const ALICE = { authorization: 'Bearer 0123456789abcdef' };
const HOLD = '[{"operation":"hold","unit-cost":10.00,"quantity":100}]';

const sha256 = (bytes: string): string => createHash('sha256').update(bytes).digest('hex');
const textsOf = (headers: Readonly<Record<string, string | Buffer>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)]));

const scene = (env: Record<string, string> = {}, more: Parameters<typeof appUnderTest>[1] = {}) => {
  const topic = createInMemoryLog();
  const outcomes: RejectionOutcome[] = [];
  const rejected = new RejectedSubmissions({
    log: topic,
    withBodies: true,
    bodyBytes: 900_000,
    queueBytes: 1_000_000,
    timers: systemTimers,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const audit = auditTrailOf({ ...env, INSTANCE_NAME: 'ops-1' }, () => NOW.getTime() * 1_000 + 7);
  const opens = {
    'audit-trail': audit,
    'rejected-topic': openedWith(rejected, {
      clock: () => NOW,
      fillRandomly: createRandomPool(),
      description: topicOf('rejected', audit.recordHeaders, env['SEQUENCES'] === 'true'),
    }),
  };
  const under = appUnderTest({ ...ENV, ...env }, { opens, ...more });
  const kept = () =>
    topic.records.map(({ key, value, headers }) => ({
      key,
      value: value.toString(),
      headers: textsOf(headers),
      problem: JSON.parse(String(headers['ce_problem'])) as Record<string, unknown>,
    }));
  return { ...under, topic, outcomes, kept };
};

describe('a rejected submission', () => {
  it('becomes a record with its bytes, who sent it, and what was wrong', async () => {
    const { app, log, kept } = scene();
    const answer = await post(app, HOLD, {
      ...ALICE,
      'x-request-id': 'order-17',
      'idempotency-key': '"k 1"',
      'partition-key': 'account-7',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(answer.statusCode).toBe(422);
    const [{ key, value, headers, problem } = {} as never] = kept();
    expect({ key, value }).toEqual({ key: 'account-7', value: HOLD });
    const { ce_id, ce_problem: _, ...rest } = headers;
    expect(ce_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toEqual({
      ce_specversion: '1.0',
      ce_source: '/operations-service',
      ce_type: 'operations.rejected.v1',
      ce_time: NOW.toISOString(),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      ce_authtype: 'api_key',
      ce_authid: 'alice',
      ce_requestid: 'order-17',
      ce_sha256: sha256(HOLD),
      ce_partitionkey: 'account-7',
      ce_idempotencykey: 'k 1',
      'content-type': 'application/octet-stream',
    });
    expect(problem).toEqual(answer.json());
    expect(log.records).toEqual([]);
  });

  it.each<[string, number, string | Buffer, Record<string, string>, string | undefined]>([
    ['malformed JSON', 400, '[{', {}, '[{'],
    ['bytes that are no text', 400, Buffer.from([0x5b, 0xff, 0x5d]), {}, undefined],
    ['a wrong key', 400, ONE_BUY, { 'idempotency-key': '"' }, ONE_BUY],
    ['too many operations', 413, `[${'1,'.repeat(2)}1]`, {}, '[1,1,1]'],
    ['a compressed body', 422, gzipSync(HOLD), { 'content-encoding': 'gzip' }, HOLD],
    ['a body over the limit, of which there is no digest', 413, ' '.repeat(1_001), {}, ''],
    ['another type, whose body is not read', 415, HOLD, { 'content-type': 'text/plain' }, ''],
    ['no body', 400, '', {}, undefined],
  ])('is one with %s (%d)', async (_what, status, body, headers, value) => {
    const { app, kept } = scene({ MAX_OPERATIONS: '2', BODY_LIMIT_BYTES: '1000' });
    const answer = await post(app, body, { ...ALICE, ...headers });
    expect(answer.statusCode).toBe(status);
    const [record] = kept();
    expect(record!.problem).toEqual(answer.json());
    if (value === undefined) return;
    expect(record!.value).toBe(value);
    expect(record!.headers['ce_sha256']).toBe(value === '' ? undefined : sha256(value));
  });

  it('is one whose key was used with another body, or whose Sequence leaves a gap', async () => {
    const { app, kept } = scene({ SEQUENCES: 'true' });
    const key = { ...ALICE, 'idempotency-key': 'k' };
    const series = { ...ALICE, 'partition-key': 'a' };
    const statuses = [
      await post(app, ONE_BUY, key),
      await post(app, `${ONE_BUY} `, key),
      await post(app, ONE_BUY, { ...series, sequence: '1' }),
      await post(app, ONE_BUY, { ...series, sequence: '3' }),
    ].map(({ statusCode }) => statusCode);
    expect(statuses).toEqual([202, 422, 202, 409]);
    expect(kept().map(({ value, problem }) => [value, problem['type']])).toEqual([
      [`${ONE_BUY} `, 'urn:problem-type:idempotency-key-reused'],
      [ONE_BUY, 'urn:problem-type:out-of-sequence'],
    ]);
  });

  it.each([
    ['application/vnd.kafka.json.v2+json', 422, '#/records/1/value/0/operation'],
    ['application/json', 415, undefined],
  ])('is one in a request to the bridge, as a whole: %s', async (type, status, pointer) => {
    const { app, kept } = scene({ BRIDGE: 'true' });
    const body = `{"records":[{"value":${ONE_BUY}},{"value":${HOLD}}]}`;
    const answer = await app.inject({
      method: 'POST',
      url: '/topics/operations',
      headers: { ...ALICE, 'content-type': type },
      payload: body,
    });
    expect(answer.statusCode).toBe(status);
    const [{ value, problem, headers } = {} as never, ...others] = kept();
    expect([value, problem['status'], headers['ce_authid']]).toEqual([pointer ? body : '', status, 'alice']);
    expect(problem).toMatchObject(pointer ? { errors: [{ pointer }] } : {});
    expect(others).toEqual([]);
  });

  it('is not one that may be accepted later, or one of an unknown client', async () => {
    const { app, log, kept } = scene({ RATE_LIMIT: '3/minute', BULK_STREAMS: '1' });
    log.mode = notPublished('log-unavailable');
    const unavailable = await post(app, ONE_BUY, ALICE);
    log.mode = 'stall';
    const key = { ...ALICE, 'idempotency-key': 'k' };
    const first = post(app, ONE_BUY, key);
    first.then(
      () => undefined,
      () => undefined,
    );
    while (log.stalled === 0) await new Promise(setImmediate);
    const inFlight = await post(app, ONE_BUY, key);
    log.release();
    await first;
    const limited = await post(app, HOLD, ALICE);
    const unknown = await post(app, HOLD);
    const wrongMethod = await app.inject({
      method: 'PUT',
      url: '/operations',
      headers: ALICE,
      payload: HOLD,
    });
    const noStatus = await app.inject({ url: '/operations/x', headers: ALICE });
    expect(
      [unavailable, inFlight, limited, unknown, wrongMethod, noStatus].map(({ statusCode }) => statusCode),
    ).toEqual([503, 409, 429, 401, 405, 429]);
    expect(kept()).toEqual([]);
  });

  it('has a problem of bounded size, whatever names its client chooses', async () => {
    const { app, kept } = scene();
    const name = 'é'.repeat(3_000);
    const body = `[${Array.from({ length: 90 }, (_, at) => `{"${name}${at}":1}`).join()}]`;
    const answer = await post(app, body, ALICE);
    expect(answer.statusCode).toBe(422);
    const [{ headers, problem, value } = {} as never] = kept();
    expect(Buffer.byteLength(headers['ce_problem']!)).toBeLessThan(20_000);
    expect(problem).toMatchObject({ errorsTruncated: true });
    expect((problem['errors'] as unknown[]).length).toBeGreaterThan(10);
    expect(value).toBe(body);
  });

  it('has what the audit trail says of accepted ones, and is as AsyncAPI describes it', async () => {
    const { app, kept } = scene({ AUDIT_TRAIL: AUDIT_FACTS.join(), KAFKA_TOPIC: 'trades' });
    await post(app, HOLD, { ...ALICE, tracestate: 'a=b', 'idempotency-key': 'k', 'partition-key': 'p' });
    const text = (await app.inject('/asyncapi.json')).body;
    const [{ key, value, headers } = {} as never] = kept();
    expect(headers).toMatchObject({
      ce_time: '2026-11-21T12:00:00.000007Z',
      ce_instance: 'ops-1',
      ce_clientaddress: '127.0.0.1',
    });
    const { document, diagnostics } = await new Parser().parse(text);
    expect(diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version')).toEqual([]);
    expect(
      document!
        .channels()
        .all()
        .map((channel) => channel.address()),
    ).toEqual(['trades', 'rejected']);
    const message = JSON.parse(text).components.messages.rejection;
    const ajv = formats.default(new Ajv2020({ strict: false })) as unknown as Ajv2020;
    const isDescribed = ajv.compile({ ...message.headers, additionalProperties: false });
    expect([isDescribed(headers), isDescribed.errors]).toEqual([true, null]);
    const [example] = message.examples;
    expect([isDescribed(example.headers), isDescribed.errors]).toEqual([true, null]);
    const event = Kafka.toEvent({ key, value, headers, body: value } as never) as CloudEvent<unknown>;
    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({
      type: 'operations.rejected.v1',
      authid: 'alice',
      requestid: headers['ce_requestid'],
    });
  });

  it('is not described, and has no check, without REJECTED_TOPIC', async () => {
    const { app } = appUnderTest();
    const { channels, components } = (await app.inject('/asyncapi.json')).json();
    const { checks } = (await app.inject('/health')).json();
    expect([Object.keys(channels), Object.keys(components.messages), Object.keys(checks)]).toEqual([
      ['operations'],
      ['submission'],
      ['kafka:connection'],
    ]);
  });

  it('waits for its topic, of which /health warns; its client does not wait', async () => {
    const { app, topic, kept, outcomes } = scene();
    topic.mode = 'stall';
    topic.status = () => ({ connected: false, error: 'gone', queued: { records: 0, bytes: 0 } });
    expect((await post(app, HOLD, ALICE)).statusCode).toBe(422);
    expect((await post(app, ONE_BUY, ALICE)).statusCode).toBe(202);
    const health = await app.inject({ url: '/health', headers: ALICE });
    expect([health.statusCode, health.json()]).toEqual([
      200,
      expect.objectContaining({
        status: 'warn',
        checks: expect.objectContaining({
          'kafka:rejected-topic': [expect.objectContaining({ status: 'warn', output: 'gone' })],
        }),
      }),
    ]);
    expect(kept()).toEqual([]);
    topic.release();
    expect([kept().length, outcomes]).toEqual([1, ['written']]);
  });
});

describe('the rejected lines of a stream', () => {
  it('become records: the submission, or the whole line where that cannot be seen', async () => {
    const { app, log, kept } = scene({ BULK_STREAMS: '1', BODY_LIMIT_BYTES: '1000' });
    const lines = [
      `{"key":"a","operations":${ONE_BUY}}`,
      `{"key":"b","partitionKey":"p","operations":${HOLD}}`,
      'no line',
      `{"operations":${ONE_BUY}}`,
      `{"key":"a","operations":${ONE_BUY.replace('100', '7')}}`,
      `{"key":"c","operations":[${' '.repeat(6_000)}]}`,
    ];
    const answer = await app.inject({
      method: 'POST',
      url: '/operations/batch',
      headers: { ...ALICE, 'content-type': 'application/x-ndjson', 'x-request-id': 'stream-1' },
      payload: lines.join('\n'),
    });
    const answers = answer.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(answers.map(({ status }) => status)).toEqual([202, 422, 400, 400, 422, 413]);
    const records = kept();
    expect(records.map(({ value }) => value)).toEqual([
      HOLD,
      'no line',
      lines[3],
      ONE_BUY.replace('100', '7'),
      '',
    ]);
    expect(records.map(({ headers }) => headers['ce_idempotencykey'])).toEqual([
      'b',
      undefined,
      undefined,
      'a',
      undefined,
    ]);
    expect(records[0]!.key).toBe('p');
    for (const [index, { problem, headers }] of records.entries()) {
      const { key: _key, ...answered } = answers[index + 1]!;
      expect(problem).toEqual({ ...answered, requestId: 'stream-1' });
      expect(headers).toMatchObject({ ce_authid: 'alice', ce_requestid: 'stream-1' });
    }
    expect(log.records).toHaveLength(1);
  });
});

describe('the number of a rejected submission', () => {
  const numbersOf = async (env: Record<string, string>): Promise<unknown[]> => {
    const { app, kept } = scene({ BULK_STREAMS: '1', ...env });
    const number = { 'partition-key': 'p', sequence: '17' };
    await post(app, HOLD, { ...ALICE, ...number });
    await post(app, HOLD, { ...ALICE, ...number, sequence: '017' });
    await app.inject({
      method: 'POST',
      url: '/operations/batch',
      headers: { ...ALICE, 'content-type': 'application/x-ndjson' },
      payload: [
        `{"key":"a","partitionKey":"p","sequence":18,"operations":${HOLD}}`,
        `{"key":"b","partitionKey":"p","operations":${HOLD}}`,
      ].join('\n'),
    });
    return kept().map(({ headers }) => headers['ce_sequence']);
  };

  it('is in its record, where it is read and is one', async () => {
    expect(await numbersOf({ SEQUENCES: 'true' })).toEqual([
      '000000000000017',
      undefined,
      '000000000000018',
      undefined,
    ]);
    expect(await numbersOf({})).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('the settings of rejected submissions', () => {
  it.each([
    [{ AUTH_TOKENS: '' }, 'REJECTED_TOPIC is for submissions of clients that authenticate: set one of AUTH_'],
    [{ KAFKA_TOPIC: 'rejected' }, 'REJECTED_TOPIC must be another topic than KAFKA_TOPIC'],
  ])('%p stop the start', (env, message) => {
    expect(() => appUnderTest({ ...ENV, ...env })).toThrow(message);
  });

  it('mean nothing without the topic', () => {
    expect(() => appUnderTest({ REJECTED_BODIES: 'false' })).toThrow(
      'REJECTED_BODIES is set, but REJECTED_TOPIC is not',
    );
  });
});
