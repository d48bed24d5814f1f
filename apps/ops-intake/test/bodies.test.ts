import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Service } from '@workspace/service-kit';
import { submissionIdOf } from '../src/domain/submission-id.ts';
import { appUnderTest, ONE_BUY, post } from './app-under-test.ts';

const HEAD = 'POST /operations HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const large = ONE_BUY + ' '.repeat(100_000);
const LIMITS = { BODY_LIMIT_BYTES: '150000', BODIES_BYTES: '250000' };

/** Posts a body of unknown length, as `Transfer-Encoding: chunked` carries one. */
const postChunked = (app: Service, payload: string, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/operations',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers },
    payload: Readable.from([Buffer.from(payload)]),
  });

const listen = async (app: Service): Promise<number> => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
};

/** A connection that outlives the service's last word on it. */
const client = async (port: number, bytes: string) => {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1');
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
  const ended = new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  socket.write(bytes);
  return { socket, received: () => text, ended };
};

describe('the budget of bodies', () => {
  it('counts what arrives: small bodies without a Content-Length are small', async () => {
    const { app, log } = appUnderTest();
    log.mode = 'stall';
    const zipped = gzipSync(ONE_BUY);
    expect(zipped.length).toBeLessThan(100);
    const answers: number[] = [];
    const all = Array.from({ length: 96 }, async (_, index) => {
      const answer = await (index % 2
        ? post(app, zipped, { 'content-encoding': 'gzip' })
        : postChunked(app, ONE_BUY));
      answers.push(answer.statusCode);
    });
    while (log.stalled + answers.length < 96) await new Promise(setImmediate);
    log.release();
    await Promise.all(all);
    expect(answers).toEqual(Array(96).fill(202));
  });

  it('counts what arrives: clients that only announce large bodies block no others', async () => {
    const { app } = appUnderTest(LIMITS);
    const port = await listen(app);
    const heads = await Promise.all(
      Array.from({ length: 10 }, () => client(port, `${HEAD}content-length: 140000\r\n\r\n[`)),
    );
    // Answered behind them on one of their connections' server: they have been read.
    const probe = await client(port, 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(probe.socket, 'data');
    expect((await post(app, large + ' '.repeat(20_000))).statusCode).toBe(202);
    for (const { socket } of [...heads, probe]) socket.destroy();
  });

  it.each([
    ['of known length', post],
    ['of unknown length', postChunked],
  ])('rejects a body %s that does not fit, and takes it once others have been answered', async (_, send) => {
    const { app, log } = appUnderTest(LIMITS);
    log.mode = 'stall';
    const held = [post(app, large), postChunked(app, large)];
    while (log.stalled < 2) await new Promise(setImmediate);
    const rejected = await send(app, large);
    expect(rejected.statusCode).toBe(503);
    expect(rejected.headers['retry-after']).toBe('1');
    expect(rejected.json()).toMatchObject({ type: 'urn:problem-type:queue-full', outcome: 'not-published' });
    log.release();
    expect((await Promise.all(held)).map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    log.mode = 'take';
    expect((await send(app, large)).statusCode).toBe(202);
  });

  it('counts small bodies, with what their requests take', async () => {
    const { app, log } = appUnderTest({ ...LIMITS, BODIES_BYTES: '160000' });
    log.mode = 'stall';
    // 8 KiB each, and room for one more.
    const held = Array.from({ length: 20 }, () => post(app, ONE_BUY));
    while (log.stalled < 20) await new Promise(setImmediate);
    expect((await post(app, ONE_BUY)).statusCode).toBe(503);
    expect((await postChunked(app, ONE_BUY)).statusCode).toBe(503);
    log.release();
    expect((await Promise.all(held)).every(({ statusCode }) => statusCode === 202)).toBe(true);
  });

  it.each([
    ['frees the memory of a large body that is in the log', 'take', 202, 0],
    ['keeps a large body whose record may still be sent', 'stall', 503, large.length],
  ] as const)('%s', async (_, mode, status, bytes) => {
    const { app, log } = appUnderTest({ DEADLINE_MS: '100' });
    log.mode = mode;
    const append = jest.spyOn(log, 'append');
    expect((await post(app, large)).statusCode).toBe(status);
    expect(append.mock.calls[0]![0].value).toHaveLength(bytes);
  });

  it('keeps a body that comes in many small pieces as it was sent', async () => {
    const { app, log } = appUnderTest();
    const pieces = Array.from(ONE_BUY + ' '.repeat(900), (character) => Buffer.from(character));
    const answer = await app.inject({
      method: 'POST',
      url: '/operations',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      payload: Readable.from(pieces),
    });
    expect(answer.statusCode).toBe(202);
    expect(String(log.records[0]!.value)).toBe(Buffer.concat(pieces).toString());
  });

  it('keeps a body that comes in more tiny pieces than any client needs', async () => {
    const { app, log } = appUnderTest();
    const body = ONE_BUY + ' '.repeat(16_384);
    const pieces = body.replaceAll(/[^]/g, '1\r\n$&\r\n');
    const { socket, received } = await client(
      await listen(app),
      `${HEAD}transfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`,
    );
    while (!received().includes('\r\n\r\n')) await once(socket, 'data');
    expect(received()).toMatch(/^HTTP\/1\.1 202 /);
    expect(String(log.records[0]!.value)).toBe(body);
    socket.destroy();
  });

  it('does not keep small bodies out', async () => {
    const { app, log } = appUnderTest(LIMITS);
    log.mode = 'stall';
    const held = [post(app, large), post(app, large)];
    while (log.stalled < 2) await new Promise(setImmediate);
    const small = post(app, ONE_BUY);
    while (log.stalled < 3) await new Promise(setImmediate);
    log.release();
    expect((await Promise.all([...held, small])).map(({ statusCode }) => statusCode)).toEqual([
      202, 202, 202,
    ]);
  });

  it.each([post, postChunked])('has room for small bodies while large ones never end', async (send) => {
    const { app } = appUnderTest(LIMITS);
    const port = await listen(app);
    const length = 100_000;
    const slow = await Promise.all(
      [1, 2].map(() => client(port, `${HEAD}content-length: ${length}\r\n\r\n[${' '.repeat(length - 2)}`)),
    );
    while ((await send(app, ' '.repeat(40_000) + ONE_BUY)).statusCode !== 503)
      await new Promise(setImmediate);
    // Each is larger than the one that follows, and takes what those before have left.
    for (const kilobytes of [30, 20, 17]) {
      expect((await send(app, ' '.repeat(kilobytes * 1_000) + ONE_BUY)).statusCode).toBe(503);
    }
    const small = await Promise.all([send(app, ONE_BUY), send(app, ' '.repeat(16_000) + ONE_BUY)]);
    expect(small.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    for (const { socket } of slow) socket.destroy();
  });

  it.each([post, postChunked])(
    'does not call a submission with a key unpublished: an earlier attempt may be in the log',
    async (send) => {
      const { app, log } = appUnderTest(LIMITS);
      log.mode = 'stall';
      const held = [post(app, large), post(app, large)];
      while (log.stalled < 2) await new Promise(setImmediate);
      const rejected = await send(app, large, { 'idempotency-key': '"k"' });
      expect(rejected.json()).toMatchObject({
        type: 'urn:problem-type:queue-full',
        outcome: 'unknown',
        submissionId: submissionIdOf('k'),
      });
      log.release();
      await Promise.all(held);
    },
  );

  it('is given back by a client that got 408, however long it continues', async () => {
    const { app } = appUnderTest({ ...LIMITS, BODIES_BYTES: '350000', REQUEST_TIMEOUT_MS: '2000' });
    const port = await listen(app);
    const slow = await Promise.all(
      [1, 2].map(() => client(port, `${HEAD}content-length: 140000\r\n\r\n[${' '.repeat(110_000)}`)),
    );
    // Until the bytes of both have arrived.
    while ((await post(app, large)).statusCode !== 503) await new Promise(setImmediate);
    await Promise.all(slow.map(({ ended }) => ended));
    for (const { socket, received } of slow) {
      expect(received()).toMatch(/^HTTP\/1\.1 408 /);
      socket.write(' ');
    }
    expect((await post(app, large)).statusCode).toBe(202);
    for (const { socket } of slow) socket.destroy();
  });
});

describe('bodies beyond the limit', () => {
  it.each([
    ['the body limit', '150001'],
    ['the budget of all bodies', '250001'],
  ])('get 413 when they announce more than %s', async (_what, length) => {
    const { app } = appUnderTest(LIMITS);
    const port = await listen(app);
    const { socket, received } = await client(port, `${HEAD}content-length: ${length}\r\n\r\n`);
    await once(socket, 'data');
    expect(received()).toMatch(/^HTTP\/1\.1 413 [^]*urn:problem-type:body-too-large/);
    socket.destroy();
  });

  it('get 413 when they are compressed and never unpack to anything', async () => {
    const { app } = appUnderTest();
    const port = await listen(app);
    const { socket, received, ended } = await client(
      port,
      `${HEAD}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    socket.write('a\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03\r\n', 'latin1');
    // A stored block without a byte in it is five bytes long.
    const blocks = Buffer.from('000000ffff'.repeat(13_107), 'hex');
    const chunk = Buffer.concat([
      Buffer.from(`${blocks.length.toString(16)}\r\n`),
      blocks,
      Buffer.from('\r\n'),
    ]);
    let sent = 0;
    const pour = (): void => {
      while (!socket.destroyed && sent < 300_000_000 && socket.write(chunk)) sent += chunk.length;
      if (sent >= 300_000_000) socket.destroy();
    };
    socket.on('drain', pour);
    pour();
    await ended;
    socket.destroy();
    expect(received()).toMatch(/^HTTP\/1\.1 413 [^]*urn:problem-type:body-too-large/);
    expect(sent).toBeLessThan(300_000_000);
  });
});

describe('a submission that is still arriving when the service stops', () => {
  it.each([
    ['', { outcome: 'not-published' }],
    ['idempotency-key: k\r\n', { outcome: 'unknown', submissionId: submissionIdOf('k') }],
  ])('gets 503 with its outcome: %j', async (header, members) => {
    const { app } = appUnderTest();
    const port = await listen(app);
    const { received, ended } = await client(port, `${HEAD}${header}content-length: 100\r\n\r\n[`);
    const probe = await client(
      port,
      'GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    );
    await probe.ended;
    await Promise.all([app.close(), ended]);
    const [head, body] = received().split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head).toContain('retry-after: 1');
    expect(JSON.parse(String(body))).toMatchObject({ type: 'urn:problem-type:draining', ...members });
  });
});
