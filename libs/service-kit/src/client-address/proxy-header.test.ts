import assert from 'node:assert/strict';
import { formatIPv6 } from '@workspace/ip-addresses';
import fc from 'fast-check';
import { MAX_HEADER_BYTES, parseProxyHeader } from './proxy-header.ts';
import { binary, INET, INET6, LOCAL, PROXY, vector } from '../../test/proxy-headers.ts';

const parsed = (bytes: Buffer | string) => {
  const header = parseProxyHeader(Buffer.from(bytes as string, 'latin1'));
  return typeof header === 'string' ? header : [header.source?.text, header.length];
};
const line = (text: string) => `PROXY ${text}\r\n`;
const V6 = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff';

describe('version 1', () => {
  it.each([
    ['TCP4 192.0.2.1 203.0.113.7 56324 443', '192.0.2.1'],
    ['TCP4 255.255.255.255 255.255.255.255 65535 65535', '255.255.255.255'],
    ['TCP4 192.0.2.1 203.0.113.7 0 0', '192.0.2.1'],
    ['TCP6 2001:DB8::1 ::1 56324 443', '2001:db8::1'],
    [`TCP6 ${V6} ${V6} 65535 65535`, V6],
    ['TCP6 ::ffff:192.0.2.1 ::ffff:203.0.113.7 1 2', '192.0.2.1'],
    ['UNKNOWN', undefined],
    [`UNKNOWN ${V6} ${V6} 65535 65535`, undefined],
    ['UNKNOWN TCP4 \0\n\r\xff', undefined],
  ])('%j', (text, source) => {
    expect(parsed(line(text))).toEqual([source, line(text).length]);
    expect(parsed(`${line(text)}GET / HTTP/1.1\r\n`)).toEqual([source, line(text).length]);
  });

  it.each([
    ...['', 'TCP4', 'TCP5 1.1.1.1 2.2.2.2 1 2', 'tcp4 1.1.1.1 2.2.2.2 1 2', 'UDP4 1.1.1.1 2.2.2.2 1 2'],
    ...['UNKNOWNX', 'unknown', ' TCP4 1.1.1.1 2.2.2.2 1 2', 'TCP4  1.1.1.1 2.2.2.2 1 2'],
    ...['TCP4 1.1.1.1 2.2.2.2 1 2 ', 'TCP4 1.1.1.1 2.2.2.2 1', 'TCP4 1.1.1.1 2.2.2.2 1 2 3'],
    ...['TCP4 1.1.1.1 2.2.2.2 65536 2', 'TCP4 1.1.1.1 2.2.2.2 1 65536', 'TCP4 1.1.1.1 2.2.2.2 01 2'],
    ...['TCP4 1.1.1.1 2.2.2.2 +1 2', 'TCP4 1.1.1.1 2.2.2.2 1 -2', 'TCP4 1.1.1.01 2.2.2.2 1 2'],
    ...[
      'TCP4 1.1.1 2.2.2.2 1 2',
      'TCP4 1.1.1.1 2.2.2.256 1 2',
      'TCP4 ::1 ::1 1 2',
      'TCP6 1.1.1.1 2.2.2.2 1 2',
    ],
    ...[
      'TCP6 ::1 2.2.2.2 1 2',
      'TCP4 ::ffff:1.1.1.1 2.2.2.2 1 2',
      'TCP6 fe80::1%1 ::1 1 2',
      'TCP6 1::2::3 ::1 1 2',
    ],
    ...[
      'TCP4 1.1.1.1\t2.2.2.2 1 2',
      'TCP4 1.1.1.1 2.2.2.2 1 2\n',
      'TCP4 1.1.1.1 2.2.2.2 1 2\r',
      'TCP4 1.1.1.1 2.2.2.2 1 2\nx',
    ],
    `UNKNOWN ${'x'.repeat(92)}`,
    'TCP6 '.padEnd(120, ' '),
  ])('is invalid: %j', (text) => expect(parsed(line(text))).toBe('invalid'));

  it('has at most 107 bytes', () => {
    expect(parsed(line(`UNKNOWN ${'x'.repeat(91)}`))).toEqual([undefined, 107]);
    expect(parsed(`PROXY UNKNOWN ${'x'.repeat(92)}`)).toBe('incomplete');
    expect(parsed(`PROXY UNKNOWN ${'x'.repeat(93)}`)).toBe('invalid');
  });
});

describe('version 2', () => {
  const v4 = [192, 0, 2, 1, 203, 0, 113, 7, 0xdc, 4, 1, 0xbb];
  const v6 = [0x20, 1, 0xd, 0xb8, ...Array<number>(11).fill(0), 1, ...Array<number>(20).fill(7)];
  const mapped = [...Array<number>(10).fill(0), 255, 255, 192, 0, 2, 9, ...Array<number>(20).fill(7)];
  const unix = Array<number>(216).fill(47);
  const TLV = [
    ...vector(1, 'h2'),
    ...vector(0x20, '\x01\0\0\0\0'),
    ...vector(4, 'x'.repeat(300)),
    ...vector(0xe0, ''),
  ];

  it.each([
    ['TCP over IPv4', binary(PROXY, INET, v4), '192.0.2.1'],
    ['UDP over IPv4', binary(PROXY, 0x12, v4), '192.0.2.1'],
    ['TCP over IPv6', binary(PROXY, INET6, v6), '2001:db8::1'],
    ['UDP over IPv6', binary(PROXY, 0x22, v6), '2001:db8::1'],
    ['IPv4 as IPv6', binary(PROXY, INET6, mapped), '192.0.2.9'],
    ['vectors', binary(PROXY, INET, [...v4, ...TLV]), '192.0.2.1'],
    ['bytes that are not a vector', binary(PROXY, INET6, [...v6, 1, 255, 255]), '2001:db8::1'],
    ['Unix', binary(PROXY, 0x31, unix), undefined],
    ['Unix datagram', binary(PROXY, 0x32, unix), undefined],
    ['unspecified', binary(PROXY, 0, []), undefined],
    ['unspecified, with an address', binary(PROXY, 0, v4), undefined],
    ['unspecified family', binary(PROXY, 0x01, v4), undefined],
    ['unspecified protocol', binary(PROXY, 0x10, v4), undefined],
    ['LOCAL', binary(LOCAL, 0, []), undefined],
    ['LOCAL with an address and vectors', binary(LOCAL, INET, [...v4, ...TLV]), undefined],
    ['LOCAL of a family that is not known', binary(LOCAL, 0xff, [1]), undefined],
    [
      'the longest',
      binary(PROXY, INET, [...v4, ...Array<number>(MAX_HEADER_BYTES - 28).fill(0)]),
      '192.0.2.1',
    ],
  ])('%s', (_name, header, source) => {
    expect(parsed(header)).toEqual([source, header.length]);
    expect(parsed(Buffer.concat([header, header]))).toEqual([source, header.length]);
  });

  it.each([
    ['version 1', binary(PROXY, INET, v4, 1)],
    ['version 3', binary(PROXY, INET, v4, 3)],
    ['command 2', binary(2, INET, v4)],
    ['family 4', binary(PROXY, 0x41, v4)],
    ['protocol 3', binary(PROXY, 0x13, v4)],
    ['IPv4, too short', binary(PROXY, INET, v4.slice(1))],
    ['IPv6, too short', binary(PROXY, INET6, v6.slice(1))],
    ['Unix, too short', binary(PROXY, 0x31, unix.slice(1))],
    ['too long', binary(PROXY, INET, [...v4, ...Array<number>(MAX_HEADER_BYTES - 27).fill(0)])],
    ['another signature', Buffer.from('\r\n\r\n\0\r\nQUIT\r')],
  ])('is invalid: %s', (_name, header) => expect(parsed(header)).toBe('invalid'));
});

it.each([
  'GET / HTTP/1.1\r\n\r\n',
  '\x16\x03\x01',
  'PROXY\tTCP4 1.1.1.1 2.2.2.2 1 2\r\n',
  'proxy ',
  '\r\nG',
  ' ',
])('rejects what is no header: %j', (text) => expect(parsed(text)).toBe('invalid'));

const octets = (length: number) => fc.array(fc.nat(255), { minLength: length, maxLength: length });
const port = fc.nat(65_535);
const tail = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes));
const header = fc.oneof(
  fc.tuple(octets(4), octets(4), port, port).map(([from, to, ...ports]) => ({
    bytes: Buffer.from(line(`TCP4 ${from.join('.')} ${to.join('.')} ${ports.join(' ')}`)),
    source: from.join('.'),
  })),
  fc.tuple(octets(16), octets(16), port, port).map(([from, to, ...ports]) => {
    const text = (bytes: number[]) =>
      bytes.map((byte, at) => (at % 2 ? '' : at ? ':' : '') + byte.toString(16).padStart(2, '0')).join('');
    return {
      bytes: Buffer.from(line(`TCP6 ${text(from)} ${text(to)} ${ports.join(' ')}`)),
      source: formatIPv6(Uint8Array.from(from)),
    };
  }),
  fc.tuple(octets(4), octets(8), tail).map(([from, rest, vectors]) => ({
    bytes: binary(PROXY, INET, [...from, ...rest, ...vectors]),
    source: from.join('.'),
  })),
  fc.tuple(octets(16), octets(20), tail).map(([from, rest, vectors]) => ({
    bytes: binary(PROXY, INET6, [...from, ...rest, ...vectors]),
    source: formatIPv6(Uint8Array.from(from)),
  })),
);

it('reads a header however much of it, and of what follows, has arrived', () => {
  fc.assert(
    fc.property(header, tail, ({ bytes, source }, after) => {
      const all = Buffer.concat([bytes, after]);
      for (let length = 0; length <= all.length; length++) {
        const expected = length < bytes.length ? 'incomplete' : [source, bytes.length];
        assert.deepEqual(parsed(all.subarray(0, length)), expected);
      }
    }),
    { numRuns: 200 },
  );
});
