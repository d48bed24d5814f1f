import assert from 'node:assert/strict';
import { isIPv4, isIPv6 } from 'node:net';
import { parseAddress } from '@workspace/ip-addresses';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { parseProxyHeader } from '../src/client-address/proxy-header.ts';
import { binary, INET, INET6, LOCAL, PROXY, vector } from '../test/proxy-headers.ts';

const PROXY_HEADER = 'libs/service-kit/src/client-address/proxy-header.ts';
const SIGNATURE = '0d0a0d0a000d0a515549540a';

type Expected = readonly [length: number, source: string | undefined] | undefined;

const lineOf = (text: string): Expected => {
  const end = text.indexOf('\r\n');
  if (!text.startsWith('PROXY ') || end < 0 || end > 105) return undefined;
  const words = text.slice(0, end).split(' ');
  if (words[1] === 'UNKNOWN') return [end + 2, undefined];
  const isAddress = { TCP4: isIPv4, TCP6: isIPv6 }[words[1]!];
  if (!isAddress || words.length !== 6) return undefined;
  const [source = '', destination = '', ...ports] = words.slice(2);
  if (![source, destination].every((one) => isAddress(one) && !one.includes('%'))) return undefined;
  if (!ports.every((port) => String(Number(port)) === port && /^\d+$/.test(port) && Number(port) < 65_536)) {
    return undefined;
  }
  return [end + 2, parseAddress(source)!.text];
};

const blockOf = (hex: string): Expected => {
  const byte = (at: number) => parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  const length = 16 + 256 * byte(14) + byte(15);
  if (!hex.startsWith(SIGNATURE) || !(length <= 4_096) || hex.length < 2 * length) return undefined;
  const kind = hex.slice(24, 28);
  if (/^20/.test(kind) || /^21([0-3]0|0[0-2])$/.test(kind)) return [length, undefined];
  const size = { 1: 12, 2: 36, 3: 216 }[kind[2]!];
  if (!size || !/^21.[12]$/.test(kind) || length < 16 + size) return undefined;
  if (kind[2] === '3') return [length, undefined];
  const bytes = Array.from({ length: kind[2] === '1' ? 4 : 16 }, (_, at) => byte(16 + at));
  const groups = hex.slice(32, 64).match(/..../g)!;
  return [length, parseAddress(bytes.length === 4 ? bytes.join('.') : groups.join(':'))!.text];
};

const found = (bytes: Buffer): Expected => {
  const header = parseProxyHeader(bytes);
  return typeof header === 'string' ? undefined : [header.length, header.source?.text];
};

const V4 = [192, 0, 2, 1, 203, 0, 113, 7, 1, 2, 3, 4];
const V6 = [...Array<number>(10).fill(0), 255, 255, 192, 0, 2, 9, ...Array<number>(20).fill(7)];

/** An input is what a connection begins with. */
export const proxyHeader: FuzzTarget = {
  name: 'proxy-header',
  property: 'a header is what the protocol says, however much of it has arrived',
  seeds: [
    'PROXY TCP4 192.0.2.1 203.0.113.7 56324 443\r\nGET / HTTP/1.1\r\n\r\n',
    'PROXY TCP6 2001:db8::1 ::ffff:1.2.3.4 1 65535\r\n',
    'PROXY UNKNOWN\r\n',
    `PROXY UNKNOWN ${'f'.repeat(91)}\r\n`,
    binary(PROXY, INET, V4),
    binary(PROXY, INET6, [...V6, ...vector(4, 'abc')]),
    binary(PROXY, 0x31, Array<number>(216).fill(47)),
    binary(LOCAL, 0, []),
  ],
  dictionary: [
    'PROXY ',
    'TCP4',
    'TCP6',
    'UNKNOWN',
    '\r\n',
    '\n',
    ' ',
    '0',
    '65536',
    '::1',
    '%',
    '\x20\x11\0\x0c',
    '\x21\x22',
  ],
  branchesPerByte: 200,
  planted: [
    { file: PROXY_HEADER, from: 'MAX_LINE_BYTES = 107', to: 'MAX_LINE_BYTES = 108' },
    { file: PROXY_HEADER, from: 'Number(port) <= 65_535', to: 'Number(port) <= 65_536' },
    { file: PROXY_HEADER, from: '|| !isOfFamily(destination)', to: '' },
    { file: PROXY_HEADER, from: 'version !== 2 ||', to: '' },
    { file: PROXY_HEADER, from: 'protocol > MAX_PROTOCOL', to: 'protocol > 3' },
    { file: PROXY_HEADER, from: 'if (bytes.length < length)', to: 'if (bytes.length < length - 1)' },
  ],
  check: (input) => {
    const expected = lineOf(input.toString('latin1')) ?? blockOf(input.toString('hex'));
    assert.deepEqual(found(input), expected);
    // No part is taken for a header; and what cannot become one is known to be none, at the latest, when it is too long.
    const length = expected?.[0] ?? 0;
    for (let part = 0; part < length; part++)
      assert.equal(parseProxyHeader(input.subarray(0, part)), 'incomplete');
    assert.notEqual(parseProxyHeader(Buffer.concat([input, Buffer.alloc(4_096)])), 'incomplete');
  },
};
