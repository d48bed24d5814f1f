import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { parseAddress } from '@workspace/ip-addresses';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { createClientAddress } from '../src/client-address/client-address.ts';

const CLIENT_ADDRESS = 'libs/service-kit/src/client-address/client-address.ts';
const MOST_HOPS = 20;
const clientAddressOf = createClientAddress({
  TRUST_PROXY: 'loopback, 10.0.0.0/8, fc00::/7',
  CLIENT_IP_HEADER: 'x-real-ip',
});

const proxies = new BlockList();
proxies.addSubnet('127.0.0.0', 8, 'ipv4');
proxies.addSubnet('10.0.0.0', 8, 'ipv4');
proxies.addAddress('::1', 'ipv6');
proxies.addSubnet('fc00::', 7, 'ipv6');
const isProxy = (text: string): boolean => proxies.check(text, isIP(text) === 4 ? 'ipv4' : 'ipv6');

/** The address of an entry without brackets and port, by Node's own reading of addresses; undefined when it has none. */
const addressIn = (entry: string): string | undefined => {
  const bracketed = entry.startsWith('[');
  const end = bracketed ? entry.indexOf(']') : entry.includes('.') ? entry.lastIndexOf(':') : -1;
  const [host, rest] = bracketed
    ? [entry.slice(1, Math.max(end, 0)), entry.slice(end + 1)]
    : end >= 0 && isIP(entry) === 0
      ? [entry.slice(0, end), entry.slice(end)]
      : [entry, ''];
  if (bracketed && end < 0) return undefined;
  if (rest !== '' && !/^:\d{1,5}$/.test(rest)) return undefined;
  // IPv6 with a port has brackets.
  if (!bracketed && rest !== '' && isIP(host) !== 4) return undefined;
  return isIP(host) === 0 || host.includes('%') ? undefined : parseAddress(host)?.text;
};

const expectedClient = (peer: string, forwardedFor: string | undefined): string | undefined => {
  if (forwardedFor === undefined || !isProxy(peer)) return peer;
  const entries = forwardedFor.split(',').map((text) => text.trim());
  let nearest = peer;
  for (let hops = 0; hops < MOST_HOPS && entries.length > 0;) {
    const entry = entries.pop()!;
    if (entry === '') continue;
    const address = addressIn(entry);
    if (address === undefined || !isProxy(address)) return address;
    nearest = address;
    hops += 1;
  }
  return entries.length > 0 ? undefined : nearest;
};

/** An input is the address of the socket, X-Forwarded-For on the second line, and x-real-ip on the third. */
export const clientAddress: FuzzTarget = {
  name: 'client-address',
  property:
    'the client is the rightmost address that is no trusted proxy, and nothing that a client writes to the left counts',
  seeds: [
    '127.0.0.1\n203.0.113.7, 10.1.1.1',
    '10.0.0.1\n1.2.3.4:5678, [2001:db8::1]:443, fd00::1',
    '203.0.113.9\n1.1.1.1',
    '::1\n, ,198.51.100.1,\n192.0.2.5',
    `127.0.0.1\n${'10.0.0.1,'.repeat(30)}9.9.9.9`,
  ],
  dictionary: ['unknown', 'for=', '"', '[', ']', ':80', '::ffff:10.0.0.1', '%eth0', '::1', '10.0.0.1,', ', '],
  branchesPerByte: 200,
  planted: [
    { file: CLIENT_ADDRESS, from: '|| !isTrusted(proxies, peer)', to: '' },
    {
      file: CLIENT_ADDRESS,
      from: '!address || !isTrusted(proxies, address)',
      to: '!address || isTrusted(proxies, address)',
    },
    { file: CLIENT_ADDRESS, from: '(?::\\d{1,5})?$/', to: '/' },
    { file: CLIENT_ADDRESS, from: "if (entry.trim() === '') continue", to: '' },
    { file: CLIENT_ADDRESS, from: 'MAX_HOPS = 20', to: 'MAX_HOPS = 21' },
  ],
  check: (input) => {
    const [peer = '', forwardedFor, realIp] = input.toString('latin1').split('\n');
    const socket = { remoteAddress: peer };
    const headers = { 'x-forwarded-for': forwardedFor, ...(realIp !== undefined && { 'x-real-ip': realIp }) };
    const client = clientAddressOf({ headers, socket } as unknown as Parameters<
      typeof clientAddressOf
    >[0])?.text;
    const address = parseAddress(peer.split('%', 1)[0]!)?.text;
    if (address === undefined) assert.equal(client, undefined);
    else if (realIp !== undefined && isProxy(address)) assert.equal(client, addressIn(realIp.trim()));
    else assert.equal(client, expectedClient(address, forwardedFor));
  },
};
