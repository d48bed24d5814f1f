import { createHmac } from 'node:crypto';
import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { signedMessage } from '../src/webhook.ts';
import { cli } from './run-cli.ts';

const KEY = Buffer.alloc(32, 7);

/** A site with three changes in two pages, and a receiver. */
describe('announce --webhook', () => {
  let server: Server;
  let url: string;
  let folder: string;
  let status: number;
  let location: string | undefined;
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const asked: string[] = [];
  const pages: Record<string, unknown> = {
    '/api/v1/changes': {
      cursor: '8.4-2',
      items: [
        { at: 'a', version: '1' },
        { at: 'b', version: '2' },
      ],
    },
    '/api/v1/changes?since=8.4-2': { cursor: '8.4-3', items: [{ at: 'c', version: '3' }] },
    '/api/v1/changes?since=8.4-3': { cursor: '8.4-3', items: [] },
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.method === 'POST') {
        void text(request).then((body) => {
          received.push({ headers: request.headers, body });
          response.writeHead(status, location === undefined ? {} : { location }).end();
        });
        return;
      }
      asked.push(request.url!);
      response.end(JSON.stringify(pages[request.url!] ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    [received.length, asked.length, status, location] = [0, 0, 204, undefined];
    folder = mkdtempSync(join(tmpdir(), 'webhook-'));
    writeFileSync(join(folder, 'secret'), `whsec_${KEY.toString('base64')}\n`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const state = () => join(folder, 'state');
  const announce = (...more: string[]) =>
    cli('/nowhere', [
      'announce',
      url,
      '--webhook',
      `${url}/hook`,
      '--secret',
      join(folder, 'secret'),
      '--state',
      state(),
      ...more,
    ]);

  it('sends what changed since the last time, signed, once', async () => {
    expect(await announce()).toMatchObject({ code: 0, out: `${url}/hook got 3 changes` });
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([
      { type: 'releases.changed', timestamp: 'b', data: pages['/api/v1/changes'] },
      { type: 'releases.changed', timestamp: 'c', data: pages['/api/v1/changes?since=8.4-2'] },
    ]);
    for (const { headers, body } of received) {
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      expect(headers['webhook-signature']).toBe(
        `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`,
      );
    }
    expect(readFileSync(state(), 'utf8')).toBe('8.4-3\n');
    expect(await announce()).toMatchObject({ code: 0, out: `${url}/hook got 0 changes` });
    expect(received).toHaveLength(2);
  });

  it('replaces its state in one step', async () => {
    writeFileSync(state(), '8.4-2\n');
    linkSync(state(), `${state()}.before`);
    expect(await announce()).toMatchObject({ code: 0, out: `${url}/hook got 1 change` });
    expect(readFileSync(`${state()}.before`, 'utf8')).toBe('8.4-2\n');
    expect(readFileSync(state(), 'utf8')).toBe('8.4-3\n');
  });

  it('sends each change once when two commands run at once', async () => {
    writeFileSync(state(), '8.4-2\n');
    const results = await Promise.all([announce(), announce()]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(received).toHaveLength(1);
    expect(readFileSync(state(), 'utf8')).toBe('8.4-3\n');
  });

  it('sends nothing when it cannot keep its state', async () => {
    expect(await announce('--state', join(folder, 'missing', 'state'))).toMatchObject({ code: 1 });
    expect(received).toEqual([]);
  });

  it('sends a page again under the same id when the receiver did not take it', async () => {
    status = 503;
    expect(await announce()).toMatchObject({ code: 1, notes: expect.stringContaining('status 503') });
    status = 200;
    expect((await announce()).code).toBe(0);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(2);
  });

  it.each([301, 302, 303, 307, 308])('takes no redirect (%d) for an acceptance', async (redirect) => {
    // Following it would turn the message into a GET of a page, or send it to an address that the operator did not give.
    [status, location] = [redirect, '/api/v1/changes'];
    expect(await announce()).toMatchObject({
      code: 1,
      notes: expect.stringContaining('/hook: redirects to'),
    });
    expect(received).toHaveLength(1);
    expect(existsSync(state())).toBe(false);
  });

  it('ends when the site answers every cursor alike, as a cache does that leaves out the query', async () => {
    writeFileSync(state(), '8.4-1\n');
    const page = { cursor: '8.4-1', items: [{ at: 'a', version: '1' }] };
    pages['/api/v1/changes?since=8.4-1'] = page;
    expect(await announce()).toMatchObject({
      code: 1,
      notes: expect.stringContaining('the cursor 8.4-1 again'),
    });
    expect(received).toEqual([]);
  });

  it.each([
    ['no secret', ['--secret', ''], 2, '--secret is missing'],
    ['a malformed address', ['--webhook', 'hook.example'], 2, '--webhook must be an address'],
    ['a secret that is not there', ['--secret', '/nowhere/secret'], 1, 'does not exist'],
  ])('rejects %s', async (_what, args, code, sentence) => {
    const result = await announce(...args);
    expect([result.code, result.notes]).toEqual([code, expect.stringContaining(sentence)]);
    expect(received).toEqual([]);
  });

  it.each(['', 'secret', 'whsec_c2hvcnQ='])('rejects the secret "%s"', async (secret) => {
    writeFileSync(join(folder, 'secret'), secret);
    expect(await announce()).toMatchObject({
      code: 1,
      notes: expect.stringContaining('does not hold whsec_'),
    });
  });

  it('signs as others do', () => {
    // A signature that other implementations of Standard Webhooks make of the same message.
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const { headers } = signedMessage(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      key,
      new Date(1_614_265_330_000),
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});
