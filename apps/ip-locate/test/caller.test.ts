import { callerAddress } from '../src/domain/caller-address.ts';
import { parseTrust } from '../src/domain/trusted-proxies.ts';
import { MUNICH, testApp } from './app.ts';

const caller = (trust: string, peer: string, forwardedFor?: string, clientIp?: string) =>
  callerAddress({ peer, forwardedFor, clientIp }, parseTrust(trust).networks)?.text;

const PEER = '127.0.0.1';

describe('callerAddress, the spoofing table', () => {
  // X-Forwarded-For | nobody trusted | loopback trusted | loopback and 10/8 trusted
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
  ])('%j', (forwardedFor, nobody, loopback, both) => {
    expect(caller('', PEER, forwardedFor)).toBe(nobody);
    expect(caller('loopback', PEER, forwardedFor)).toBe(loopback);
    expect(caller('loopback, 10.0.0.0/8', PEER, forwardedFor)).toBe(both);
  });

  it('believes nothing a stranger says', () => {
    expect(caller('10.0.0.0/8', '8.8.8.8', '1.2.3.4', '1.2.3.4')).toBe('8.8.8.8');
  });

  it('knows an IPv4 proxy that connects to an IPv6 socket', () => {
    expect(caller('loopback', '::ffff:127.0.0.1', '1.2.3.4')).toBe('1.2.3.4');
  });

  it('knows a link-local proxy by its address without zone', () => {
    expect(caller('linklocal', 'fe80::1%eth0', '1.2.3.4')).toBe('1.2.3.4');
  });

  it('takes CLIENT_IP_HEADER before X-Forwarded-For, and only whole', () => {
    expect(caller('loopback', PEER, '1.2.3.4', '5.6.7.8')).toBe('5.6.7.8');
    expect(caller('loopback', PEER, '1.2.3.4', '5.6.7.8, 1.1.1.1')).toBeUndefined();
    expect(caller('loopback', PEER, '1.2.3.4', 'unknown')).toBeUndefined();
  });

  it('reads no more than twenty entries of an endless chain', () => {
    expect(caller('loopback, 10.0.0.0/8', PEER, `1.2.3.4,${'10.0.0.9,'.repeat(5_000)}10.0.0.7`)).toBe(
      '10.0.0.9',
    );
  });
});

describe('parseTrust', () => {
  it.each(['true', '1', 'all', '0.0.0.0/0', '10.0.0.0/33', 'proxy.example', '10.0.0', '*'])(
    'refuses %s',
    (entry) => {
      expect(parseTrust(`127.0.0.1, ${entry}`).faults).toEqual([entry]);
    },
  );

  it('takes names, blocks and addresses', () => {
    const { networks, faults } = parseTrust('loopback,linklocal, uniquelocal ,192.0.2.1, 2001:db8::/32');
    expect([networks.length, faults]).toEqual([10, []]);
  });
});

describe('over HTTP', () => {
  it.each([
    [{ 'x-forwarded-for': `1.1.1.1, ${MUNICH}` }, 'Munich'],
    [{ 'x-forwarded-for': `${MUNICH}:4711` }, 'Munich'],
    [{ 'cf-connecting-ip': MUNICH, 'x-forwarded-for': '1.1.1.1' }, 'Munich'],
  ])('%j', async (headers, city) => {
    const { app } = await testApp({ settings: { clientIpHeader: 'cf-connecting-ip' } });
    const reply = await app.inject({ url: '/city/', headers, remoteAddress: '127.0.0.1' });
    expect(reply.body).toBe(city);
    await app.close();
  });

  it('answers 400 when the deciding claim is no address, and does not echo it', async () => {
    const { app } = await testApp();
    const reply = await app.inject({
      url: '/json/',
      headers: { 'x-forwarded-for': '"><script>' },
      remoteAddress: '127.0.0.1',
    });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({ error: true, type: 'urn:problem-type:unknown-caller' });
    expect(reply.body).not.toContain('script');
    await app.close();
  });
});
