import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Service } from '@workspace/service-kit';
import { digestOfToken } from '@workspace/service-kit/access-tokens';
import { systemTimers } from '@workspace/service-process';
import { eventually } from '@workspace/testing';
import { AUDIT_FACTS } from '../src/features/audit-trail/facts.ts';
import { auditTrailOf } from '../src/features/audit-trail/index.ts';
import { notPublished, UNKNOWN } from './in-memory-log.ts';
import { appUnderTest, ONE_BUY } from './app-under-test.ts';
import { openStreams } from '../src/features/bulk-streams/index.ts';
import { givenSchemas } from '../src/features/own-schemas/index.ts';
import { tokenAuthenticator } from '../src/features/tokens/index.ts';
import { exampleSchemas } from './own-schemas.ts';

const NDJSON = 'application/x-ndjson';
const STREAMS = { BULK_STREAMS: '2' };

const line = (key: string, operations = ONE_BUY, partitionKey?: string): string =>
  `{"key":${JSON.stringify(key)},${partitionKey ? `"partitionKey":${JSON.stringify(partitionKey)},` : ''}"operations":${operations}}\n`;

const post = (app: Service, payload: string | Buffer, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/operations/batch',
    headers: { 'content-type': NDJSON, ...headers },
    payload,
  });
const answersIn = (body: string) =>
  body
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as Record<string, unknown>);

/** A stream on a socket, whose lines the test writes and reads as it likes. */
const open = async (app: Service, headers: Record<string, string> = {}, localAddress = '127.0.0.1') => {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const request = httpRequest({
    host: '127.0.0.1',
    localAddress,
    port,
    method: 'POST',
    path: '/operations/batch',
    headers: { 'content-type': NDJSON, ...headers },
  });
  request.flushHeaders();
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  return { request, message };
};
const lines = (message: IncomingMessage) => {
  const read = createInterface({ input: message })[Symbol.asyncIterator]();
  return async () => JSON.parse((await read.next()).value as string) as Record<string, unknown>;
};

const untilStalled = (log: { stalled: number }, count: number) =>
  eventually(`${count} stalled`, () => log.stalled === count);

describe('POST /operations/batch', () => {
  it('is not there unless it is switched on', async () => {
    const { app } = appUnderTest();
    const answer = await post(app, line('a'));
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('writes a record for each line, byte for byte, and answers each', async () => {
    const { app, log } = appUnderTest(STREAMS);
    const array = '[ {"quantity":9007199254740991,"unit-cost":10.10,"operation":"sell"} ]';
    const answer = await post(
      app,
      ` {"operations" : ${array} , "key":"a b" }\r\n\n${line('b', ONE_BUY, 'account-7')}`.trimEnd(),
    );
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, `${NDJSON}; charset=utf-8`]);
    const submissionId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const statusUrl = expect.stringMatching(/^\/operations\//);
    const place = { submissionId, statusUrl, operations: 1, topic: 'operations', partition: 0 };
    expect(answersIn(answer.body)).toEqual([
      { line: 1, key: 'a b', status: 202, ...place, offset: 0 },
      { line: 3, key: 'b', status: 202, ...place, offset: 1 },
    ]);
    expect(log.records.map(({ value }) => String(value))).toEqual([array, ONE_BUY]);
    expect(log.records[1]!.key).toBe('account-7');
  });

  it('gives a line the id and the answer of a submission that is sent alone with its key', async () => {
    const { app, log } = appUnderTest(STREAMS);
    const alone = await app.inject({
      method: 'POST',
      url: '/operations',
      headers: { 'content-type': 'application/json', 'idempotency-key': '"order 1"' },
      payload: ONE_BUY,
    });
    const [answer] = answersIn((await post(app, line('order 1'))).body);
    expect(answer).toMatchObject({ submissionId: alone.json().submissionId, status: 202, replayed: true });
    expect(log.records).toHaveLength(1);
  });

  const refused: [string, string, number, string, string?][] = [
    ['no JSON', 'nonsense', 400, 'malformed-json'],
    ['half an object', '{"key":"a","operations":[', 400, 'malformed-json'],
    ['something behind the object', `${line('a').trimEnd()} x`, 400, 'malformed-json'],
    ['a string that does not end', '{"key":"a', 400, 'malformed-json'],
    ['no value', '{"key":}', 400, 'malformed-json'],
    ['an empty object', ' { } ', 400, 'idempotency-key-missing'],
    ['an array that is no JSON', '{"key":"a","operations":[{]}', 400, 'malformed-json'],
    ['invalid UTF-8 in the array', '{"key":"a","operations":["\xff"]}', 400, 'malformed-json'],
    ['no key', `{"operations":${ONE_BUY}}`, 400, 'idempotency-key-missing'],
    ['an empty key', line(''), 400, 'bad-idempotency-key'],
    ['a long key', line('k'.repeat(256)), 400, 'bad-idempotency-key'],
    ['a key beyond ASCII', line('ä'), 400, 'bad-idempotency-key'],
    ['a bad partition key', line('a', ONE_BUY, 'ä'), 400, 'bad-partition-key'],
    ['a key that is no text', '{"key":7}', 422, 'invalid-submission', '#/key'],
    ['a member given twice', '{"key":"a","key":"b"}', 422, 'invalid-submission', '#/key'],
    ['an unknown member', '{"key":"a","more/":1}', 422, 'invalid-submission', '#/more~1'],
    ['no operations', '{"key":"a"}', 422, 'invalid-submission', '#/operations'],
    ['no array', line('a', '{}'), 422, 'invalid-submission', '#/operations'],
    ['a bad operation', line('a', '[7]'), 422, 'invalid-submission', '#/operations/0'],
    ['too many operations', line('a', `[${'0,'.repeat(10_000)}0]`), 413, 'too-many-operations'],
    [
      'a message over the limit',
      line('a', `[${' '.repeat(950_000)}${ONE_BUY.slice(1)}`),
      413,
      'message-too-large',
    ],
    ['a line over the limit', line('a', ' '.repeat(2_000_000)), 413, 'body-too-large'],
  ];
  it.each(refused)('answers %s in its place', async (...[_what, bad, status, code, pointer]) => {
    const { app, log } = appUnderTest(STREAMS);
    const body = Buffer.concat([
      Buffer.from(line('first')),
      Buffer.from(`${bad.trimEnd()}\n`, bad.includes('ä') ? 'utf8' : 'latin1'),
      Buffer.from(line('last')),
    ]);
    const answers = answersIn((await post(app, body)).body);
    expect(answers.map((one) => [one['line'], one['status']])).toEqual([
      [1, 202],
      [2, status],
      [3, 202],
    ]);
    expect(answers[1]).toMatchObject({
      type: `urn:problem-type:${code}`,
      ...(pointer !== undefined && { errors: [{ pointer }] }),
    });
    expect(log.records).toHaveLength(2);
  });

  it.each(['at once', 'with promises'])('answers a line that an error of ours met, %s', async (way) => {
    const { app, log, store } = appUnderTest(STREAMS);
    if (way === 'with promises') Object.assign(store, { sync: undefined });
    const { append } = log;
    log.append = (record, ...rest) => {
      if (record.key === 'bad') throw new Error('a bug');
      return append(record, ...rest);
    };
    const answers = answersIn((await post(app, line('a') + line('b', ONE_BUY, 'bad') + line('c'))).body);
    expect(answers.map(({ status }) => status)).toEqual([202, 500, 202]);
    expect(answers[1]).toMatchObject({ type: 'urn:problem-type:internal-error', outcome: 'unknown' });
    expect(log.records).toHaveLength(2);
  });

  it('judges each line by the schema that it names, or else the stream, or else the first', async () => {
    const { app, log } = appUnderTest(STREAMS, {
      opens: {
        'own-schemas': givenSchemas(await exampleSchemas('orders.v1.json', 'built-in', 'operations.v2.json')),
      },
    });
    const naming = (schema: string) => line('a').replace('{', `{"schema":${JSON.stringify(schema)},`);
    const typesOf = async (body: string, headers = {}) => {
      const from = log.records.length;
      const answers = answersIn((await post(app, body, headers)).body);
      const types = log.records.slice(from).map((record) => String(record.headers['ce_type']));
      return answers.map((answer) => (answer['status'] === 202 ? types.shift() : answer['type']));
    };
    const [v1, v2] = ['operations.submitted.v1', 'operations.submitted.v2'];
    const [invalid, unknown, reused] = [
      'invalid-submission',
      'unknown-operation-schema',
      'idempotency-key-reused',
    ].map((code) => `urn:problem-type:${code}`);
    const named = naming('operations.v1') + naming('orders.v9') + naming('operations.v2');
    expect(await typesOf(line('b') + named)).toEqual([invalid, v1, unknown, reused]);
    expect(
      await typesOf(line('c') + naming('operations.v1').replace('"a"', '"d"'), {
        'operation-schema': 'operations.v2',
      }),
    ).toEqual([v2, v1]);
  });

  it.each(['schema', 'sequence'])('rejects %s in a line where it would mean nothing', async (member) => {
    const { app, log } = appUnderTest(STREAMS);
    const body = line('a', ONE_BUY, 'account-7').replace('{', `{"${member}":"1",`);
    expect(answersIn((await post(app, body)).body)).toMatchObject([
      { status: 422, errors: [{ pointer: `#/${member}`, code: 'unknown' }] },
    ]);
    expect(log.records).toEqual([]);
  });

  it('leaves an audit trail in the record of each line', async () => {
    let microseconds = Date.UTC(2026, 10, 21, 12) * 1_000;
    const env = { AUDIT_TRAIL: AUDIT_FACTS.join(), INSTANCE_NAME: 'ops-1' };
    const { app, log } = appUnderTest(
      { ...STREAMS, ...env },
      { opens: { 'audit-trail': auditTrailOf(env, () => (microseconds += 1)) } },
    );
    const other = ONE_BUY.replace('100', '7');
    await post(app, line('a') + line('b', other), { 'x-request-id': 'replay-17' });
    const trail = (ce_time: string, array: string) => ({
      ce_time: `2026-11-21T12:00:00.${ce_time}Z`,
      ce_instance: 'ops-1',
      ce_clientaddress: '127.0.0.1',
      ce_sha256: createHash('sha256').update(array).digest('hex'),
      ce_requestid: 'replay-17',
    });
    const headers = log.records.map((record) =>
      Object.fromEntries(Object.entries(record.headers).map(([name, value]) => [name, String(value)])),
    );
    expect(headers).toMatchObject([trail('000001', ONE_BUY), trail('000002', other)]);
  });

  it('answers nothing to nothing', async () => {
    const { app } = appUnderTest(STREAMS);
    expect((await post(app, '\n \r\n')).body).toBe('');
  });

  it('takes NDJSON only, without an encoding, from who may submit', async () => {
    const { app } = appUnderTest({ ...STREAMS, AUTH_TOKENS: 'alice:0123456789abcdef' });
    const authorization = 'Bearer 0123456789abcdef';
    const statuses = [
      await post(app, line('a')),
      await post(app, line('a'), { authorization, 'content-type': 'application/json' }),
      await post(app, line('a'), { authorization, 'content-encoding': 'gzip' }),
      await post(app, line('a'), { authorization }),
    ].map(({ statusCode }) => statusCode);
    expect(statuses).toEqual([401, 415, 415, 200]);
  });

  it('is answered while it arrives', async () => {
    const { app } = appUnderTest(STREAMS);
    const { request, message } = await open(app);
    const next = lines(message);
    for (const key of ['a', 'b']) {
      request.write(line(key));
      expect(await next()).toMatchObject({ key, status: 202 });
    }
    request.end();
    await once(message, 'end');
  });

  it('answers a client to the end that closes its side after the last line', async () => {
    const { app, log } = appUnderTest(STREAMS);
    await app.listen({ port: 0, host: '127.0.0.1' });
    log.mode = 'stall';
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    const body = line('a');
    socket.end(
      `POST /operations/batch HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${NDJSON}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await untilStalled(log, 1);
    log.release();
    expect(await text(socket)).toContain('"status":202');
  });

  it('tries again what finds the queue full, and begins nothing before that', async () => {
    const { app, log } = appUnderTest(STREAMS);
    const { request, message } = await open(app);
    log.mode = notPublished('queue-full');
    let attempts = 0;
    const { append } = log;
    log.append = (...of) => {
      attempts += 1;
      return append(...of);
    };
    const next = lines(message);
    request.write(['a', 'b', 'c'].map((key) => line(key, ONE_BUY, 'account-7')).join(''));
    await eventually('second attempts', () => attempts > 6);
    log.mode = 'take';
    for (const key of ['a', 'b', 'c']) expect(await next()).toMatchObject({ key, status: 202 });
    request.end();
    expect(log.records).toHaveLength(3);
  });

  it.each([
    [notPublished('log-unavailable'), 503, 'log-unavailable', 'not-published', 1],
    [UNKNOWN, 503, 'outcome-unknown', 'unknown', 1],
  ] as const)('answers %j at the deadline', async (failure, status, code, outcome, retryAfter) => {
    const { app, log } = appUnderTest({ ...STREAMS, DEADLINE_MS: '150' });
    log.mode = failure;
    expect(answersIn((await post(app, line('a'))).body)).toMatchObject([
      { line: 1, key: 'a', status, type: `urn:problem-type:${code}`, outcome, retryAfter },
    ]);
  });

  it('answers a key that is given twice with one record, or with 422', async () => {
    const { app, log } = appUnderTest(STREAMS);
    const answers = answersIn(
      (await post(app, line('a') + line('a') + line('a', '[]') + line('a', ONE_BUY.replace('100', '7'))))
        .body,
    );
    expect(answers.map((one) => [one['status'], one['replayed']])).toEqual([
      [202, undefined],
      [202, true],
      [422, undefined],
      [422, undefined],
    ]);
    expect(log.records).toHaveLength(1);
  });

  it('counts each line for the rate limit, and waits if that helps', async () => {
    const { app } = appUnderTest({ ...STREAMS, RATE_LIMIT: '2/hour' });
    const answers = answersIn((await post(app, line('a') + 'x\n' + line('c') + line('d'))).body);
    expect(answers.map((one) => one['status'])).toEqual([202, 400, 429, 429]);
    expect(answers[2]).toMatchObject({ type: 'urn:problem-type:rate-limited', retryAfter: 1800 });
    const patient = appUnderTest({ ...STREAMS, RATE_LIMIT: '2/second' }, { clock: () => new Date() });
    const statuses = answersIn(
      (await post(patient.app, ['a', 'b', 'c', 'd', 'e'].map((key) => line(key)).join(''))).body,
    );
    expect(statuses.map((one) => one['status'])).toEqual([202, 202, 202, 202, 202]);
  });

  it('serves so many streams at once, each until nothing of it is on its way', async () => {
    const { app, log } = appUnderTest({ BULK_STREAMS: '1' });
    log.mode = 'stall';
    const { request } = await open(app);
    request.on('error', () => undefined);
    request.write(line('a'));
    await untilStalled(log, 1);
    const busy = await post(app, line('b'));
    expect([busy.statusCode, busy.headers['retry-after']]).toEqual([503, '1']);
    expect(busy.json()).toMatchObject({
      type: 'urn:problem-type:too-many-streams',
      // An earlier stream may have published some of its keys.
      outcome: 'unknown',
    });
    request.destroy();
    expect((await post(app, line('b'))).statusCode).toBe(503);
    log.mode = 'take';
    log.release();
    await eventually('room for a stream', async () => (await post(app, line('b'))).statusCode === 200);
  });

  it.each([
    ['address', '127.0.0.2', '127.0.0.3'],
    ['address that a trusted proxy names', '198.51.100.1', '198.51.100.2'],
    ['/64 that a trusted proxy names', '2001:db8::*', '2001:db8:0:1::1'],
    ['principal', 'alice', 'bob'],
  ])('leave room for another %s when one takes all that it can', async (kind, greedy, other) => {
    const tokens = new Map(['alice', 'bob'].map((name) => [name, digestOfToken(name.padEnd(16, '-'))]));
    const isProxied = kind.includes('proxy');
    const env = { BULK_STREAMS: '4', ...(isProxied && { TRUST_PROXY: '127.0.0.1' }) };
    const { app } = appUnderTest(
      env,
      kind === 'principal' ? { opens: { tokens: { authenticator: tokenAuthenticator(() => tokens) } } } : {},
    );
    const stream = async (client: string, number = 0) => {
      const headers = isProxied
        ? { 'x-forwarded-for': client.replace('*', String(number)) }
        : kind === 'principal'
          ? { authorization: `Bearer ${client.padEnd(16, '-')}` }
          : {};
      const { request, message } = await open(
        app,
        headers as Record<string, string>,
        kind === 'address' ? client : undefined,
      );
      request.on('error', () => undefined);
      message.on('error', () => undefined).resume();
      return { request, status: message.statusCode };
    };
    const flood: Awaited<ReturnType<typeof stream>>[] = [];
    for (let number = 0; number < 6; number += 1) flood.push(await stream(greedy, number));
    expect(flood.map(({ status }) => status)).toEqual([200, 200, 503, 503, 503, 503]);
    expect((await stream(other)).status).toBe(200);
    for (const { request } of flood) request.destroy();
    await eventually('its share again', async () => (await stream(greedy)).status === 200);
    app.server.closeAllConnections();
  });

  it('ends with its lines answered when the service drains', async () => {
    const { app, log, drain } = appUnderTest(STREAMS);
    log.mode = 'stall';
    const { request, message } = await open(app);
    request.write(line('a') + line('b'));
    await untilStalled(log, 2);
    drain.start();
    request.write(line('c'));
    log.release();
    const answers = answersIn(await text(message));
    expect(answers).toMatchObject([
      { key: 'a', status: 202 },
      { key: 'b', status: 202 },
      { end: true, status: 503, type: 'urn:problem-type:draining', outcome: 'unknown', retryAfter: 1 },
    ]);
    const late = await post(app, line('c'));
    expect([late.statusCode, late.json().outcome]).toEqual([503, 'unknown']);
    expect(log.records).toHaveLength(2);
    request.destroy();
  });

  it.each([
    ['is no longer valid', []],
    ['was given to another', [['bob', digestOfToken('0123456789abcdef')]]],
  ] as const)('ends when the token %s, also for lines that arrived before that and wait', async (_, then) => {
    let tokens = new Map([['alice', digestOfToken('0123456789abcdef')]]);
    let elapsedMs = 0;
    const timers = { ...systemTimers, now: () => systemTimers.now() + elapsedMs };
    const { app, log } = appUnderTest(
      { BULK_STREAMS: '1' },
      {
        opens: { tokens: { authenticator: tokenAuthenticator(() => tokens) } },
        timers,
      },
    );
    const { append } = log;
    log.append = (...of) => {
      // Eleven seconds after the first line of a chunk.
      if (log.records.length === 0) [tokens, elapsedMs] = [new Map(then), 11_000];
      return append(...of);
    };
    const headers = { authorization: 'Bearer 0123456789abcdef' };
    const answers = answersIn((await post(app, line('a') + line('b') + line('c'), headers)).body);
    expect(answers).toMatchObject([
      { key: 'a', status: 202 },
      { end: true, status: 401, type: 'urn:problem-type:unauthorized' },
    ]);
    expect(log.records).toHaveLength(1);
  });

  it('ends the answer for a client that sends everything before it reads', async () => {
    const { app } = appUnderTest(STREAMS, {
      opens: { 'bulk-streams': (context) => openStreams(2, context, 100) },
    });
    const { request, message } = await open(app);
    message.pause();
    // Their answers are so much longer that they fill the buffers of the system long before the lines have arrived.
    const bad = `[${'0,'.repeat(99)}0]`;
    const all = 60_000;
    const source = Readable.from(
      (function* () {
        for (let sent = 0; sent < all; sent += 100) yield line('bad', bad).repeat(100);
      })(),
    );
    source.pipe(request);
    await once(request, 'finish');
    const answers = answersIn(await text(message));
    expect(answers.pop()).toMatchObject({ end: true, status: 413 });
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.length).toBeLessThan(all);
    expect(answers.every((one, at) => one['line'] === at + 1 && one['status'] === 422)).toBe(true);
  });
});
