import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { contains, networkOf, parseAddress, parseNetwork } from '@workspace/ip-addresses';
import type { FuzzTarget } from '@workspace/testing/fuzz';

const ADDRESS = 'libs/ip-addresses/src/address.ts';
const NETWORK = 'libs/ip-addresses/src/network.ts';

/** The canonical text by the URL standard; IPv4 within IPv6 as IPv4. */
const referenceText = (text: string): string | undefined => {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 0) return undefined;
  if (family === 4) return text;
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const octets = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex');
  return octets.join('.');
};

export const addresses: FuzzTarget = {
  name: 'addresses',
  property: 'Node and the URL standard read the same addresses and write them in the same way',
  seeds: [
    '8.8.8.8',
    '2001:db8::1',
    '::',
    '1:2:3:4:5:6:7:8',
    '::ffff:1.2.3.4',
    '64:ff9b::192.0.2.33',
    '1::0:0:0:8',
  ],
  dictionary: ['::', ':0:0', '255', '256', '0', '.0', 'ffff', 'FFFF', '%eth0', '::ffff:', '010', '0x1'],
  mostBytes: 64,
  branchesPerByte: 100,
  planted: [
    { file: ADDRESS, from: 'digits > 0 && value === 0', to: 'digits > 1 && value === 0' },
    { file: ADDRESS, from: 'Math.max(1, end - start)', to: 'end - start' },
    { file: ADDRESS, from: 'if (filled > 14)', to: 'if (filled > 16)' },
    { file: ADDRESS, from: 'bytes[10] === 0xff && bytes[11] === 0xff', to: 'bytes[10] === 0xff' },
  ],
  check: (input) => {
    const text = input.toString('latin1');
    const address = parseAddress(text);
    assert.equal(address?.text, referenceText(text));
    if (!address) return;
    const again = parseAddress(address.text);
    assert.deepEqual(again, address);
  },
};

/** An input is a network, and an address behind a space. */
export const networks: FuzzTarget = {
  name: 'networks',
  property: 'a network contains what Node’s BlockList says, and the network of an address contains it',
  seeds: [
    '10.0.0.0/8 10.1.2.3',
    '2001:db8::/33 2001:db8:8000::1',
    '192.0.2.1 192.0.2.1',
    '::1/128 ::1',
    '::ffff:10.0.0.0/104 10.1.2.3',
  ],
  dictionary: ['/0', '/1', '/31', '/32', '/33', '/127', '/128', '/129', '/08', '255', ' ', 'ffff'],
  mostBytes: 100,
  branchesPerByte: 100,
  planted: [
    { file: NETWORK, from: 'length > bits', to: 'length > 128' },
    { file: NETWORK, from: 'const rest = length & 7', to: 'const rest = length & 3' },
    { file: NETWORK, from: 'network.family === address.family && ', to: '' },
  ],
  check: (input) => {
    const [cidr = '', other = ''] = input.toString('latin1').split(' ');
    const [address, network] = [parseAddress(other), parseNetwork(cidr)];
    const [, base = '', digits] = /^([^/]*)(?:\/([1-9]\d{0,2}))?$/.exec(cidr) ?? [];
    const parsed = parseAddress(base);
    const bits = parsed?.family === 4 ? 32 : 128;
    const before = digits !== undefined && bits === 32 && base.includes(':') ? 96 : 0;
    const length = Number(digits ?? bits) - before;
    assert.equal(network !== undefined, parsed !== undefined && length >= 1 && length <= bits);
    if (!network || !parsed) return;
    const list = new BlockList();
    list.addSubnet(parsed.text, length, parsed.family === 4 ? 'ipv4' : 'ipv6');
    // BlockList also finds an IPv4 address in IPv6 networks around ::ffff:0:0/96.
    if (address?.family === parsed.family) {
      assert.equal(
        contains(network, address),
        list.check(address.text, address.family === 4 ? 'ipv4' : 'ipv6'),
      );
    } else if (address) assert.equal(contains(network, address), false);
    const around = parseNetwork(networkOf(parsed, length));
    assert(around && contains(around, parsed) && contains(network, parsed));
  },
};
