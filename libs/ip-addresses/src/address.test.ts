import { isIP } from 'node:net';
import fc from 'fast-check';
import { Address4, Address6 } from 'ip-address';
import { parseAddress } from './address.ts';

const text = (spelling: string) => parseAddress(spelling)?.text;

describe('parseAddress', () => {
  it.each([
    ['8.8.8.8', '8.8.8.8'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:4860:4860::8888', '2001:4860:4860::8888'],
    ['2001:4860:4860:0:0:0:0:8888', '2001:4860:4860::8888'],
    ['2001:DB8::A', '2001:db8::a'],
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:db8:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1::', '1::'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['::FFFF:808:808', '8.8.8.8'],
    ['::ff00:808:808', '::ff00:808:808'],
    ['::1:ffff:808:808', '::1:ffff:808:808'],
    ['0000:0000:0000:0000:0000:ffff:255.255.255.255', '255.255.255.255'],
    ['::8.8.8.8', '::808:808'],
    ['64:ff9b::8.8.8.8', '64:ff9b::808:808'],
  ])('parses %s as %s', (spelling, canonical) => {
    expect(text(spelling)).toBe(canonical);
  });

  it.each([
    ...['', ' 8.8.8.8', '8.8.8.8\n', '8.8.8', '010.8.8.8', '134744072', '0x08080808', '８.8.8.8'],
    ...[
      '8.8.8.256',
      '8.8.8.',
      '8.8.8.8.8',
      '8..8.8',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8.8.8.8',
      '1:2:3:4:5:6:7:',
    ],
    ...[
      '8.8.8.8/32',
      '[::1]',
      '::1%eth0',
      '::1::',
      '::G',
      '::@',
      '::g',
      '1:2:3:4:5:6:7:8::',
      '::ffff:08.8.8.8',
      'a'.repeat(10_000),
    ],
  ])('rejects %j', (spelling) => {
    expect(parseAddress(spelling)).toBeUndefined();
  });

  it('accepts exactly what Node accepts, except zone ids', () => {
    const almost = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefF:.%'), maxLength: 46 }),
      fc
        .tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(44), fc.constantFrom(...'0:.%fg'))
        .map(([address, at, extra]) => address.slice(0, at) + extra + address.slice(at)),
    );
    fc.assert(
      fc.property(almost, (spelling) => {
        const valid = isIP(spelling) !== 0 && !spelling.includes('%');
        expect(parseAddress(spelling) !== undefined).toBe(valid);
      }),
      { numRuns: 3_000 },
    );
  });

  it('formats as the ip-address package does, and parses the result to the same octets', () => {
    const octets = (size: number) =>
      fc.array(fc.oneof(fc.constant(0), fc.nat(255)), { minLength: size, maxLength: size });
    fc.assert(
      fc.property(octets(16), (bytes) => {
        const oracle = Address6.fromByteArray(bytes);
        const parsed = parseAddress(oracle.canonicalForm());
        const mapped = bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
        fc.pre(!mapped);
        expect(parsed?.text).toBe(oracle.correctForm());
        expect([...(parsed?.bytes ?? [])]).toEqual(bytes);
        expect(parseAddress(parsed?.text ?? '')).toEqual(parsed);
      }),
      { numRuns: 3_000 },
    );
    fc.assert(
      fc.property(octets(4), (bytes) => {
        const quad = Address4.fromByteArray(bytes).correctForm();
        expect(parseAddress(quad)?.text).toBe(quad);
        expect(parseAddress(`::ffff:${quad}`)).toEqual(parseAddress(quad));
      }),
      { numRuns: 2_000 },
    );
  });
});
