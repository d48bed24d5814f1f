import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Service } from '@workspace/service-kit';
import { eventually } from '@workspace/testing';
import { appUnderTest, ONE_BUY, post } from './app-under-test.ts';
import type { InMemoryLog } from './in-memory-log.ts';

const LARGE = ONE_BUY + ' '.repeat(100_000);
const BODIES = { BODY_LIMIT_BYTES: '150000', BODIES_BYTES: '2000000' };
const ADDRESSES = { TRUST_PROXY: 'loopback' };
const TOKENS = { AUTH_TOKENS: 'alice:0123456789abcdef,bob:fedcba9876543210' };

/** Settings, and the headers of two clients: one request of the first, with its number, and any of the second. */
const CLIENTS = {
  'an address': [ADDRESSES, () => ({ 'x-forwarded-for': '192.0.2.1' }), { 'x-forwarded-for': '192.0.2.2' }],
  'a /64': [
    ADDRESSES,
    (n: number) => ({ 'x-forwarded-for': `2001:db8::${n.toString(16)}` }),
    { 'x-forwarded-for': '2001:db8:0:1::1' },
  ],
  'a principal': [
    TOKENS,
    () => ({ authorization: 'Bearer 0123456789abcdef' }),
    { authorization: 'Bearer fedcba9876543210' },
  ],
} as const;

type Send = (app: Service, headers: Record<string, string>, n: number) => ReturnType<typeof post>;

const chunked =
  (body: string): Send =>
  (app, headers) =>
    app.inject({
      method: 'POST',
      url: '/operations',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers },
      payload: Readable.from([body]),
    });
const small: Send = (app, headers) => post(app, ONE_BUY, headers);
const keyed: Send = (app, headers, n) => post(app, ONE_BUY, { 'idempotency-key': `k${n}`, ...headers });

/** Sends requests of the first client until each is answered or waits for Kafka. @returns how many were rejected */
const flood = async (app: Service, log: InMemoryLog, send: Send, headers: (n: number) => object) => {
  const statuses: number[] = [];
  for (let n = 0; n < 300; n += 1)
    void send(app, headers(n) as Record<string, string>, n).then(({ statusCode }) =>
      statuses.push(statusCode),
    );
  await eventually('answers or waiting records', () => log.stalled + statuses.length >= 300);
  expect(new Set(statuses)).toEqual(new Set([503]));
  return statuses.length;
};

describe.each(Object.entries(CLIENTS))('%s that floods', (_, [env, first, second]) => {
  it.each<[string, Record<string, string>, Send, Send?]>([
    ['large bodies', BODIES, (app, headers) => post(app, LARGE, headers)],
    ['large bodies of unknown length', BODIES, chunked(LARGE)],
    [
      'bodies that are large when unpacked',
      BODIES,
      (app, headers) => post(app, gzipSync(LARGE), { 'content-encoding': 'gzip', ...headers }),
    ],
    ['small bodies', { BODIES_BYTES: '1600000', BODY_LIMIT_BYTES: '20000' }, small, chunked(ONE_BUY)],
    ['records', { QUEUE_RECORDS: '20' }, small, keyed],
    ['records with keys', { QUEUE_RECORDS: '20' }, keyed],
    ['bytes of records', { QUEUE_BYTES: '800', MAX_MESSAGE_BYTES: '800' }, small],
  ])('leaves another client room for %s', async (_what, limits, send, other = send) => {
    const { app, log } = appUnderTest({ ...env, ...limits });
    log.mode = 'stall';
    const rejected = await flood(app, log, send, first);
    expect(rejected).toBeGreaterThan(100);
    const held = log.stalled;
    const others = [send, other].map((one, n) => one(app, second, 1_000 + n));
    await eventually('records of the other client', () => log.stalled === held + others.length);
    log.release();
    expect((await Promise.all(others)).map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    log.mode = 'take';
    expect((await send(app, first(0), 2_000)).statusCode).toBe(202);
  });
});

it('counts bodies that never end', async () => {
  const { app } = appUnderTest({ ...ADDRESSES, ...BODIES });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const head = `POST /operations HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: 192.0.2.1\r\ncontent-type: application/json\r\ncontent-length: ${LARGE.length}\r\n\r\n`;
  const slow: Socket[] = [];
  let isRejected = false;
  await eventually('a full share', async () => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
    slow.push(socket.on('data', (answer) => (isRejected ||= String(answer).startsWith('HTTP/1.1 503 '))));
    await once(socket, 'connect');
    socket.write(head + LARGE.slice(1));
    return isRejected;
  });
  expect((await post(app, LARGE, { 'x-forwarded-for': '192.0.2.2' })).statusCode).toBe(202);
  for (const socket of slow) socket.destroy();
});

it('counts records whose clients were answered at the deadline, until they are settled', async () => {
  const { app, log } = appUnderTest({ ...ADDRESSES, QUEUE_RECORDS: '4', DEADLINE_MS: '100' });
  log.mode = 'stall';
  const from = async (address: string) => (await small(app, { 'x-forwarded-for': address }, 0)).json().type;
  const late = 'urn:problem-type:outcome-unknown';
  const full = 'urn:problem-type:queue-full';
  expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')]).toEqual([
    late,
    late,
    full,
  ]);
  expect([await from('192.0.2.2'), await from('192.0.2.2')]).toEqual([late, full]);
  log.release();
  expect(await from('192.0.2.1')).toBe(late);
  log.release();
});
