import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { kafkaAvailable, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { type BuiltService, eventually, smuggledRequests, statusesOf } from '@workspace/testing';
import { submitWhileClosing } from './support/closing-connections.ts';
import { createCertificate } from './support/certificate.ts';
import { type ProxiedServices, startProxiedServices } from './support/proxied-services.ts';
import { start } from './support/process.ts';
import { type Answer, ask, type Question } from './support/request.ts';
import { submitWhileRestarting } from './support/restarting-instances.ts';
import { startService } from './support/service.ts';

const kafka = kafkaAvailable();
if (!kafka.ok && process.env['CI']) throw new Error(kafka.missing);
if (!kafka.ok) console.warn(`ops-intake runs without a broker here: ${kafka.missing}`);

/** How compose.yaml has ops-intake stop. */
const STOPPING = Object.fromEntries(
  [...readFileSync('compose.yaml', 'utf8').matchAll(/^ {6}(DRAIN_\w+): '(\d+)'$/gm)].map(
    ([, name, value]) => [name, value],
  ),
) as { DRAIN_DELAY_MS: string; DRAIN_IDLE_MS: string };

/** Runs a line as a reader of the README would. */
const shell = async (line: string) => {
  const running = start({ command: 'sh', args: ['-c', line] });
  const { code } = await running.ended;
  return { status: code, stdout: running.output() };
};

const problem = (answer: Answer) => {
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['cache-control']).toBe('no-store');
  return JSON.parse(answer.body) as Record<string, unknown>;
};

describe('the proxy in front of the three running services', () => {
  let around: ProxiedServices;
  let broker: StandaloneBroker | undefined;
  const instances: BuiltService[] = [];
  const through = (service: string, path: string, more: Partial<Question> = {}) =>
    ask({ port: around.proxy.port, host: `${service}.localhost`, path, ...more });

  beforeAll(async () => {
    around = await startProxiedServices();
    if (kafka.ok) broker = await startBroker();
    const settings = {
      'release-web': { PUBLIC_BASE_URL: `http://release-web.localhost:${around.proxy.port}` },
      'ops-intake': { KAFKA_BOOTSTRAP_SERVERS: broker?.bootstrapServers ?? '127.0.0.1:1' },
      'ip-locate': { TRUST_PROXY: 'loopback' },
    };
    for (const [app, env] of Object.entries(settings) as [keyof typeof settings, Record<string, string>][]) {
      around.names.set(app, ['127.0.0.1']);
      instances.push(await startService(app, { port: around.ports[app], env }));
    }
  });
  afterAll(async () => {
    for (const instance of instances) expect(await instance.stop()).toBe(0);
    await broker?.stop();
    await around.close();
  });

  (kafka.ok ? it : it.skip)('answers the README’s curl examples', async () => {
    const hosts = { 3000: 'ops-intake', 3001: 'release-web', 3002: 'ip-locate' };
    const examples = [
      ...readFileSync('../README.md', 'utf8').matchAll(/^\$ (curl .*localhost:(300\d).*)$/gm),
    ];
    expect(examples.length).toBeGreaterThan(4);
    await eventually('a broker', async () => (await through('ops-intake', '/health')).status === 200);
    for (const [, example = '', port] of examples) {
      const host = `${hosts[Number(port) as keyof typeof hosts]}.localhost:${around.proxy.port}`;
      const { stdout, status } = await shell(
        `${example.replace(`localhost:${port}`, host)} --fail-with-body`,
      );
      expect({ example, status, answered: stdout.length > 10 }).toEqual({
        example,
        status: 0,
        answered: true,
      });
    }
  });

  it('rejects unknown hosts, and names the known ones', async () => {
    const answer = await ask({ port: around.proxy.port, host: 'elsewhere.example', path: '/' });
    expect(answer.status).toBe(404);
    expect(problem(answer)).toMatchObject({
      status: 404,
      detail: expect.stringContaining('ip-locate.localhost'),
    });
  });

  it('answers unreadable HTTP, endless headers and addresses with problem details', async () => {
    const long = await through('ip-locate', '/json/', { headers: { 'x-long': 'x'.repeat(80_000) } });
    expect([long.status, problem(long)['type']]).toEqual([431, 'urn:problem-type:headers-too-large']);
    const endless = await through('ip-locate', `/${'x'.repeat(20_000)}`);
    expect([endless.status, problem(endless)['type']]).toEqual([414, 'urn:problem-type:uri-too-long']);
  });

  it.each([
    ['GET / HTTP/1.1\r\nno header', 400, 'bad-request'],
    ['GET /% HTTP/1.1\r\nHost: ip-locate.localhost', 400, 'bad-request'],
    ['GET /%zz HTTP/1.1\r\nHost: ops-intake.localhost', 400, 'bad-request'],
    ['get / HTTP/1.1\r\nHost: ip-locate.localhost', 400, 'bad-request'],
    [
      'CONNECT example.com:443 HTTP/1.1\r\nHost: ip-locate.localhost',
      '40[05]',
      '(bad-request|method-not-allowed)',
    ],
    [
      'POST /operations HTTP/1.1\r\nHost: ops-intake.localhost\r\nTransfer-Encoding: deflate',
      501,
      'not-implemented',
    ],
    ['POST / HTTP/1.1\r\nHost: release-web.localhost\r\nContent-Length: 5000', 413, 'body-too-large'],
    ['GET / HTTP/2.0\r\nHost: ip-locate.localhost', 505, 'http-version-not-supported'],
    ['GET / HTTP/9.9', 505, 'http-version-not-supported'],
  ])('answers %j with %s as problem details', async (head, status, type) => {
    const socket = connect(around.proxy.port, '127.0.0.1');
    socket.end(`${head}\r\n\r\n`);
    const reply = await text(socket.setEncoding('utf8'));
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(reply).toContain('Content-Type: application/problem+json');
    expect(reply).toMatch(new RegExp(`"type":"urn:problem-type:${type}"`));
    expect(reply.includes('"outcome":"not-published"')).toBe(head.startsWith('POST /operations'));
  });

  it('answers conditions on a cached response with problem details, and ranges as release-web does', async () => {
    const path = '/releases/branches.php';
    await eventually('HIT', async () =>
      (await through('release-web', path)).headers['x-cache'] === 'HIT' ? true : undefined,
    );
    const failed = await through('release-web', path, { headers: { 'if-match': '"another"' } });
    expect([failed.status, problem(failed)['type']]).toEqual([412, 'urn:problem-type:precondition-failed']);
    const headers = { range: 'bytes=999999999-' };
    const direct = await ask({
      port: around.ports['release-web'],
      host: 'release-web.localhost',
      path,
      headers,
    });
    const whole = await through('release-web', path, { headers });
    expect(whole).toMatchObject({ status: direct.status, body: direct.body });
    expect(whole.headers['x-cache']).toBe('HIT');
  });

  it.each([
    ['release-web', '/releases/'],
    ['ops-intake', '/operations'],
    ['ip-locate', '/batch'],
  ])('passes on to %s no request that is hidden in another one', async (service, path) => {
    const rows = smuggledRequests(`${service}.localhost`, path, '/hidden');
    const statuses = await Promise.all(rows.map(({ bytes }) => statusesOf(around.proxy.port, bytes)));
    // One answer each, and not the 404 of the hidden path. Nor does that wait on a kept connection for who comes next.
    expect(rows.map(({ name }, index) => [name, ...statuses[index]!])).toEqual(
      rows.map(({ name }) => [name, expect.stringMatching(/^(200|40[05]|413|50[15])$/)]),
    );
    const next = await Promise.all(rows.map(() => through(service, '/health/live')));
    expect(new Set(next.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('answers with problem details in place of every error page that nginx has', () => {
    const nginx = realpathSync(execFileSync('which', ['nginx'], { encoding: 'utf8' }).trim());
    const pages = [...readFileSync(nginx, 'latin1').matchAll(/<head><title>([45]\d\d) /g)];
    const answered = readFileSync(join(around.proxy.folder, 'error-pages.conf'), 'utf8');
    const missing = pages.map(([, status]) => status).filter((status) => !answered.includes(` ${status} `));
    expect(pages.length).toBeGreaterThan(25);
    expect(missing).toEqual([]);
  });

  it('holds each service to its own body limit', async () => {
    const post = (service: string, path: string, bytes: number) =>
      through(service, path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `[${' '.repeat(bytes - 2)}]`,
      });
    const tooLarge = await post('ops-intake', '/operations', 1_048_577);
    expect([tooLarge.status, problem(tooLarge)['type']]).toEqual([413, 'urn:problem-type:body-too-large']);
    expect((await post('ops-intake', '/operations', 1_048_576)).status).toBe(422);
    expect((await post('ip-locate', '/batch', 16_385)).status).toBe(413);
    expect((await post('ip-locate', '/batch', 16_384)).status).not.toBe(413);
  });

  it('lets compressed answers through as they are, compressed once', async () => {
    const plain = await fetch(`${instances[0]!.url}/releases/branches.php`).then((answer) => answer.text());
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      for (const path of ['/releases/branches.php', '/releases/branches.php?again']) {
        const answer = await through('release-web', path, { headers: { 'accept-encoding': encoding } });
        expect(answer.headers['content-encoding']).toBe(encoding);
        expect(decode(answer.bytes).toString()).toBe(plain);
      }
    }
  });

  it('keeps release-web’s answers as long as they say, errors not at all', async () => {
    const path = '/releases/states.php';
    const first = await through('release-web', path);
    expect(first.headers['x-cache']).toBe('MISS');
    // Kept since the second time.
    expect((await through('release-web', path)).headers['x-cache']).toBe('MISS');
    const again = await through('release-web', path);
    expect(again.headers).toMatchObject({ 'x-cache': 'HIT', etag: first.headers.etag });
    expect(again.headers['cache-control']).toMatch(/^public, max-age=\d+(, stale-while-revalidate=0)?$/);
    const etag = String(first.headers.etag);
    const unchanged = await through('release-web', path, { headers: { 'if-none-match': etag } });
    expect([unchanged.status, unchanged.body]).toEqual([304, '']);
    const missing = await through('release-web', '/nothing-here');
    expect([missing.status, missing.headers['x-cache']]).toEqual([404, 'MISS']);
    expect((await through('release-web', '/nothing-here')).headers['x-cache']).toBe('MISS');
  });

  it('keeps release-web’s answers by the parameters that it knows, in the encodings that it has', async () => {
    const { paths } = JSON.parse((await through('release-web', '/openapi.json')).body) as {
      paths: Record<string, { get?: { parameters?: { in: string; name: string }[] } }>;
    };
    const known = Object.values(paths).flatMap(({ get }) =>
      (get?.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    );
    const configured = readFileSync(join(around.proxy.folder, 'nginx.conf'), 'utf8');
    const listed = /<known_query>\(\?:\(([\w|]+)\)/.exec(configured)?.[1]?.split('|');
    expect(listed?.sort()).toEqual([...new Set(known)].sort());
    const direct = (path: string, headers = {}) =>
      ask({ port: around.ports['release-web'], host: 'release-web.localhost', path, headers });
    for (const path of Object.keys(paths).filter((one) => !one.includes('{') && !/health|ready/.test(one))) {
      const [plain, withUnknown] = [await direct(path), await direct(`${path}?made-up=1&other`)];
      expect({ path, vary: plain.headers.vary ?? 'Accept-Encoding' }).toEqual({
        path,
        vary: 'Accept-Encoding',
      });
      // A redirect keeps the query and is not kept by the proxy.
      if (plain.status < 300) expect({ path, body: withUnknown.body }).toEqual({ path, body: plain.body });
    }
    const kept = async (path: string, encoding: string) =>
      (await through('release-web', path, { headers: { 'accept-encoding': encoding } })).headers['x-cache'];
    const form = '/releases/index.php?json&version=8.4';
    expect([await kept(form, 'gzip, br'), await kept(`${form}&made-up=1`, 'br')]).toEqual(['MISS', 'MISS']);
    expect(await kept(form, 'deflate, gzip, br, zstd')).toBe('MISS');
    expect(await kept(form, 'x, br')).toBe('HIT');
    for (const [path, encoding] of [
      // Over 50 kB.
      ['/openapi.json', 'identity'],
      ['/releases.atom?a=1', 'br'],
      ['/releases/br%61nches.php', 'br'],
      [`${form}&json[]=1`, 'br'],
    ] as const) {
      await kept(path, encoding);
      await kept(path, encoding);
      expect([path, await kept(path, encoding)]).not.toEqual([path, 'HIT']);
    }
    expect(await kept('/releases/branches.php', 'gzip;q=0.5, br')).toBe('BYPASS');
  });

  it('never keeps where callers are', async () => {
    const answer = await through('ip-locate', '/8.8.8.8/json/');
    expect(answer.headers['x-cache']).toBeUndefined();
  });

  it('keeps the addresses that ip-locate is asked for out of its error log, too', async () => {
    around.names.set('ip-locate', []);
    await eventually('502', async () =>
      (await through('ip-locate', '/9.9.9.9/json/')).status === 502 ? true : undefined,
    );
    around.names.set('ip-locate', ['127.0.0.1']);
    await eventually('200 again', async () =>
      (await through('ip-locate', '/9.9.9.9/json/')).status === 200 ? true : undefined,
    );
    expect(around.proxy.output()).not.toContain('9.9.9.9');
  });

  it('gives a cached answer the request id of its own caller', async () => {
    const path = '/releases/feed.php';
    await through('release-web', path);
    await through('release-web', path, { headers: { 'x-request-id': 'first-caller' } });
    const hit = await through('release-web', path, { headers: { 'x-request-id': 'second-caller' } });
    expect(hit.headers).toMatchObject({ 'x-cache': 'HIT', 'x-request-id': 'second-caller' });
  });

  it('logs one JSON line a request, without addresses or paths', async () => {
    await through('ip-locate', '/9.9.9.9/json/', { headers: { 'x-request-id': 'the-logged-one' } });
    const line = await eventually('line in the log', () =>
      readFileSync(join(around.proxy.folder, 'access.log'), 'utf8')
        .split('\n')
        .find((entry) => entry.includes('the-logged-one')),
    );
    expect(JSON.parse(line)).toMatchObject({ service: 'ip-locate', status: 200, method: 'GET' });
    expect(line).not.toMatch(/9\.9\.9\.9|127\.0\.0\.1/);
  });
});

describe('what the proxy hands on', () => {
  let around: ProxiedServices;
  let echo: Server;
  const seen: { request: IncomingMessage; body: string }[] = [];
  const through = (more: Partial<Question> = {}) =>
    ask({ port: around.proxy.port, host: 'ip-locate.localhost', path: '/', ...more });

  beforeAll(async () => {
    around = await startProxiedServices();
    echo = createServer((request, response) => {
      void text(request).then((body) => {
        seen.push({ request, body });
        if (request.url === '/silent') return;
        if (request.url === '/broken') return request.socket.destroy();
        response.setHeader('x-request-id', String(request.headers['x-request-id']));
        if (request.url === '/busy') response.statusCode = 503;
        response.setHeader('content-type', 'application/problem+json').end('{"title":"mine"}');
      });
    });
    echo.listen(around.ports['ip-locate'], '127.0.0.1');
    await once(echo, 'listening');
    around.names.set('ip-locate', ['127.0.0.1']);
  });
  afterAll(async () => {
    echo.closeAllConnections();
    echo.close();
    await around.close();
  });

  it('is the caller’s address and nothing the caller says about it', async () => {
    await through({
      headers: {
        'x-forwarded-for': '1.2.3.4',
        forwarded: 'for=1.2.3.4',
        'x-real-ip': '1.2.3.4',
        'cf-connecting-ip': '1.2.3.4',
        'true-client-ip': '1.2.3.4',
        'fly-client-ip': '1.2.3.4',
        'x-client-ip': '1.2.3.4',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'gopher',
        proxy: 'http://evil.example',
      },
    });
    const { headers } = seen.at(-1)!.request;
    expect(headers).toMatchObject({
      host: 'ip-locate.localhost',
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'ip-locate.localhost',
    });
    expect(JSON.stringify(seen.at(-1)!.request.rawHeaders)).not.toMatch(/1\.2\.3\.4|evil|gopher/);
  });

  it('is the trace and a well-formed request id, else a new id', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const answer = await through({ headers: { traceparent, tracestate: 'a=1', 'x-request-id': 'mine-1' } });
    expect(seen.at(-1)!.request.headers).toMatchObject({
      traceparent,
      tracestate: 'a=1',
      'x-request-id': 'mine-1',
    });
    expect(answer.headers['x-request-id']).toBe('mine-1');
    await through({ headers: { 'x-request-id': 'forged"} line' } });
    expect(seen.at(-1)!.request.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is the path as it was written', async () => {
    await through({ path: '//8.8.8.8/%6Ason//?key=a%20b' });
    expect(seen.at(-1)!.request.url).toBe('//8.8.8.8/%6Ason//?key=a%20b');
  });

  describe('while slow bodies arrive', () => {
    const flood: Socket[] = [];
    let rejected: number;
    beforeEach(() => (rejected = 0));
    afterEach(() => {
      for (const socket of flood.splice(0)) socket.destroy();
    });

    /** Sends bodies that do not end, and waits until all are rejected but `admitted`. */
    const sendFrom = async (localAddress: string, head: string, admitted: number) => {
      const expected = rejected + 256 - admitted;
      for (let sent = 0; sent < 256; sent += 1)
        flood.push(
          connect({ host: '127.0.0.1', port: around.proxy.port, localAddress }, function (this: Socket) {
            this.write(head);
          })
            .on('error', () => undefined)
            .once(
              'data',
              (answer: Buffer) => (rejected += Number(answer.toString('latin1').startsWith('HTTP/1.1 429'))),
            ),
        );
      await eventually(`${admitted} of ${localAddress}`, () => rejected === expected);
    };

    it('leaves room for others, when 17 networks send 256 each', async () => {
      const head = 'POST / HTTP/1.1\r\nHost: ip-locate.localhost\r\nContent-Length: 9\r\n\r\n[';
      for (let network = 1; network <= 17; network += 1) await sendFrom(`127.0.${network}.1`, head, 64);
      // A /24 has a bound, too.
      await sendFrom('127.0.1.2', head, 16);
      await sendFrom('127.0.1.3', head, 0);
      expect((await through()).status).toBe(200);
      expect((await through({ method: 'POST', body: '[]' })).status).toBe(200);
    });

    it('leaves room for large bodies of others, when three networks send them', async () => {
      const head =
        'POST /operations HTTP/1.1\r\nHost: ops-intake.localhost\r\nContent-Length: 900000\r\n\r\n[';
      for (let network = 1; network <= 3; network += 1) await sendFrom(`127.0.${network}.1`, head, 8);
      await sendFrom('127.0.1.2', head, 4);
      await sendFrom('127.0.1.3', head, 0);
      const host = 'ops-intake.localhost';
      const large = await through({ host, method: 'POST', path: '/operations', body: ' '.repeat(200_000) });
      // The service does not run; 429 would come from the proxy.
      expect(large.status).toBe(502);
    });
  });

  it('leaves a service’s own errors alone', async () => {
    const answer = await through({ path: '/busy' });
    expect([answer.status, answer.body]).toEqual([503, '{"title":"mine"}']);
  });

  it('answers for a service that breaks off, with its request id', async () => {
    const answer = await through({ path: '/broken', headers: { 'x-request-id': 'broken-1' } });
    expect(answer.status).toBe(502);
    expect(answer.headers).toMatchObject({ 'retry-after': '1', 'x-request-id': 'broken-1' });
    expect(problem(answer)).toEqual({
      type: 'urn:problem-type:bad-gateway',
      title: 'Service unreachable',
      status: 502,
      requestId: 'broken-1',
    });
  });

  it('is a batch once more when an instance breaks off, because it changes nothing', async () => {
    const before = seen.length;
    const answer = await through({ path: '/broken', method: 'POST', body: '[1]' });
    expect(answer.status).toBe(502);
    expect(seen.slice(before).map(({ body }) => body)).toEqual(['[1]', '[1]']);
  });

  it('waits longer than any service’s own deadline, then says 504', async () => {
    const configured = readFileSync(join(around.proxy.folder, 'nginx.conf'), 'utf8');
    const seconds = Number(/proxy_read_timeout (\d+)s/.exec(configured)?.[1]);
    expect(seconds * 1000).toBeGreaterThan(2 * 5_000);
    const began = performance.now();
    const answer = await through({ path: '/silent', method: 'POST', body: '[]' });
    expect([answer.status, problem(answer)['type']]).toEqual([504, 'urn:problem-type:gateway-timeout']);
    expect(performance.now() - began).toBeGreaterThan(seconds * 1000 - 500);
  });
});

describe('what the proxy says of a submission', () => {
  let around: ProxiedServices;
  const instances: Server[] = [];
  /** bodies that reached an instance */
  const seen: string[] = [];
  const submit = (path: string, headers: Record<string, string> = {}, body = '[1]') =>
    ask({ port: around.proxy.port, host: 'ops-intake.localhost', path, method: 'POST', headers, body });
  const outcome = (answer: Answer) => [
    answer.status,
    (JSON.parse(answer.body) as { outcome: string }).outcome,
  ];
  const key = { 'idempotency-key': '"one"' };

  beforeAll(async () => {
    around = await startProxiedServices();
    for (const address of ['127.0.0.1', '127.0.0.2']) {
      const instance = createServer((request, response) => {
        void text(request).then((body) => {
          seen.push(body);
          if (request.url === '/broken') return request.socket.destroy();
          response.statusCode = 503;
          response.setHeader('content-type', 'application/problem+json').end('{"outcome":"unknown"}');
        });
      });
      instance.listen(around.ports['ops-intake'], address);
      await once(instance, 'listening');
      instances.push(instance);
    }
    around.names.set('ops-intake', ['127.0.0.1', '127.0.0.2']);
    // Nginx, which starts with the name's first address, must not learn of both in the middle of a test.
    await around.proxy.restart();
    await eventually('an answer', async () => (await submit('/operations')).status === 503);
  });
  afterAll(async () => {
    for (const instance of instances) instance.close();
    await around.close();
  });
  beforeEach(() => void seen.splice(0));

  it('hands on an unknown 503 and asks no other instance, with a key and without', async () => {
    for (const headers of [{}, key]) {
      seen.splice(0);
      expect(outcome(await submit('/operations', headers))).toEqual([503, 'unknown']);
      expect(seen).toHaveLength(1);
    }
  });

  it('asks the next instance when one breaks off, only with a key', async () => {
    expect(outcome(await submit('/broken'))).toEqual([502, 'unknown']);
    expect(seen).toHaveLength(1);
    seen.splice(0);
    expect(outcome(await submit('/broken', key))).toEqual([502, 'unknown']);
    // The instance that did not just fail, and then both once more.
    expect(seen).toHaveLength(3);
  });

  describe('beside an instance that says nothing', () => {
    let silent: Server;
    /** whether the instance answers after all */
    let answersAgain = false;
    const resolvesTo = (...addresses: string[]) => around.names.set('ops-intake', addresses);
    beforeAll(async () => {
      silent = createServer((request, response) => {
        void text(request).then((body) => {
          seen.push(`silent ${body}`);
          if (answersAgain) response.writeHead(503).end('{"outcome":"unknown"}');
        });
      });
      silent.listen(around.ports['ops-intake'], '127.0.0.3');
      await once(silent, 'listening');
    });
    afterEach(() => {
      answersAgain = false;
      resolvesTo('127.0.0.1', '127.0.0.2');
    });
    afterAll(() => {
      silent.closeAllConnections();
      silent.close();
    });

    it('comes from the next one with a key, and at once from then on, until the silent one answers again', async () => {
      resolvesTo('127.0.0.3', '127.0.0.1');
      await around.proxy.restart();
      // nginx begins with either.
      const failedAt = await eventually('an answer by way of the silent instance', async () => {
        seen.splice(0);
        const began = performance.now();
        expect(outcome(await submit('/operations', key))).toEqual([503, 'unknown']);
        return seen.join() === 'silent [1],[1]' ? began + 5_500 : undefined;
      });
      seen.splice(0);
      for (let number = 0; number < 20; number++) {
        for (const headers of [key, {}])
          expect(outcome(await submit('/operations', headers))[1]).toBe('unknown');
      }
      // One request tries the silent instance every ten seconds.
      const tries = Math.floor((performance.now() - failedAt) / 10_000);
      expect(seen.filter((body) => body.startsWith('silent')).length).toBeLessThanOrEqual(tries);

      answersAgain = true;
      await eventually('a request at the instance that answers again', async () => {
        await submit('/operations', key);
        return seen.includes('silent [1]') ? true : undefined;
      });
      seen.splice(0);
      for (let number = 0; number < 20; number++) await submit('/operations');
      expect(seen.filter((body) => body.startsWith('silent')).length).toBeGreaterThan(5);
    });

    /** Longer than ops-intake's own deadline (5 s), but not much: what the proxy's configuration says. */
    const expectInTime = (began: number): void => {
      const configured = readFileSync(join(around.proxy.folder, 'services/ops-intake.conf'), 'utf8');
      expect(configured).toContain('\n  proxy_read_timeout 6s;\n');
      expect(performance.now() - began).toBeGreaterThan(5_500);
    };

    it('is 504 unknown without a key', async () => {
      resolvesTo('127.0.0.3');
      await around.proxy.restart();
      const began = performance.now();
      expect(outcome(await submit('/operations'))).toEqual([504, 'unknown']);
      expectInTime(began);
      expect(seen).toEqual(['silent [1]']);
    });

    it('comes from the next one for a read', async () => {
      resolvesTo('127.0.0.3', '127.0.0.1');
      await around.proxy.restart();
      const read = () => ask({ port: around.proxy.port, host: 'ops-intake.localhost', path: '/health' });
      await eventually('a read by way of the silent instance', async () => {
        seen.splice(0);
        const began = performance.now();
        // One of the two begins at the silent one, as soon as nginx knows it.
        const answers = await Promise.all([read(), read()]);
        expect(answers.map(outcome)).toEqual(Array(2).fill([503, 'unknown']));
        if (!seen.includes('silent ')) return undefined;
        expectInTime(began);
        return true;
      });
      expect(seen.sort()).toEqual(['', '', 'silent ']);
    });

    it('comes from the instances that take its place meanwhile, with a key', async () => {
      resolvesTo('127.0.0.1');
      await around.proxy.restart();
      // A proxy that has just started may reach the silent instance only at its second attempt, and there is no third.
      await eventually('an answer at the first attempt', async () => {
        await submit('/operations', key);
        const log = readFileSync(join(around.proxy.folder, 'access.log'), 'utf8').trimEnd().split('\n');
        return log.at(-1)?.includes('"upstreamStatus":"503"') || undefined;
      });
      resolvesTo('127.0.0.3', '127.0.0.1');
      const { answers } = await eventually('a request at the silent instance', async () => {
        seen.splice(0);
        let isAnswered = false;
        const both = Promise.all([submit('/operations', key), submit('/operations', key)]);
        void both.then(() => (isAnswered = true));
        const isSilentAsked = () => seen.includes('silent [1]');
        await eventually('a request', () => isSilentAsked() || isAnswered || undefined);
        return isSilentAsked() ? { answers: both } : undefined;
      });
      // nginx asks none of its list when that has changed since it chose the first.
      resolvesTo('127.0.0.1', '127.0.0.2');
      expect((await answers).map(outcome)).toEqual(Array(2).fill([503, 'unknown']));
      expect(seen.sort()).toEqual(['[1]', '[1]', 'silent [1]']);
    });
  });

  it('comes at once from an instance that is back after all had failed', async () => {
    const instance = createServer((_request, response) => {
      response.writeHead(503, { connection: 'close' }).end('{"outcome":"back"}');
    });
    const start = async (): Promise<void> => {
      instance.listen(around.ports['ops-intake'], '127.0.0.4');
      await once(instance, 'listening');
    };
    around.names.set('ops-intake', ['127.0.0.4', '127.0.0.5']);
    await around.proxy.restart();
    try {
      await start();
      // On a busy machine, nginx has asked for its addresses, and does not know them yet.
      await eventually(
        'an answer of the instance',
        async () => outcome(await submit('/operations'))[1] === 'back',
      );
      instance.close();
      await once(instance, 'close');
      for (let number = 0; number < 4; number++) {
        expect(outcome(await submit('/operations'))).toEqual([502, 'not-published']);
      }
      await start();
      for (const headers of [{}, key]) {
        expect(outcome(await submit('/operations', headers))).toEqual([503, 'back']);
      }
    } finally {
      around.names.set('ops-intake', ['127.0.0.1', '127.0.0.2']);
      instance.close();
      await around.proxy.restart();
    }
  });

  it('is not-published when nothing was forwarded', async () => {
    expect(outcome(await submit('/operations', {}, 'x'.repeat(1_048_577)))).toEqual([413, 'not-published']);
    expect(outcome(await submit(`/${'x'.repeat(20_000)}`))).toEqual([414, 'not-published']);
    around.names.set('ops-intake', []);
    // Each of nginx's worker processes keeps the addresses of a name for a moment, and any of them may answer.
    const withoutInstance = (headers: Record<string, string>) =>
      eventually('502 without an instance', async () => {
        const answer = await submit('/operations', headers);
        return answer.status === 502 ? outcome(answer) : undefined;
      });
    expect(await withoutInstance({})).toEqual([502, 'not-published']);
    // An earlier attempt with this key may be in the log.
    expect(await withoutInstance(key)).toEqual([502, 'unknown']);
    expect(seen.filter((body) => body.length > 10)).toEqual([]);
  });
});

describe('a read whose instance is gone', () => {
  const GONE = '127.0.0.2';
  it.each(['ip-locate', 'release-web'] as const)(
    'of %s is answered by the one that is left',
    async (service) => {
      const around = await startProxiedServices();
      const { proxy, names, ports } = around;
      const port = ports[service];
      const left = createServer((_request, response) => response.end('here'));
      // It accepts no connection, and two fill its queue: like an address without a container, it leaves others without an answer.
      const listen = `require('net').createServer().listen({ port: ${port}, host: '${GONE}', backlog: 1 }, () => console.log('listening') ?? process.kill(process.pid, 'SIGSTOP'))`;
      const gone = start({ command: process.execPath, args: ['-e', listen] });
      const waiting: Socket[] = [];
      try {
        left.listen(port, '127.0.0.1');
        await eventually('listening', () => gone.output().includes('listening'));
        for (let number = 0; number < 2; number += 1) {
          waiting.push(connect(port, GONE));
          await once(waiting[number]!, 'connect');
        }
        // Longer than nginx takes to learn of other addresses.
        const file = join(proxy.folder, 'nginx.conf');
        writeFileSync(file, readFileSync(file, 'utf8').replace('connect_timeout 1s', 'connect_timeout 5s'));
        await proxy.restart();
        let reads = 0;
        const read = () => ask({ port: proxy.port, host: `${service}.localhost`, path: `/${(reads += 1)}` });
        const statuses: number[] = [];
        await eventually('a read of the one that is gone', async () => {
          names.asked.clear();
          names.set(service, ['127.0.0.1', GONE]);
          await eventually('look-up', () => names.asked.has(service));
          const answers = Promise.all(Array.from({ length: 8 }, read));
          names.set(service, ['127.0.0.1']);
          statuses.push(...(await answers).map(({ status }) => status));
          return readFileSync(join(proxy.folder, 'access.log'), 'utf8').includes('"upstreamStatus":"504');
        });
        expect(new Set(statuses)).toEqual(new Set([200]));
      } finally {
        for (const socket of waiting) socket.destroy();
        await gone.end('SIGKILL');
        left.close();
        await around.close();
      }
    },
  );
});

describe('connections to the services', () => {
  let around: ProxiedServices;
  beforeAll(async () => {
    around = await startProxiedServices();
  });
  afterAll(() => around.close());

  it.each([
    ['GET', 'release-web', {}],
    ['GET', 'ops-intake', {}],
    ['HEAD', 'ops-intake', {}],
    ['POST', 'ops-intake', {}],
    ['POST', 'ops-intake', { 'idempotency-key': '"one"' }],
    ['POST', 'ip-locate', {}],
  ] as const)('for %s to %s are kept', async (method, service, headers) => {
    const connections = new Set<unknown>();
    const announced = new Set<string | undefined>();
    const instance = createServer((request, response) => {
      connections.add(request.socket);
      announced.add(request.headers.connection);
      response.end('[]');
    });
    instance.listen(around.ports[service], '127.0.0.1');
    await once(instance, 'listening');
    try {
      const question = { port: around.proxy.port, host: `${service}.localhost`, path: '/', method, headers };
      for (let number = 0; number < 20; number++) expect((await ask(question)).status).toBe(200);
      // nginx has two processes, and a busy machine may take so long for a request that it closes one.
      expect(connections.size).toBeLessThan(10);
      expect([...announced]).toEqual([undefined]);
    } finally {
      instance.closeAllConnections();
      instance.close();
      await once(instance, 'close');
    }
  });

  it('are closed by nginx before a service closes them', async () => {
    const configured = readFileSync(join(around.proxy.folder, 'kept-connections.conf'), 'utf8');
    const nginx = Number(/^keepalive_timeout (\d+)s;$/m.exec(configured)?.[1]);
    const port = around.ports['ip-locate'];
    const instance = await startService('ip-locate', { port });
    try {
      const agent = new Agent({ keepAlive: true });
      const service = await new Promise<number>((resolve, reject) => {
        get({ port, host: '127.0.0.1', path: '/health/live', agent }, (answer) => {
          answer.resume();
          resolve(Number(/timeout=(\d+)/.exec(String(answer.headers['keep-alive']))?.[1]));
        }).on('error', reject);
      });
      agent.destroy();
      expect(service).toBeGreaterThan(nginx + 10);
      // When it stops, too.
      expect(Number(STOPPING.DRAIN_IDLE_MS)).toBeGreaterThanOrEqual(nginx * 1_000 + 2_000);
    } finally {
      await instance.stop();
    }
  });
});

(kafka.ok ? describe : describe.skip)('submissions', () => {
  let around: ProxiedServices;
  let broker: StandaloneBroker;
  beforeEach(async () => {
    around = await startProxiedServices();
    broker = await startBroker();
  });
  afterEach(async () => {
    await broker.stop();
    await around.close();
  });
  const count = 2_000;

  it('are written once, and hardly any answer is lost, while instances stop and start', async () => {
    const options = { signal: 'SIGTERM', count, restarts: 1, connections: 16, env: STOPPING } as const;
    // None but those that a port closes on before it has accepted their connection: one now and then, more while the machine is
    // busy. Services that lose others do so each time.
    for (let attempt = 1; ; attempt += 1) {
      const { answers, doubled, wrong, ends } = await submitWhileRestarting(around, broker, options);
      const { 202: accepted, '502 unknown': unknown = 0, ...others } = answers;
      expect({ doubled, wrong, others }).toEqual({ doubled: [], wrong: [], others: {} });
      expect(accepted).toBeGreaterThan(100);
      if (unknown <= 4 * ends) break;
      if (attempt === 3)
        throw new Error(`${unknown} answers were lost in ${ends} restarts, for the third time`);
    }
  });

  it('are written once or answered truly when connections are reset', async () => {
    const kinds = ['unkeyed', 'keyed'] as const;
    const { answers, doubled, wrong } = await submitWhileClosing(around, broker, {
      kinds,
      closing: 'broken',
      count,
    });
    expect({ doubled, wrong }).toEqual({ doubled: [], wrong: [] });
    expect(answers).toMatchObject({ 202: expect.any(Number), '502 unknown': expect.any(Number) });
    // One in ten connections is reset; a submission with a key is then sent again, which may come too early: 409. Without a key,
    // fewer than two in three are accepted.
    expect(answers['keyed 202']).toBeGreaterThan(0.75 * (count / 2));
  });
});

describe('the proxy with TLS', () => {
  const certificates = mkdtempSync(join(tmpdir(), 'certificates-'));
  let around: ProxiedServices;
  beforeAll(async () => {
    createCertificate(certificates, 0o644);
    // nginx runs as another user.
    chmodSync(certificates, 0o755);
    around = await startProxiedServices({ TLS: 'on', CERTIFICATES: certificates });
  });
  afterAll(async () => {
    await around.close();
    rmSync(certificates, { recursive: true });
  });

  it('answers plain HTTP on the port of HTTPS with problem details', async () => {
    const answer = await ask({ port: around.httpsPort, host: 'ip-locate.localhost', path: '/' });
    expect([answer.status, problem(answer)['type']]).toEqual([400, 'urn:problem-type:bad-request']);
  });
});

describe('ops-intake behind the proxy', () => {
  it.each([
    ['127.0.0.1', '', 'open'],
    ['127.0.0.53', '', 'open'],
    ['127.0.0.1 ::1', '', 'open'],
    ['0.0.0.0', '', 'closed'],
    ['127.0.0.1 ::', '', 'closed'],
    ['127.0.0.1 fd5e:2e00::1', '', 'closed'],
    ['127.0.0.1 ::1:1', '', 'closed'],
    ['0.0.0.0 ::1', '', 'closed'],
    ['', '', 'closed'],
    ['0.0.0.0 ::', 'set', 'open'],
  ])('published on %j with tokens %j is %s', async (PUBLISHED_ON, OPS_INTAKE_TOKENS, state) => {
    const around = await startProxiedServices({ PUBLISHED_ON, OPS_INTAKE_TOKENS });
    try {
      const answer = await ask({
        port: around.proxy.port,
        host: 'ops-intake.localhost',
        path: '/operations',
        method: 'POST',
        body: '[]',
      });
      // No instance is there: an open proxy looks for one.
      expect(answer.status).toBe(state === 'open' ? 502 : 403);
    } finally {
      await around.close();
    }
  });
});

describe('release-web’s answers in the proxy when it is down', () => {
  let around: ProxiedServices;
  let origin: Server;
  let status = 200;
  let asked: string[] = [];
  const through = (path: string) => ask({ port: around.proxy.port, host: 'release-web.localhost', path });
  const fresh = { etag: '"one"', 'cache-control': 'public, max-age=1', 'content-type': 'application/json' };

  beforeEach(async () => {
    around = await startProxiedServices();
    status = 200;
    asked = [];
    // Answers with an age limit that a test can wait for; the real ones last five minutes.
    origin = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`.trim());
      const unchanged = status === 200 && request.headers['if-none-match'] === fresh.etag;
      const body = `{"status":${status}}`;
      const headers = status === 200 ? fresh : { 'cache-control': 'no-store' };
      response.writeHead(unchanged ? 304 : status, {
        ...headers,
        ...(!unchanged && { 'content-length': body.length }),
      });
      response.end(unchanged ? '' : body);
    });
    origin.listen(around.ports['release-web'], '127.0.0.1');
    await once(origin, 'listening');
    around.names.set('release-web', ['127.0.0.1']);
    // nginx may have asked for the name, and not have its address yet.
    await eventually('answer', async () => (await through('/releases/')).status === 200);
    // The second time it is kept.
    expect((await through('/releases/')).status).toBe(200);
  });
  afterEach(async () => {
    origin.close();
    await around.close();
  });
  const becomes = (wanted: string) =>
    eventually(`answer that is ${wanted}`, async () => {
      const answer = await through('/releases/');
      expect([answer.status, answer.body]).toEqual([200, '{"status":200}']);
      return answer.headers['x-cache'] === wanted ? answer : undefined;
    });

  it('are asked for again by their ETag while it is up', async () => {
    await becomes('REVALIDATED');
    expect(asked.slice(0, 1)).toEqual(['/releases/']);
    expect(asked).toContain('/releases/ "one"');
  });

  it('are old ones when it answers 503', async () => {
    status = 503;
    await becomes('STALE');
  });

  it('are old ones when nothing listens', async () => {
    origin.close();
    await becomes('STALE');
    const never = await through('/never-asked-before');
    expect([never.status, problem(never)['type']]).toEqual([502, 'urn:problem-type:bad-gateway']);
  });

  it('are old ones when its name is gone, as a stopped container’s is', async () => {
    around.names.set('release-web', []);
    let path = 0;
    await eventually('unknown name', async () =>
      (await through(`/never-asked-before-${(path += 1)}`)).status === 502 ? true : undefined,
    );
    await becomes('STALE');
  });
});

describe('release-web’s answers when the table of cached ones is full', () => {
  it('are fetched without the cache', async () => {
    const around = await startProxiedServices();
    const requests = 400;
    const waiting: ServerResponse[] = [];
    const origin = createServer((_request, response) => {
      response.setHeader('cache-control', 'public, max-age=60');
      // Answers only when all requests are on their way, however long a busy machine takes to send them.
      if (waiting.push(response) === requests) for (const one of waiting) one.end('fresh');
    });
    try {
      around.names.set('release-web', ['127.0.0.1']);
      origin.listen(around.ports['release-web'], '127.0.0.1');
      await once(origin, 'listening');
      // The smallest table that nginx takes holds some two hundred responses.
      const change = (name: string, from: string, to: string) => {
        const file = join(around.proxy.folder, name);
        const configured = readFileSync(file, 'utf8');
        expect(configured).toContain(from);
        writeFileSync(file, configured.replace(from, to));
      };
      change('nginx.conf', 'release_web:128k', 'release_web:32k');
      change('shares.conf', 'clients 256', `clients ${requests}`);
      await around.proxy.restart();
      const question = { port: around.proxy.port, host: 'release-web.localhost' };
      const answers = await Promise.all(
        Array.from({ length: requests }, (_, number) => ask({ ...question, path: `/${number}` })),
      );
      const kinds = answers.map(({ status, headers }) => `${status} ${String(headers['x-cache'])}`);
      expect(new Set(kinds)).toEqual(new Set(['200 MISS', '200 BYPASS']));
    } finally {
      origin.close();
      await around.close();
    }
  });
});
