import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { captureLogger, eventually } from '@workspace/testing';
import fc from 'fast-check';
import { createDrain } from '@workspace/http-connections';
import { createClientAddress, createIsFromTrustedProxy } from '../src/client-address/index.ts';
import { createService } from '../src/index.ts';
import type { Service } from '../src/index.ts';
import { proxyProtocol, proxyProtocolViolations } from '../src/client-address/proxy-protocol.ts';
import { beginConnectionsWith, limitConnections } from '../src/service.ts';
import { binary, INET, INET6, LOCAL, PROXY, vector } from './proxy-headers.ts';

const TRUST_PROXY = '127.0.0.1, 10.0.0.0/8';
/** its places are few, to see whose connections count */
const MAX_CONNECTIONS = 6;

let app: Service;
let closed: string[];
let drops: number;

const start = async (headerMs?: number): Promise<void> => {
  closed = [];
  drops = 0;
  app = createService({ logger: captureLogger().logger, drain: createDrain() });
  const clientOf = createClientAddress({ TRUST_PROXY });
  const isFromTrustedProxy = createIsFromTrustedProxy({ TRUST_PROXY });
  app.post('/', ({ raw, body }) => ({ client: clientOf(raw)?.text, body, proxied: isFromTrustedProxy(raw) }));
  limitConnections(app, { MAX_CONNECTIONS, TRUST_PROXY });
  const onClosed = (reason: string) => void closed.push(reason);
  beginConnectionsWith(
    app,
    proxyProtocol({ TRUST_PROXY, onClosed, ...(headerMs !== undefined && { headerMs }) }),
  );
  app.server.on('drop', () => (drops += 1));
  await app.listen({ port: 0, host: '127.0.0.1' });
};
beforeEach(() => start());
afterEach(() => app.close());

const open = async (localAddress = '127.0.0.1') => {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress }).setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  const [end] = (await once(app.server, 'connection')) as [Socket];
  return { socket, soFar: () => text, ended, end };
};

/** In the turn of the event loop in which it is so, as `eventually` would wait for each byte. */
const untilRead = async (end: Socket, bytes: number): Promise<void> => {
  while (end.bytesRead < bytes && !end.destroyed) await new Promise(setImmediate);
};

const request = (number: number, more = '') =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1\r\n${more}\r\n${number}`;
const LAST = 'connection: close\r\n';
const answers = (text: string) =>
  [...text.matchAll(/\{"client":.*?\}/g)].map(([json]) => JSON.parse(json) as Record<string, unknown>);

/** Sends all bytes at once, and returns the answers, when the service has closed the connection. */
const exchange = async (...parts: (Buffer | string)[]) => {
  const { socket, ended } = await open();
  socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
  const text = await ended;
  socket.destroy();
  return answers(text);
};

const V4 = [192, 0, 2, 1, 203, 0, 113, 7, 1, 2, 3, 4];
const V6 = [0x20, 1, 0xd, 0xb8, ...Array<number>(11).fill(0), 1, ...Array<number>(20).fill(7)];
const HEADERS: [string, Buffer, string][] = [
  ['v1, IPv4', Buffer.from('PROXY TCP4 192.0.2.1 203.0.113.7 56324 443\r\n'), '192.0.2.1'],
  ['v1, IPv6', Buffer.from('PROXY TCP6 2001:db8::1 ::1 56324 443\r\n'), '2001:db8::1'],
  ['v1, unknown', Buffer.from('PROXY UNKNOWN \r\r a\n\r\n'), '127.0.0.1'],
  ['v2, IPv4', binary(PROXY, INET, V4), '192.0.2.1'],
  [
    'v2, IPv6 and vectors',
    binary(PROXY, INET6, [...V6, ...vector(1, 'GET / HTTP/1.1\r\n\r\n')]),
    '2001:db8::1',
  ],
  ['v2, unspecified', binary(PROXY, 0, V4), '127.0.0.1'],
  ['v2, Unix', binary(PROXY, 0x31, Array<number>(216).fill(13)), '127.0.0.1'],
  ['v2, LOCAL', binary(LOCAL, INET, V4), '127.0.0.1'],
];

describe.each(HEADERS)('a header of %s', (_name, header, client) => {
  const requests = Buffer.from(request(1) + request(2, LAST));
  const expected = [1, 2].map((body) => ({ client, body, proxied: false }));

  it('may arrive with requests in one packet', async () => {
    expect(await exchange(header, requests)).toEqual(expected);
  });

  it('may be split at each byte, and be followed by HTTP that is', async () => {
    const bytes = Buffer.concat([header, requests]);
    for (let at = 1; at < header.length + 30; at++) {
      const { socket, ended, end } = await open();
      socket.write(bytes.subarray(0, at));
      await untilRead(end, at);
      socket.write(bytes.subarray(at));
      expect(answers(await ended)).toEqual(expected);
      socket.destroy();
    }
  });

  it('may arrive in any parts', async () => {
    const bytes = Buffer.concat([header, requests]);
    const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lengths, async (parts) => {
        const { socket, ended, end } = await open();
        socket.setNoDelay(true);
        let at = 0;
        for (const length of parts) {
          socket.write(bytes.subarray(at, at + length));
          at = Math.min(at + length, bytes.length);
          await untilRead(end, at);
        }
        socket.end(bytes.subarray(at));
        expect(answers(await ended)).toEqual(expected);
        socket.destroy();
      }),
      { numRuns: 15 },
    );
  });
});

const SOURCE = (address: string) => `PROXY TCP4 ${address} 203.0.113.7 1 2\r\n`;

describe('headers of requests', () => {
  const forwarded = 'x-forwarded-for: 198.51.100.1\r\n';
  it.each([
    ['count if the source is a trusted proxy', SOURCE('10.0.0.1'), '198.51.100.1', true],
    ['do not count otherwise', SOURCE('192.0.2.1'), '192.0.2.1', false],
    ['do not count without a source', 'PROXY UNKNOWN\r\n', '127.0.0.1', false],
    ['do not count in a connection of the proxy', binary(LOCAL, 0, []), '127.0.0.1', false],
  ])('%s', async (_name, header, client, proxied) => {
    expect(await exchange(header, request(1, forwarded + LAST))).toEqual([{ client, body: 1, proxied }]);
  });
});

describe('a connection is closed without an answer', () => {
  it('from elsewhere than a trusted proxy', async () => {
    const { socket, ended } = await open('127.0.0.2');
    socket.write(SOURCE('192.0.2.1') + request(1));
    expect([await ended, closed]).toEqual(['', ['the other end is not in TRUST_PROXY']]);
  });

  it.each([
    ['with HTTP only', request(1)],
    ['with TLS', '\x16\x03\x01\x02'],
    ['with an invalid header', `PROXY TCP4 192.0.2.1 203.0.113.7 1 65536\r\n${request(1)}`],
    ['with an invalid binary header', Buffer.concat([binary(3, INET, V4), Buffer.from(request(1))])],
    ['with an endless line', `PROXY UNKNOWN ${'x'.repeat(1_000)}`],
    ['with more vectors than are read', binary(PROXY, INET, [...V4, ...Array<number>(60_000).fill(0)])],
  ])('%s', async (_name, bytes) => {
    const { socket, ended } = await open();
    socket.write(bytes);
    expect([await ended, closed]).toEqual(['', ['it does not begin with a valid header']]);
  });

  it('that ends within the header, and without a report if it has sent nothing', async () => {
    const silent = await open();
    silent.socket.end();
    expect([await silent.ended, closed]).toEqual(['', []]);
    const half = await open();
    half.socket.end('PROXY TCP4 ');
    expect([await half.ended, closed]).toEqual(['', ['it ended within the header']]);
    const reset = await open();
    reset.socket.write('PROXY');
    await untilRead(reset.end, 5);
    reset.socket.resetAndDestroy();
    await eventually('the end', () => reset.end.destroyed);
  });

  it('whose header does not arrive in time, and no other', async () => {
    await app.close();
    await start(1_000);
    const inTime = await open();
    inTime.socket.write(SOURCE('192.0.2.1') + request(1));
    await eventually('the answer', () => answers(inTime.soFar()).length === 1);
    const late = await open();
    late.socket.write('PROXY TCP4 192.0.2.1 ');
    expect([await late.ended, closed]).toEqual(['', ['no header arrived within 1000 ms']]);
    inTime.socket.write(request(2, LAST));
    expect(answers(await inTime.ended)).toHaveLength(2);
  });

  it('when the service stops before its header has arrived', async () => {
    const { socket, ended } = await open();
    socket.write('PROXY TCP4 192.0.2.1 ');
    await app.close();
    expect([await ended, closed]).toEqual(['', []]);
  });
});

it('counts a connection for the client that the header names', async () => {
  const hold = async (address: string) => {
    const connection = await open();
    connection.socket.write(SOURCE(address) + request(1));
    await eventually('the answer or the end', () => connection.soFar() !== '' || connection.end.destroyed);
    return connection;
  };
  const held = [await hold('192.0.2.1'), await hold('192.0.2.1'), await hold('192.0.2.1')];
  expect(answers(held[2]!.soFar())).toHaveLength(1);
  expect([(await hold('192.0.2.1')).soFar(), drops]).toEqual(['', 1]);
  held.push(await hold('192.0.2.2'));
  expect(answers(held[3]!.soFar())).toHaveLength(1);
  held[0]!.socket.destroy();
  await eventually('a place', async () => {
    const again = await hold('192.0.2.1');
    held.push(again);
    return again.soFar() !== '';
  });
  for (const { socket } of held) socket.destroy();
});

it('takes a second header for HTTP that it cannot read', async () => {
  const { socket, ended } = await open();
  socket.write(SOURCE('192.0.2.1') + SOURCE('192.0.2.2'));
  expect(await ended).toMatch(/^HTTP\/1\.1 400 /);
});

it('needs TRUST_PROXY', () => {
  expect(proxyProtocolViolations({ PROXY_PROTOCOL: true, TRUST_PROXY: '' })).toEqual([
    'PROXY_PROTOCOL is only accepted from trusted proxies: set TRUST_PROXY too',
  ]);
  expect(proxyProtocolViolations({ PROXY_PROTOCOL: true, TRUST_PROXY })).toEqual([]);
  expect(proxyProtocolViolations({ PROXY_PROTOCOL: false, TRUST_PROXY: '' })).toEqual([]);
});
