import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server as HttpServer,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, globalAgent } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { bytesOf, httpRequest, httpText, RequestFailed } from './http-request.ts';

const folder = mkdtempSync(join(tmpdir(), 'http-client-'));
const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
const servers: Server[] = [];
/** the same on all servers */
const pages: Record<string, RequestListener> = {};
let seen: { url: string; headers: IncomingHttpHeaders }[];
/** each another origin */
let [a, b, tls] = ['', '', ''];

const listening = async (server: Server): Promise<number> => {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

beforeAll(async () => {
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'.split(' ');
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...request, ...names], { stdio: 'pipe' });
  const listener: RequestListener = (message, response) => {
    const { url = '', headers } = message;
    seen.push({ url, headers });
    const page = pages[url.split('?')[0]!];
    if (page) page(message, response);
    else response.end('hello');
  };
  a = `http://127.0.0.1:${await listening(createServer(listener))}`;
  b = `http://127.0.0.1:${await listening(createServer(listener))}`;
  const identity = { key: readFileSync(key), cert: readFileSync(cert) };
  tls = `https://localhost:${await listening(createTlsServer(identity, listener))}`;
  globalAgent.options.ca = identity.cert;
});
afterAll(() => {
  for (const server of servers) {
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true });
});
beforeEach(() => (seen = []));

/** All but those that a time limit of a request is measured by. */
const REAL_TIMERS = [
  ...(['Date', 'hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval'] as const),
];

const BOUNDS = { maxBytes: 100_000, timeoutMs: 20_000 };
const get = async (address: string, more: object = {}): Promise<string> =>
  (await httpText(address, { ...BOUNDS, ...more })).text;
const to =
  (location: () => string, status = 302): RequestListener =>
  (_message, response) =>
    void response.writeHead(status, { location: location() }).end('moved');

describe('redirects', () => {
  Object.assign(pages, {
    '/to-b': to(() => `${b}/x`),
    '/to-tls': to(() => `${tls}/x`, 301),
    '/to-http': to(() => `${a}/x`, 307),
    '/to-http-by-b': to(() => `${tls}/to-http`, 308),
    '/relative': to(() => 'x', 303),
    '/circle': to(() => '/circle'),
    '/to-file': to(() => 'file:///etc/passwd'),
    '/to-password': to(() => `http://u:p@${b.slice(7)}/`),
    '/to-nonsense': to(() => 'http://['),
    '/to-secret': to(() => `${tls}/to-http?token=secret`),
    '/without': (_message: unknown, response: ServerResponse) => void response.writeHead(302).end('stay'),
    '/304': (_message: unknown, response: ServerResponse) =>
      void response.writeHead(304, { location: '/x' }).end(),
  });

  it.each<[string, () => string]>([
    ['to a relative address', () => `${a}/relative`],
    ['to another server', () => `${a}/to-b`],
    ['to HTTPS', () => `${a}/to-tls`],
    ['from HTTPS to HTTPS', () => `${tls}/to-tls`],
  ])('%s are followed', async (_title, address) => {
    expect(await get(address())).toBe('hello');
  });

  /** `A/x` of the first server, `TLS/x` of the one with TLS. */
  const named = (text: string): string => text.replaceAll('TLS/', `${tls}/`).replaceAll('A/', `${a}/`);

  it.each([
    ['A/to-file', 'A/to-file: redirects to an address that is not one of HTTP'],
    ['A/to-password', 'A/to-password: redirects to an address that is not one of HTTP'],
    ['A/to-nonsense', 'A/to-nonsense: redirects to an address that is not one of HTTP'],
    [
      'A/circle',
      'A/circle (redirect 5 of A/circle): redirects to A/circle after 5 other redirects: not followed',
    ],
    ['TLS/to-http', 'TLS/to-http: redirects to A/x, which is not encrypted: not followed'],
    [
      'A/to-http-by-b',
      'TLS/to-http (redirect 1 of A/to-http-by-b): redirects to A/x, which is not encrypted: not followed',
    ],
    [
      'A/to-secret?key=secret',
      'TLS/to-http?… (redirect 1 of A/to-secret?…): redirects to A/x, which is not encrypted: not followed',
    ],
  ])('%s is not followed', async (address, message) => {
    await expect(get(named(address))).rejects.toMatchObject({
      name: 'RequestFailed',
      message: named(message),
      mayPass: false,
    });
  });

  it.each(['/without', '/304'])('%s is an answer', async (path) => {
    expect(await httpText(a + path, BOUNDS)).toEqual({
      status: path === '/304' ? 304 : 302,
      text: path === '/304' ? '' : 'stay',
    });
  });

  it('of POST are errors', async () => {
    await expect(get(`${a}/to-b`, { body: 'x' })).rejects.toThrow(
      `${a}/to-b: redirects to ${b}/x: use that address`,
    );
  });

  it.each([
    ['/relative', true],
    ['/to-b', false],
    ['/to-tls', false],
  ])('%s keep credentials: %s', async (path, kept) => {
    const secrets = { Authorization: 'Basic x', Cookie: 'y', 'X-Api-Key': 'z' };
    await get(a + path, { headers: { ...secrets, 'if-none-match': '"1"' } });
    const { authorization, cookie, 'x-api-key': own, 'if-none-match': validator } = seen[1]!.headers;
    expect([authorization, cookie, own]).toEqual(
      kept ? ['Basic x', 'y', 'z'] : [undefined, undefined, undefined],
    );
    expect(validator).toBe('"1"');
  });
});

describe('bounds', () => {
  const big = Buffer.alloc(100_001, 'x');
  const coded =
    (coding: string, body: Buffer, length?: number): RequestListener =>
    (_message, response) => {
      response.writeHead(200, { 'content-encoding': coding, ...(length && { 'content-length': length }) });
      response.end(body);
    };
  const drip =
    (begin: (response: ServerResponse) => void): RequestListener =>
    (_message, response) => {
      begin(response);
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
    };
  const endless =
    (chunk: Buffer): RequestListener =>
    (_message, response) => {
      const more = () => void (response.destroyed || response.write(chunk, more));
      more();
    };
  Object.assign(pages, {
    '/announced': (_message: unknown, response: ServerResponse) =>
      void response.writeHead(200, { 'content-length': 100_001 }).write('x'),
    '/endless': endless(big),
    '/bomb': coded('gzip', gzipSync(big)),
    '/bomb-of-bombs': coded('gzip, br', brotliCompressSync(gzipSync(big))),
    '/truncated-gzip': coded('gzip', gzipSync(big).subarray(0, 50)),
    '/truncated-br': coded('br', brotliCompressSync(big).subarray(0, 8)),
    '/not-gzip': coded('gzip', Buffer.from('hello')),
    '/not-br': coded('br', Buffer.from('hello')),
    '/zebra': coded('zebra', Buffer.from('hello')),
    '/silent': () => undefined,
    '/pause': (_message: unknown, response: ServerResponse) => void response.write('x'),
    '/drip': drip((response) => response.writeHead(200, { 'content-length': 90_000 })),
    '/cut': (_message: unknown, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 9 });
      response.write('hello', () => response.destroy());
    },
    '/redirect-slowly': (_message: unknown, response: ServerResponse) =>
      void setTimeout(() => response.writeHead(302, { location: '/redirect-slowly' }).end(), 100),
    '/404-endless': (message: never, response: ServerResponse) => {
      response.statusCode = 404;
      endless(big)(message, response as never);
    },
  });

  const tooLarge = 'the answer is larger than 100000 bytes';
  it.each<[string, string, object, boolean]>([
    ['/announced', tooLarge, {}, false],
    ['/endless', tooLarge, {}, false],
    ['/bomb', tooLarge, {}, false],
    ['/bomb-of-bombs', tooLarge, {}, false],
    ['/truncated-gzip', 'the content coding is damaged', {}, true],
    ['/truncated-br', 'the content coding is damaged', {}, true],
    ['/not-gzip', 'the content coding is damaged', {}, true],
    ['/not-br', 'the content coding is damaged', {}, true],
    ['/zebra', 'the content coding "zebra" is not supported', {}, false],
    ['/silent', 'timed out after 0.1 s', { timeoutMs: 100 }, true],
    ['/pause', 'timed out after 0.1 s', { timeoutMs: 100 }, true],
    ['/pause', 'timed out after 0.1 s', { timeoutMs: 100, minBytesPerSecond: 1 }, true],
    ['/drip', 'timed out after 0.1 s', { timeoutMs: 100 }, true],
    ['/cut', 'the server closed the connection', {}, true],
  ])('%s: %s', async (path, reason, more, mayPass) => {
    await expect(get(a + path, more)).rejects.toMatchObject({ message: `${a}${path}: ${reason}`, mayPass });
  });

  it('count the time of all redirects', async () => {
    await expect(get(`${a}/redirect-slowly`, { timeoutMs: 350 })).rejects.toThrow('timed out after 0.35 s');
  });

  it('let a large answer take its time at its rate', async () => {
    let writeMore = (): unknown => undefined;
    pages['/steady'] = (_message, response) => {
      response.writeHead(200, { 'content-length': 9_000 });
      writeMore = () => response.write(Buffer.alloc(1_000));
      writeMore();
    };
    const read = async (minBytesPerSecond: number): Promise<number> => {
      jest.useFakeTimers({ doNotFake: REAL_TIMERS });
      return httpRequest(
        `${a}/steady`,
        { ...BOUNDS, timeoutMs: 1_000, minBytesPerSecond },
        async ({ body }) => {
          let bytes = 0;
          for await (const chunk of body) {
            bytes += chunk.length;
            jest.advanceTimersByTime(900);
            writeMore();
          }
          return bytes;
        },
      ).finally(() => jest.useRealTimers());
    };
    expect(await read(1_000)).toBe(9_000);
    await expect(read(5_000)).rejects.toMatchObject({
      message: `${a}/steady: slower than 5000 bytes a second`,
      mayPass: true,
    });
  });

  it('close the connection when the rest is not read, and when reading fails', async () => {
    const closed = new Promise<void>((resolve) => {
      pages['/endless-404'] = (message, response) => {
        response.on('close', resolve);
        pages['/404-endless']!(message, response);
      };
    });
    expect(await httpRequest(`${a}/endless-404`, BOUNDS, ({ status }) => Promise.resolve(status))).toBe(404);
    await closed;
    const full = new Error('the disk is full');
    await expect(httpRequest(`${a}/endless`, BOUNDS, () => Promise.reject(full))).rejects.toBe(full);
  });
});

it.each<[string, Buffer]>([
  ['identity', Buffer.from('hello')],
  ['gzip', gzipSync('hello')],
  ['X-GZIP', gzipSync('hello')],
  ['deflate', deflateSync('hello')],
  ['br', brotliCompressSync('hello')],
  ['gzip, br', brotliCompressSync(gzipSync('hello'))],
])('unpacks %s', async (coding, body) => {
  pages['/coded'] = (_message, response) =>
    void response.writeHead(200, { 'content-encoding': coding, 'content-length': body.length }).end(body);
  expect(await get(`${a}/coded`)).toBe('hello');
});

it.each<[string, string | (() => Promise<string>), string]>([
  ['nothing listens', 'http://127.0.0.1:1/x', 'http://127.0.0.1:1/x: connect ECONNREFUSED 127.0.0.1:1'],
  ['a name that is unknown', 'http://nothing.invalid/', 'http://nothing.invalid/: getaddrinfo'],
  ['no TLS', async () => a.replace('http:', 'https:'), 'no TLS: is it an address of http://?'],
  [
    'a certificate of another name',
    async () => tls.replace('localhost', '127.0.0.1'),
    "Hostname/IP does not match certificate's altnames",
  ],
  [
    'TLS where HTTP is asked for',
    async () => tls.replace('https:', 'http:'),
    'the server closed the connection',
  ],
  [
    'no HTTP',
    async () =>
      `http://127.0.0.1:${await listening(createTcpServer((socket) => void socket.on('error', () => undefined).end('220 smtp\r\n')))}`,
    'not an answer in HTTP',
  ],
  ['another protocol', 'ftp://x.example/', 'The address is not one of HTTP.'],
  [
    'an address with a password',
    'http://user:secret@127.0.0.1:1/',
    'http://127.0.0.1:1/: an address must not contain a user name or a password',
  ],
])('fails in one line for %s', async (_title, address, reason) => {
  const failure = await get(typeof address === 'string' ? address : await address()).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(RequestFailed);
  const { message } = failure as Error;
  expect(message).toContain(reason);
  expect(message).not.toMatch(/\n|secret/);
});

it('names the way to an authority of one’s own', async () => {
  const authority = jest.replaceProperty(globalAgent.options, 'ca', undefined);
  await expect(get(tls)).rejects.toThrow(/self-signed certificate.*NODE_EXTRA_CA_CERTS/);
  authority.restore();
});

it('survives 200 servers that close the connection at once, as Node’s fetch does not', async () => {
  const text = 'x'.repeat(90_000);
  const port = await listening(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(`HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n${text}`));
    }),
  );
  for (let run = 0; run < 200; run++) {
    const length = await httpRequest(`http://127.0.0.1:${port}/`, BOUNDS, async ({ body }) => {
      await new Promise(setImmediate);
      return (await bytesOf(body)).length;
    });
    expect(length).toBe(text.length);
  }
});
