import { Reader, type Response } from 'mmdb-lib';
import { networkOf } from '@workspace/ip-addresses';
import { asnEntries, blocksOf } from './asn-csv.ts';
import { writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';

const blocks = (lines: string[]) => [...asnEntries(lines)].map(([block]) => networkOf(block, block.length));

describe('the blocks of a range', () => {
  it.each([
    ['1.0.0.0,1.0.0.255,1,A', ['1.0.0.0/24']],
    ['1.0.0.1,1.0.0.6,1,A', ['1.0.0.1/32', '1.0.0.2/31', '1.0.0.4/31', '1.0.0.6/32']],
    ['8.8.8.8,8.8.8.8,1,A', ['8.8.8.8/32']],
    ['128.0.0.0,255.255.255.255,1,A', ['128.0.0.0/1']],
    ['2001::,2001::ffff:ffff:ffff:ffff:ffff:ffff,1,A', ['2001::/32']],
    ['2001:200::,2001:200:2ff:ffff:ffff:ffff:ffff:ffff,1,A', ['2001:200::/39', '2001:200:200::/40']],
  ])('%s', (line, expected) => {
    expect(blocks([line])).toEqual(expected);
  });

  it('cover every address once', () => {
    for (const [first, last] of [
      [0n, 0n],
      [3n, 200n],
      [255n, 256n],
      [1n, 2n ** 32n - 2n],
    ] as const) {
      let next = first;
      for (const { bytes, length } of blocksOf({ family: 4, first, last })) {
        expect(BigInt(`0x${Buffer.from(bytes).toString('hex')}`)).toBe(next);
        next += 1n << BigInt(32 - length);
      }
      expect(next).toBe(last + 1n);
    }
  });
});

describe('rows', () => {
  it('of one operator next to each other are one range', () => {
    expect(blocks(['1.0.0.0,1.0.0.127,1,A', '1.0.0.128,1.0.0.255,1,A'])).toEqual(['1.0.0.0/24']);
    expect(blocks(['1.0.0.0,1.0.0.127,1,A', '1.0.0.128,1.0.0.255,2,A'])).toHaveLength(2);
  });

  it('may have commas and quotes in names', () => {
    const entries = [
      ...asnEntries(['1.0.0.0,1.0.0.255,13335,"Cloudflare, ""Inc."""', '2.0.0.0,2.0.0.255,7,']),
    ];
    const reader = new Reader<Response>(writeMmdb({ type: 'ASN', entries }));
    expect(reader.get('1.0.0.9')).toEqual({
      autonomous_system_number: 13335,
      autonomous_system_organization: 'Cloudflare, "Inc."',
    });
    expect(reader.get('2.0.0.9')).toEqual({ autonomous_system_number: 7 });
    expect(reader.get('3.0.0.9')).toBeNull();
  });

  it.each(['FRIT ', ' FRIT', '"FRIT "', '" FRIT"'])('have names without spaces around them: [%s]', (name) => {
    expect([...asnEntries([`1.0.0.0,1.0.0.255,40410,${name}`])]).toEqual([
      [expect.anything(), expect.objectContaining({ autonomous_system_organization: 'FRIT' })],
    ]);
  });

  it('that come later count where rows overlap, as AS721 does from 215.0.0.0', () => {
    const rows = ['214.95.0.0,215.0.255.255,749,A', '215.0.0.0,215.1.3.255,721,B'];
    const reader = new Reader<Response>(writeMmdb({ type: 'ASN', entries: asnEntries(rows) }));
    const found = ['214.95.0.0', '214.255.255.255', '215.0.0.0', '215.0.255.255', '215.1.3.255'].map(
      (address) => reader.get(address),
    );
    expect(found).toMatchObject([749, 749, 721, 721, 721].map((asn) => ({ autonomous_system_number: asn })));
  });

  it.each(['nonsense', '1.0.0.0,2001::,1,A', '1.0.0.9,1.0.0.1,1,A', '1.0.0.0,1.0.0.1,x,A'])(
    'that are something else are an error: %s',
    (line) => {
      expect(() => blocks(['1.0.0.0,1.0.0.0,1,A', line])).toThrow('line 2');
    },
  );
});
