import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '@workspace/service-process';
import { workspaceRoot } from '@workspace/testing';
import { STEPS } from '../src/features/console/checks.ts';
import { appUnderTest, NOW, ONE_BUY, post } from './app-under-test.ts';

/** The states in an event stream, as they arrive. It is read from the start: `fetch` cancels a body whose response is garbage-collected. */
const states = (body: ReadableStream<Uint8Array>) => statesIn(body.pipeThrough(new TextDecoderStream()));

async function* statesIn(texts: ReadableStream<string>): AsyncGenerator<Record<string, unknown>> {
  let text = '';
  for await (const chunk of texts) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield JSON.parse(text.slice('data: '.length, end)) as Record<string, unknown>;
      text = text.slice(end + 2);
    }
  }
}

describe('the console', () => {
  it('is off unless it is enabled', async () => {
    const { app } = appUnderTest();
    expect((await app.inject('/console/events')).statusCode).toBe(404);
  });

  it.each([
    [{}, '', 'buy'],
    [{ AUTH_TOKENS: 'alice:0123456789abcdef', IDEMPOTENCY_KEY_REQUIRED: 'true' }, 'Bearer $TOKEN', 'uuidgen'],
  ])('off, leaves a start page with the state and a line to copy: %j', async (env, ...parts) => {
    const { app, log } = appUnderTest(env);
    const { statusCode, headers, body } = await app.inject({ url: '/', headers: { host: 'localhost:3000' } });
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toContain('<h1>ops-intake is up</h1>');
    expect(body).toContain('curl http://localhost:3000/operations');
    expect(body).toContain('href="./docs"');
    expect(body).toContain('<code>CONSOLE=true</code>');
    for (const part of parts) expect(body).toContain(part);
    log.status = () => ({ connected: false, queued: { records: 0, bytes: 0 } });
    expect((await app.inject('/')).body).toContain('<h1>ops-intake is down</h1>');
  });

  it('shows browsers a submission on the page of a problem, too', async () => {
    const { app } = appUnderTest({ AUTH_TOKENS: 'alice:0123456789abcdef' });
    const headers = { accept: 'text/html', host: 'localhost:3000' };
    const { statusCode, body } = await app.inject({ url: '/operations', headers });
    expect(statusCode).toBe(405);
    expect(body).toContain('curl http://localhost:3000/operations');
    expect(body).toContain('Bearer $TOKEN');
    expect(body).toContain('href="./docs">See all paths');
  });

  it('has a start page that does not repeat a Host header into a shell', async () => {
    const { app } = appUnderTest({ ALLOW_ANONYMOUS: 'true' });
    for (const host of ['a;reboot', '$(reboot)', 'a`b`', "a'b", '<b>']) {
      const { statusCode, body } = await app.inject({ url: '/', headers: { host } });
      if (statusCode === 200) expect(body).toContain('curl http://localhost/operations');
      expect(body).not.toMatch(/reboot|<b>/);
    }
  });

  it('is a page that needs no other host, and runs no script but its own', async () => {
    const { app } = appUnderTest({ CONSOLE: 'true', CONSOLE_MESSAGES_URL: 'http://localhost:8081/?a=1&b=2' });
    const page = await app.inject('/');
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; .*connect-src 'self'; .*form-action 'self'/,
    );
    expect(page.body).toContain('href="http://localhost:8081/?a=1&amp;b=2"');
    expect(page.body).not.toMatch(/ src=|style="|onclick/);
    expect(page.body).not.toContain('Bearer token');
  });

  it('asks for a token where submissions need one', async () => {
    const { app } = appUnderTest({ CONSOLE: 'true', AUTH_TOKENS: 'alice:0123456789abcdef' });
    expect((await app.inject('/')).body).toContain('Bearer token');
  });

  it('streams the state of the service, and ends when the service closes', async () => {
    const metrics = createMetrics({ name: 'ops-intake', version: '1' });
    const { app, log } = appUnderTest({ CONSOLE: 'true' }, { metrics });
    log.status = () => ({ connected: false, error: 'ECONNREFUSED', queued: { records: 3, bytes: 1_500 } });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    await post(app, ONE_BUY);
    await post(app, '[', { 'x-request-id': 'r-1' });
    const response = await fetch(`${url}/console/events`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const stream = states(response.body!);
    expect((await stream.next()).value).toMatchObject({
      at: NOW.toISOString(),
      health: { status: 'down', kafka: { status: 'disconnected', error: 'ECONNREFUSED' } },
      queue: { records: 3, bytes: 1_500 },
      answers: { 202: 1, 400: 1 },
      problems: [
        {
          at: NOW.toISOString(),
          status: 400,
          code: 'malformed-json',
          details: [expect.any(String)],
          requestId: 'r-1',
        },
      ],
    });
    await post(app, ONE_BUY);
    expect((await stream.next()).value).toMatchObject({ answers: { 202: 2, 400: 1 } });
    await app.close();
    expect((await stream.next()).done).toBe(true);
  });

  it('answers HEAD without taking a stream from anyone', async () => {
    const { app } = appUnderTest({ CONSOLE: 'true' });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const stream = states((await fetch(`${url}/console/events`)).body!);
    for (let times = 0; times < 25; times += 1) {
      const head = await fetch(`${url}/console/events`, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
    for (let events = 0; events < 2; events += 1) expect((await stream.next()).done).toBe(false);
  });

  it('remembers the latest twenty problems', async () => {
    const { app } = appUnderTest({ CONSOLE: 'true' });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    for (let index = 1; index <= 25; index += 1) await post(app, '[', { 'x-request-id': `r-${index}` });
    const stream = states((await fetch(`${url}/console/events`)).body!);
    const { problems } = (await stream.next()).value as { problems: { requestId: string }[] };
    expect(problems.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 20 }, (_, index) => `r-${25 - index}`),
    );
  });

  it('counts unknown paths and methods alike in both tables, and nothing of pages and probes', async () => {
    const metrics = createMetrics({ name: 'ops-intake', version: '1' });
    const { app } = appUnderTest({ CONSOLE: 'true' }, { metrics });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    for (const [path, method] of [
      ['/nowhere', 'GET'],
      ['/operations', 'PUT'],
      ['/health', 'GET'],
      ['/console/events', 'DELETE'],
    ] as const)
      await app.inject({ url: path, method });
    const { answers, problems } = (await states((await fetch(`${url}/console/events`)).body!).next())
      .value as { answers: unknown; problems: { status: number }[] };
    expect(answers).toEqual({ 404: 1, 405: 2 });
    expect(problems.map(({ status }) => status)).toEqual([405, 405, 404]);
  });

  it('says of each check that does not pass since when, what to do and which runbook', async () => {
    let now = NOW.getTime();
    const { app, log } = appUnderTest(
      { CONSOLE: 'true', CONSOLE_RUNBOOKS_URL: 'https://example.com/docker/runbooks' },
      { clock: () => new Date(now) },
    );
    expect((await app.inject('/')).body).toContain('data-runbooks="https://example.com/docker/runbooks/"');
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const stream = states((await fetch(`${url}/console/events`)).body!);
    const passing = { name: 'kafka:connection', status: 'pass', output: '' };
    expect((await stream.next()).value).toMatchObject({ checks: [passing] });
    const { status } = log;
    log.status = () => ({ connected: false, error: 'ECONNREFUSED', queued: { records: 0, bytes: 0 } });
    const failing = {
      name: 'kafka:connection',
      status: 'fail',
      since: NOW.toISOString(),
      output: 'ECONNREFUSED',
      next: expect.stringContaining('brokers'),
      runbook: 'broker-unavailable.md',
    };
    expect((await stream.next()).value).toMatchObject({ checks: [failing] });
    now += 60_000;
    expect((await stream.next()).value).toMatchObject({ checks: [failing] });
    log.status = status;
    expect((await stream.next()).value).toMatchObject({ checks: [passing] });
  });

  it('has only runbooks that exist', async () => {
    const known = readdirSync(join(workspaceRoot, 'docker/runbooks'));
    expect(known).toEqual(expect.arrayContaining(Object.values(STEPS).map(([, runbook]) => runbook)));
    expect(Object.values(STEPS)).not.toHaveLength(0);
  });

  it('finds a submission by its id or key, of who asks', async () => {
    const { app } = appUnderTest({
      CONSOLE: 'true',
      AUTH_TOKENS: 'alice:0123456789abcdef,bob:fedcba9876543210',
    });
    const find = async (query: Record<string, string>, token = '0123456789abcdef') => {
      const url = `/console/submission?${new URLSearchParams(query).toString()}`;
      const { statusCode, headers } = await app.inject({
        url,
        headers: { authorization: `Bearer ${token}` },
      });
      return [statusCode, headers.location];
    };
    const key = '<img src=x> "1"';
    const accepted = await post(app, ONE_BUY, {
      'idempotency-key': JSON.stringify(key),
      authorization: 'Bearer 0123456789abcdef',
    });
    const { statusUrl, submissionId } = accepted.json();
    const there = [303, `..${statusUrl}`];
    expect(await find({ id: ` ${submissionId}`, key: '' })).toEqual(there);
    expect(await find({ id: '', key })).toEqual(there);
    expect(await find({ key: JSON.stringify(key) })).toEqual(there);
    expect(await find({ key }, 'fedcba9876543210')).not.toEqual(there);
    expect(await find({})).toEqual([303, '../']);
    expect(await find({ id: '//evil.example/\r\na: b' })).toEqual([
      303,
      '../operations/%2F%2Fevil.example%2F%0D%0Aa%3A%20b',
    ]);
    expect((await app.inject('/console/submission?key=a')).statusCode).toBe(401);
  });
});
