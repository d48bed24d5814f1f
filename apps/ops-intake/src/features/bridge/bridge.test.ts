import fc from 'fast-check';
import { ProblemError } from '@workspace/service-kit/problems';
import { appUnderTest, NOW, ONE_BUY, post } from '../../../test/app-under-test.ts';
import { type InMemoryLog, notPublished, UNKNOWN } from '../../../test/in-memory-log.ts';
import { submissionIdOf } from '../../domain/submission-id.ts';
import { MAX_RECORDS, readRecords } from './bridge-request.ts';
import { MEDIA_TYPE } from './bridge-route.ts';

const under = (env: Record<string, string> = {}, more: Parameters<typeof appUnderTest>[1] = {}) =>
  appUnderTest({ BRIDGE: 'true', ...env }, more);

type App = ReturnType<typeof under>['app'];

const send = async (
  app: App,
  payload: string,
  headers: Record<string, string> = {},
  url = '/topics/operations',
) => {
  const reply = await app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': MEDIA_TYPE, accept: 'application/vnd.kafka.v2+json', ...headers },
    payload,
  });
  return {
    status: reply.statusCode,
    type: reply.headers['content-type'],
    retryAfter: reply.headers['retry-after'],
    body: JSON.parse(reply.body) as Record<string, unknown>,
  };
};

const record = (value: string, key?: string): string =>
  key === undefined ? `{"value":${value}}` : `{"key":${JSON.stringify(key)},"value":${value}}`;
const records = (...all: string[]): string => `{"records":[${all.join(',')}]}`;
const placed = (offset: number) => ({ partition: 0, offset, error_code: null, error: null });
const textsOf = ({ records: all }: InMemoryLog) => all.map(({ value }) => value.toString());

it('writes a record for each record, byte for byte, and answers where each is', async () => {
  const { app, log } = under();
  const values = ['[ {"operation":"buy","unit-cost":10.00,"quantity":100} ]', ONE_BUY, ONE_BUY];
  const sent = ` { "records" : [ {"value":${values[0]}, "key" : "a\\u0062"} ,${record(values[1]!)}, {"partition":null,"key":null,"value":${values[2]}}] } `;
  expect(await send(app, sent)).toEqual({
    status: 200,
    type: 'application/vnd.kafka.v2+json',
    retryAfter: undefined,
    body: { offsets: [placed(0), placed(1), placed(2)], key_schema_id: null, value_schema_id: null },
  });
  expect(textsOf(log)).toEqual(values);
  expect(log.records[0]!.key).toBe('ab');
});

it('takes nothing while it is off', async () => {
  const { app } = appUnderTest();
  expect((await send(app, records(record(ONE_BUY)))).status).toBe(404);
});

describe('a request with something that is not valid publishes nothing', () => {
  it.each([
    ['', 400, /not a JSON object/],
    ['[]', 422, /# must be an object/],
    ['{}', 422, /#\/records records is missing/],
    ['{"records":[]}', 422, /at least one record/],
    ['{"records":{}}', 422, /must be an array/],
    ['{"records":[{"value":[]}],"value_schema_id":1}', 422, /#\/value_schema_id no such member/],
    [`${records(record(ONE_BUY))}x`, 400, /not a JSON object/],
    [`{"records":[${record(ONE_BUY)}`, 400, /not a JSON object/],
    [`{"records":[${record(ONE_BUY)},]}`, 400, /not a JSON object/],
    [records(record(ONE_BUY), '7'), 422, /#\/records\/1 must be an object/],
    [records(record(ONE_BUY), '{}'), 422, /#\/records\/1\/value value is missing/],
    [records(record(ONE_BUY), '{"value":[],"value":[]}'), 422, /must be given once/],
    [records(`{"value":${ONE_BUY},"partition":1}`), 422, /the key decides the partition/],
    [records(`{"value":${ONE_BUY},"key":7}`), 422, /#\/records\/0\/key must be a text/],
    [records(`{"value":${ONE_BUY},"key":"ä"}`), 422, /#\/records\/0\/key must be a text/],
    [records(`{"value":${ONE_BUY},"headers":[]}`), 422, /no such member; there are key, value, partition/],
    [records(record(ONE_BUY), record('{}')), 422, /#\/records\/1\/value must be an array/],
    [records(record(ONE_BUY), record('[{"operation":"hold"}]')), 422, /#\/records\/1\/value\/0/],
    [records(record(ONE_BUY), record('[1.]')), 400, /#\/records\/1\/value: /],
  ])('%#: %j', async (payload, status, message) => {
    const { app, log } = under();
    const answer = await send(app, payload);
    expect(answer).toMatchObject({
      status,
      type: 'application/vnd.kafka.v2+json',
      body: { error_code: status, message: expect.stringMatching(message) },
    });
    expect(log.records).toEqual([]);
  });

  it('one record too many', async () => {
    const { app, log } = under();
    const sent = (count: number) => send(app, records(...Array<string>(count).fill(record(ONE_BUY))));
    expect(await sent(MAX_RECORDS + 1)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('at most 1000 records') },
    });
    expect(log.records).toEqual([]);
    expect((await sent(MAX_RECORDS)).status).toBe(200);
    expect(log.records).toHaveLength(MAX_RECORDS);
  });

  it.each(['application/json', 'application/vnd.kafka.avro.v2+json', 'application/vnd.kafka.binary.v2+json'])(
    '%s',
    async (type) => {
      const { app, log } = under();
      const { status, body } = await send(app, records(record(ONE_BUY)), { 'content-type': type });
      expect([status, body['error_code'], log.records]).toEqual([415, 415, []]);
    },
  );
});

describe('no 2xx for a request with a record that failed', () => {
  it.each([
    ['unknown', UNKNOWN, 503, 2],
    ['not-published', notPublished('log-unavailable'), 503, 2],
    ['not-published', notPublished('queue-full'), 503, 2],
    ['not-published', notPublished('closed'), 503, 2],
    ['not-published', notPublished('record-too-large'), 413, 1],
  ] as const)('%s: %j', async (outcome, failure, status, code) => {
    const { app, log } = under();
    const append = log.append.bind(log);
    log.append = (one, ...rest) => {
      log.mode = one.key === 'fails' ? failure : 'take';
      return append(one, ...rest);
    };
    const answer = await send(
      app,
      records(record(ONE_BUY, 'a'), record(ONE_BUY, 'fails'), record(ONE_BUY, 'b')),
    );
    expect(answer).toMatchObject({
      status,
      type: 'application/vnd.kafka.v2+json',
      retryAfter: status === 503 ? expect.any(String) : undefined,
      body: {
        error_code: status,
        message: expect.stringContaining('1 of 3 records'),
        offsets: [
          placed(0),
          { partition: null, offset: null, error_code: code, error: expect.any(String), outcome },
          placed(1),
        ],
      },
    });
    expect(log.records).toHaveLength(2);
  });

  it('is unknown what became of a record whose submission broke down', async () => {
    const { app, log } = under();
    log.append = () => {
      throw new Error('broken');
    };
    expect(await send(app, records(record(ONE_BUY)), { 'idempotency-key': '"k"' })).toMatchObject({
      status: 500,
      body: {
        offsets: [
          {
            partition: null,
            error_code: 2,
            outcome: 'unknown',
            statusUrl: `/operations/${submissionIdOf('k/0', undefined)}`,
          },
        ],
      },
    });
  });

  it('says 422 of a key that was used before with another value, and accepts the others', async () => {
    const { app } = under();
    const key = { 'idempotency-key': '"k"' };
    await send(app, records(record(ONE_BUY)), key);
    const other = ONE_BUY.replace('100', '200');
    expect(await send(app, records(record(other), record(ONE_BUY)), key)).toMatchObject({
      status: 422,
      body: { offsets: [{ error_code: 1 }, placed(1)] },
    });
  });
});

describe('an Idempotency-Key', () => {
  it('covers each record by its index: what was accepted is answered again, the rest is submitted', async () => {
    const { app, log } = under();
    const sent = records(record(ONE_BUY, 'a'), record(ONE_BUY, 'b'), record(ONE_BUY, 'c'));
    const key = { 'idempotency-key': '"k"' };
    const append = log.append.bind(log);
    log.append = (one, ...rest) => {
      log.mode = one.key === 'b' ? notPublished('log-unavailable') : 'take';
      return append(one, ...rest);
    };
    expect((await send(app, sent, key)).status).toBe(503);
    log.append = append;
    log.mode = 'take';
    expect(await send(app, sent, key)).toMatchObject({
      status: 200,
      body: { offsets: [placed(0), placed(2), placed(1)] },
    });
    expect(log.records).toHaveLength(3);
    // It is one that a header can have, and a place to ask at.
    expect(
      (await post(app, ONE_BUY, { 'idempotency-key': '"k/1"', 'partition-key': 'b' })).json(),
    ).toMatchObject({
      submissionId: submissionIdOf('k/1', undefined),
      offset: 2,
    });
  });

  it.each<[string, Record<string, string>]>([
    ['an Idempotency-Key', { 'idempotency-key': '"k"' }],
    ['none', {}],
  ])('with %s, no record is queued behind one with the same key that was not', async (_with, key) => {
    const { app, log } = under();
    const append = log.append.bind(log);
    let appended = 0;
    log.append = (one, ...rest) => {
      appended += 1;
      log.mode = appended === 1 ? notPublished('queue-full') : 'take';
      return append(one, ...rest);
    };
    const values = [1, 2, 3].map((quantity) => ONE_BUY.replace('100', String(quantity)));
    const keyed = values.map((value) => record(value, 'a'));
    const first = await send(app, records(...keyed, record(ONE_BUY, 'b')), key);
    expect(first).toMatchObject({
      status: 503,
      body: { offsets: [{ error_code: 2 }, { error_code: 2 }, { error_code: 2 }, placed(0)] },
    });
    log.append = append;
    log.mode = 'take';
    expect((await send(app, records(...keyed), key)).status).toBe(200);
    expect(textsOf(log)).toEqual([ONE_BUY, ...values]);
  });

  it.each([
    ['x'.repeat(251), 200],
    ['x'.repeat(252), 400],
    ['', 400],
  ])('%#', async (key, status) => {
    const { app } = under();
    expect((await send(app, records(record(ONE_BUY)), { 'idempotency-key': `"${key}"` })).status).toBe(
      status,
    );
  });

  it('is needed where every submission needs one', async () => {
    const { app, log } = under({ IDEMPOTENCY_KEY_REQUIRED: 'true' });
    expect(await send(app, records(record(ONE_BUY)))).toMatchObject({
      status: 400,
      body: { error_code: 400 },
    });
    expect(log.records).toEqual([]);
  });
});

it('counts each record against the rate limit, and publishes nothing of a request that is over it', async () => {
  const { app, log } = under({ RATE_LIMIT: '3/hour' });
  const three = records(...Array<string>(3).fill(record(ONE_BUY)));
  expect((await send(app, three)).status).toBe(200);
  expect(await send(app, three)).toMatchObject({ status: 429, body: { error_code: 429 } });
  expect(log.records).toHaveLength(3);
});

it('takes a request over the rate limit after Retry-After, or says that it never will', async () => {
  let now = NOW.getTime();
  const { app } = under({ RATE_LIMIT: '4/hour' }, { clock: () => new Date(now) });
  const sent = (count: number) => send(app, records(...Array<string>(count).fill(record(ONE_BUY))));
  expect(await sent(5)).toMatchObject({
    status: 429,
    retryAfter: undefined,
    body: { message: expect.stringContaining('a request for 5 never is') },
  });
  const over = await sent(4);
  expect(over.status).toBe(429);
  now += Number(over.retryAfter) * 1_000;
  expect((await sent(4)).status).toBe(200);
});

it.each([
  ['partition-key', 'account-7', {}],
  ['sequence', '1', { SEQUENCES: 'true' }],
])(
  'publishes nothing of a request with the header %s, which it could not keep to',
  async (name, value, env) => {
    const { app, log } = under(env);
    expect(await send(app, records(record(ONE_BUY, 'a')), { [name]: value })).toMatchObject({
      status: 400,
      body: { error_code: 400, message: expect.stringContaining('not part of this API') },
    });
    expect(log.records).toEqual([]);
  },
);

it('names no submission where it cannot tell which one of a request was meant', async () => {
  const { app } = under({ BODY_LIMIT_BYTES: '1000', BODIES_BYTES: '1000' });
  const sent = records(record(`${' '.repeat(800)}${ONE_BUY}`));
  const replies = await Promise.all(
    Array.from({ length: 20 }, () =>
      app.inject({
        method: 'POST',
        url: '/topics/operations',
        headers: { 'content-type': MEDIA_TYPE, 'idempotency-key': '"k"' },
        payload: sent,
      }),
    ),
  );
  const full = replies.find(({ statusCode }) => statusCode === 503);
  expect(full!.headers).not.toHaveProperty('location');
});

it('asks for credentials as for other submissions', async () => {
  const token = 'x'.repeat(40);
  const { app } = under({ AUTH_TOKENS: `desk:${token}` });
  const sent = records(record(ONE_BUY));
  expect(await send(app, sent)).toMatchObject({ status: 401, body: { error_code: 401 } });
  expect((await send(app, sent, { authorization: `Bearer ${token}` })).status).toBe(200);
});

it.each([
  ['/topics/other', 404, 40_401],
  ['/topics', 404, 40_401],
  ['/topics/operations/partitions/0', 404, 40_401],
  ['/consumers/group', 404, 404],
  ['/consumers/group/instances/one/records', 404, 404],
])('has nothing else of Confluent’s API: %s', async (url, status, code) => {
  const { app } = under();
  for (const type of [MEDIA_TYPE, 'application/vnd.kafka.v2+json'])
    expect(await send(app, '{}', { 'content-type': type }, url)).toMatchObject({
      status,
      type: 'application/vnd.kafka.v2+json',
      body: { error_code: code },
    });
  const got = await app.inject({ url });
  expect([got.statusCode, got.json<{ error_code: number }>().error_code]).toEqual([status, code]);
});

it('says which method the topic has', async () => {
  const { app } = under();
  const { statusCode, headers, body } = await app.inject({ url: '/topics/operations' });
  expect([statusCode, headers['allow'], JSON.parse(body)]).toMatchObject([405, 'POST', { error_code: 405 }]);
});

describe('the records of a body', () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

  it('are cut out byte for byte, however they are written', () => {
    fc.assert(
      fc.property(fc.array(fc.json(), { minLength: 1, maxLength: 5 }), space, (values, gap) => {
        const all = values.map((value) => `${gap}{${gap}"value"${gap}:${gap}${value}${gap}}${gap}`);
        const body = Buffer.from(`${gap}{${gap}"records"${gap}:${gap}[${all.join(',')}]${gap}}${gap}`);
        expect(readRecords(body).map(({ bytes }) => bytes.toString())).toEqual(
          values.map((value) => value.trim()),
        );
      }),
    );
  });

  it('are read, or there is a problem, whatever the body is', () => {
    const written = fc.array(
      fc.constantFrom(
        ...[
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          ' ',
          '"',
          '\\',
          '"records"',
          '"value"',
          '"key"',
          '"a"',
          'null',
          '1',
        ],
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          written,
          fc.constant('{"records":[{"value":').map((text) => [text]),
        ),
        written,
        (a, b) => {
          const body = `${a.join('')}${b.join('')}`;
          try {
            readRecords(Buffer.from(body));
          } catch (error) {
            expect(error).toBeInstanceOf(ProblemError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
