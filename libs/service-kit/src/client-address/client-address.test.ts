import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { parseAddress } from '@workspace/ip-addresses';
import {
  clientAddressViolations,
  clientNetwork,
  clientNetworks,
  createClientAddress,
} from './client-address.ts';

const clientAddress = (TRUST_PROXY: string, peer: string, forwardedFor?: string, clientIp?: string) => {
  const headers: IncomingHttpHeaders = {
    ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    ...(clientIp !== undefined && { 'cf-connecting-ip': clientIp }),
  };
  const socket = { remoteAddress: peer } as Socket;
  return createClientAddress({ TRUST_PROXY, CLIENT_IP_HEADER: 'CF-Connecting-IP' })({ headers, socket })
    ?.text;
};

const PEER = '127.0.0.1';

describe('createClientAddress', () => {
  // X-Forwarded-For | none trusted | loopback trusted | loopback and 10/8 trusted
  it.each([
    [undefined, PEER, PEER, PEER],
    ['', PEER, PEER, PEER],
    ['1.2.3.4', PEER, '1.2.3.4', '1.2.3.4'],
    ['9.9.9.9, 1.2.3.4', PEER, '1.2.3.4', '1.2.3.4'],
    ['9.9.9.9, 1.2.3.4, 10.0.0.5', PEER, '10.0.0.5', '1.2.3.4'],
    ['9.9.9.9,1.2.3.4,10.0.0.5,10.0.0.6', PEER, '10.0.0.6', '1.2.3.4'],
    ['10.0.0.5', PEER, '10.0.0.5', '10.0.0.5'],
    ['10.0.0.4, 10.0.0.5', PEER, '10.0.0.5', '10.0.0.4'],
    ['1.2.3.4:5678', PEER, '1.2.3.4', '1.2.3.4'],
    ['[2a00::1]:443', PEER, '2a00::1', '2a00::1'],
    ['[2a00::1]', PEER, '2a00::1', '2a00::1'],
    ['2A00::1', PEER, '2a00::1', '2a00::1'],
    ['::ffff:1.2.3.4', PEER, '1.2.3.4', '1.2.3.4'],
    [', 1.2.3.4,, ', PEER, '1.2.3.4', '1.2.3.4'],
    ['unknown', PEER, undefined, undefined],
    ['9.9.9.9, unknown', PEER, undefined, undefined],
    ['unknown, 1.2.3.4', PEER, '1.2.3.4', '1.2.3.4'],
    ['"><script>alert(1)</script>', PEER, undefined, undefined],
    ['fe80::1%eth0', PEER, undefined, undefined],
    ['1.2.3.4, _hidden, 10.0.0.5', PEER, '10.0.0.5', undefined],
    ['[1.2.3.4', PEER, undefined, undefined],
    ['1.2.3.4:port', PEER, undefined, undefined],
    ['134744072', PEER, undefined, undefined],
  ])('%j', (forwardedFor, none, loopback, both) => {
    expect(clientAddress('', PEER, forwardedFor)).toBe(none);
    expect(clientAddress('loopback', PEER, forwardedFor)).toBe(loopback);
    expect(clientAddress('loopback, 10.0.0.0/8', PEER, forwardedFor)).toBe(both);
  });

  it('ignores what an untrusted peer sends', () => {
    expect(clientAddress('10.0.0.0/8', '8.8.8.8', '1.2.3.4', '1.2.3.4')).toBe('8.8.8.8');
  });

  it('recognises an IPv4 proxy that connects to an IPv6 socket', () => {
    expect(clientAddress('loopback', '::ffff:127.0.0.1', '1.2.3.4')).toBe('1.2.3.4');
  });

  it('recognises a link-local proxy by its address without zone', () => {
    expect(clientAddress('linklocal', 'fe80::1%eth0', '1.2.3.4')).toBe('1.2.3.4');
  });

  it('prefers CLIENT_IP_HEADER to X-Forwarded-For, and takes it whole or not at all', () => {
    expect(clientAddress('loopback', PEER, '1.2.3.4', '5.6.7.8')).toBe('5.6.7.8');
    expect(clientAddress('loopback', PEER, '1.2.3.4', '5.6.7.8, 1.1.1.1')).toBeUndefined();
    expect(clientAddress('loopback', PEER, '1.2.3.4', 'unknown')).toBeUndefined();
  });

  it.each([
    ['10.0.0.9,'.repeat(19) + '10.0.0.7', '10.0.0.9'],
    ['1.2.3.4,' + '10.0.0.9,'.repeat(19), '1.2.3.4'],
    ['1.2.3.4,' + '10.0.0.9,'.repeat(20) + '10.0.0.7', undefined],
    ['10.0.0.9,'.repeat(20) + '10.0.0.7', undefined],
    ['1.2.3.4,' + '10.0.0.9,'.repeat(5_000) + '10.0.0.7', undefined],
    ['1.2.3.4' + ','.repeat(5_000), '1.2.3.4'],
  ])('reads at most twenty entries of a chain, and names no proxy when it goes on', (chain, client) => {
    expect(clientAddress('loopback, 10.0.0.0/8', PEER, chain)).toBe(client);
  });
});

describe('TRUST_PROXY', () => {
  it.each(['true', '1', 'all', '0.0.0.0/0', '10.0.0.0/33', 'proxy.example', '10.0.0', '*', 'toString'])(
    'rejects %s in one sentence',
    (entry) => {
      expect(clientAddressViolations({ TRUST_PROXY: `127.0.0.1, ${entry}` })).toEqual([
        `TRUST_PROXY must list addresses, CIDR blocks, loopback, linklocal or uniquelocal; entry 2 is none of them`,
      ]);
    },
  );

  it('accepts names, blocks and addresses', () => {
    const TRUST_PROXY = 'loopback,linklocal, uniquelocal ,192.0.2.1, 2001:db8::/32';
    expect(clientAddressViolations({ TRUST_PROXY, CLIENT_IP_HEADER: 'x-real-ip' })).toEqual([]);
    expect(clientAddress(TRUST_PROXY, '172.31.0.1', '1.1.1.1, 1.2.3.4, 2001:db8::1, 192.0.2.1')).toBe(
      '1.2.3.4',
    );
    expect(clientAddress(TRUST_PROXY, '172.32.0.1', '1.2.3.4')).toBe('172.32.0.1');
  });

  it('is needed for CLIENT_IP_HEADER', () => {
    expect(clientAddressViolations({ TRUST_PROXY: '', CLIENT_IP_HEADER: 'x-real-ip' })).toEqual([
      'CLIENT_IP_HEADER is only read from trusted proxies: set TRUST_PROXY too',
    ]);
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
])('the client network of %s is %s', (text, network) => {
  expect(clientNetwork(parseAddress(text)!)).toBe(network);
});

it('counts an IPv6 client in the networks around it, too', () => {
  expect(clientNetworks(parseAddress('192.0.2.1')!)).toEqual([{ network: '192.0.2.1', shares: 1 }]);
  expect(clientNetworks(parseAddress('2001:db8:1:2345::6')!)).toEqual([
    { network: '2001:db8:1:2345::/64', shares: 1 },
    { network: '2001:db8:1:2300::/56', shares: 4 },
    { network: '2001:db8:1::/48', shares: 16 },
  ]);
});
