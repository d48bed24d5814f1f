import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CloudEvent, Kafka } from 'cloudevents';
import { appUnderTest, NOW, ONE_BUY, post } from '../../../test/app-under-test.ts';
import { jwtAuthenticator } from '../jwt/jwt-authenticator.ts';
import { AUDIT_FACTS } from './facts.ts';
import { auditTrailOf } from './index.ts';

const TOKENS = { AUTH_TOKENS: 'alice:0123456789abcdef' };
const ALICE = { authorization: 'Bearer 0123456789abcdef' };
const ARRIVED = Date.UTC(2026, 10, 21, 11, 59, 59, 998) * 1_000 + 7;

type Headers = Record<string, string>;
const submitted = async (env: Headers, payload: string | Buffer = ONE_BUY, headers: Headers = {}) => {
  const { app, log } = appUnderTest(
    { ...TOKENS, ...env },
    { opens: { 'audit-trail': auditTrailOf({ ...env, INSTANCE_NAME: 'ops-1' }, () => ARRIVED) } },
  );
  const answer = await post(app, payload, { ...ALICE, ...headers });
  const document = (await app.inject('/asyncapi.json')).json();
  await app.close();
  expect(answer.statusCode).toBe(202);
  const { value, headers: written } = log.records[0]!;
  const texts = Object.fromEntries(Object.entries(written).map(([name, text]) => [name, String(text)]));
  return { value, headers: texts, message: document.components.messages.submission };
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What each fact adds to a record. */
const ADDED: Record<(typeof AUDIT_FACTS)[number], Headers> = {
  time: { ce_time: '2026-11-21T11:59:59.998007Z' },
  instance: { ce_instance: 'ops-1' },
  'client-address': { ce_clientaddress: '127.0.0.1' },
  digest: { ce_sha256: sha256(ONE_BUY) },
  'request-id': { ce_requestid: 'order-17' },
};
const GIVEN = {
  'x-request-id': 'order-17',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'idempotency-key': 'same',
};

describe('the audit trail', () => {
  it('is off, and then records say what they always said', async () => {
    const { headers } = await submitted({}, ONE_BUY, GIVEN);
    expect(Object.keys(headers)).toEqual([
      'ce_specversion',
      'ce_id',
      'ce_source',
      'ce_type',
      'ce_time',
      'content-type',
      'traceparent',
      'ce_authtype',
      'ce_authid',
    ]);
    expect(headers['ce_time']).toBe(NOW.toISOString());
  });

  it.each(AUDIT_FACTS)('has %s by itself', async (fact) => {
    const { headers: without } = await submitted({}, ONE_BUY, GIVEN);
    const { headers } = await submitted({ AUDIT_TRAIL: fact }, ONE_BUY, GIVEN);
    expect(headers).toEqual({ ...without, ...ADDED[fact] });
  });

  it('has all facts, as AsyncAPI describes them and the CloudEvents SDK reads them', async () => {
    const { headers, value, message } = await submitted({ AUDIT_TRAIL: AUDIT_FACTS.join() }, ONE_BUY, GIVEN);
    expect(headers).toMatchObject(Object.assign({}, ...Object.values(ADDED)));
    const ajv = formats.default(new Ajv2020({ strict: false })) as unknown as Ajv2020;
    const isDescribed = ajv.compile({ ...message.headers, additionalProperties: false });
    expect([isDescribed(headers), isDescribed.errors]).toEqual([true, null]);
    expect([isDescribed(message.examples[0].headers), isDescribed.errors]).toEqual([true, null]);
    const { ce_sha256: _left, ...incomplete } = headers;
    expect(isDescribed(incomplete)).toBe(false);
    const body = value.toString();
    const event = Kafka.toEvent({ key: 'k', value: body, headers, body } as never) as CloudEvent<unknown>;
    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({
      instance: 'ops-1',
      clientaddress: '127.0.0.1',
      sha256: sha256(ONE_BUY),
      requestid: 'order-17',
      authid: 'alice',
    });
  });

  it('has the digest of the value, however the body was sent', async () => {
    const body = `${ONE_BUY} `;
    const { headers, value } = await submitted({ AUDIT_TRAIL: 'digest' }, gzipSync(body), {
      'content-encoding': 'gzip',
    });
    expect(value.toString()).toBe(body);
    expect(headers['ce_sha256']).toBe(sha256(body));
  });

  it('has the address that a trusted proxy tells, and none when that is no address', async () => {
    const env = { AUDIT_TRAIL: 'client-address', TRUST_PROXY: 'loopback' };
    const recordOf = (address: string) => submitted(env, ONE_BUY, { 'x-forwarded-for': address });
    expect((await recordOf('192.0.2.7')).headers['ce_clientaddress']).toBe('192.0.2.7');
    expect((await recordOf('2001:db8::7')).headers['ce_clientaddress']).toBe('2001:db8::7');
    expect(Object.keys((await recordOf('unknown')).headers)).not.toContain('ce_clientaddress');
  });

  it('has the time of the last byte, although the client was then made to wait', async () => {
    let now = ARRIVED;
    const steps = new EventEmitter();
    const jwt = {
      verify: async () => {
        await once(steps, 'issuer answers');
        return { principal: 'bob', type: 'unknown' as const };
      },
      hasKeys: () => true,
    };
    const { app, log } = appUnderTest(
      { AUDIT_TRAIL: 'time' },
      {
        opens: {
          'audit-trail': auditTrailOf({ AUDIT_TRAIL: 'time' }, () => now),
          jwt: { authenticator: jwtAuthenticator(jwt, false) },
        },
      },
    );
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const isComplete = once(steps, 'complete');
    app.server.on('request', (request) => {
      const { push } = request;
      request.push = (chunk: unknown, encoding?: BufferEncoding) => {
        const result = push.call(request, chunk, encoding);
        if (chunk === null) steps.emit('complete');
        return result;
      };
    });
    const answer = fetch(`${address}/operations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer a.b.c' },
      body: ONE_BUY,
    });
    await isComplete;
    now += 5_000_000;
    steps.emit('issuer answers');
    expect((await answer).status).toBe(202);
    expect(String(log.records[0]!.headers['ce_time'])).toBe('2026-11-21T11:59:59.998007Z');
  });

  it('has the same time for all submissions of one request', async () => {
    let now = ARRIVED;
    const audit = auditTrailOf({ AUDIT_TRAIL: 'time' }, () => now++);
    const { app, log } = appUnderTest({ BRIDGE: 'true' }, { opens: { 'audit-trail': audit } });
    await app.inject({
      method: 'POST',
      url: '/topics/operations',
      headers: { 'content-type': 'application/vnd.kafka.json.v2+json' },
      payload: `{"records":[{"value":${ONE_BUY}},{"value":${ONE_BUY}}]}`,
    });
    await app.close();
    const times = log.records.map(({ headers }) => String(headers['ce_time']));
    expect(times).toEqual(Array(2).fill('2026-11-21T11:59:59.998007Z'));
  });

  it('names what it does not know', () => {
    expect(() => appUnderTest({ AUDIT_TRAIL: 'time,user' })).toThrow(
      'AUDIT_TRAIL must list time, instance, client-address, digest, request-id; entry 2 is none of them',
    );
  });
});
