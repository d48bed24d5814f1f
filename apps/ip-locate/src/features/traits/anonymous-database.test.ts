import fc from 'fast-check';
import { contains, type Network, parseAddress, parseNetwork } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-process';
import { AnonymousFile, openAnonymousDatabase } from './anonymous-database.ts';
import { writeTraitsDatabase } from './update.ts';
import { openMmdb } from '../../adapters/mmdb/mmdb-file.ts';
import type { MmdbValue } from '../../adapters/mmdb/mmdb-writer.ts';
import { type AddressTraits, UNKNOWN_TRAITS } from '../../domain/address-traits.ts';
import { ANONYMOUS_TRAITS, LIST_TRAITS, type ListTrait, type TraitList } from './traits-of-lists.ts';
import { anonymousMmdb, asnMmdb, NOW } from '../../../test/databases.ts';
import { differences } from '../../../test/networks.ts';

const open = (...files: Buffer[]) =>
  openAnonymousDatabase(files.map((bytes, at) => ({ name: `${at}.mmdb`, bytes })));
const address = (text: string) => parseAddress(text)!;
const NONE_OF_MAXMIND = {
  is_anonymous: false,
  is_anonymous_vpn: false,
  is_hosting_provider: false,
  is_public_proxy: false,
  is_residential_proxy: false,
  is_tor_exit_node: false,
  is_anycast: null,
  is_bot: null,
};
const disagreements = (bytes: Buffer) => {
  const file = openMmdb(bytes);
  return differences(file, new AnonymousFile(file).readers(), ['en']).found;
};

describe('a database of traits', () => {
  it('of MaxMind says false of what an entry leaves out, and nothing of addresses without an entry', async () => {
    const { info, find } = await open(anonymousMmdb());
    expect(info).toMatchObject({ types: ['GeoIP2-Anonymous-IP'], provider: 'geoip' });
    expect(find(address('80.3.0.1'))).toEqual(NONE_OF_MAXMIND);
    expect(find(address('80.1.0.1'))).toEqual({
      ...NONE_OF_MAXMIND,
      is_anonymous: true,
      is_hosting_provider: true,
    });
    expect(find(address('2a00:1::7'))).toMatchObject({ is_residential_proxy: true, is_anonymous_vpn: false });
    expect([find(address('81.0.0.1')), find(address('2a01::1'))]).toEqual([UNKNOWN_TRAITS, UNKNOWN_TRAITS]);
  });

  it('may be several: true goes before false, and false before unknown', async () => {
    const lists = writeTraitsDatabase(
      [
        { trait: 'tor', networks: [parseNetwork('80.1.0.7')!] },
        { trait: 'bot', networks: [parseNetwork('81.0.0.0/24')!] },
      ],
      { complete: ['tor'], builtAt: new Date(0) },
    );
    for (const files of [
      [anonymousMmdb(), lists],
      [lists, anonymousMmdb()],
    ]) {
      const { find } = await open(...files);
      expect(find(address('80.1.0.7'))).toMatchObject({ is_hosting_provider: true, is_tor_exit_node: true });
      expect(find(address('80.2.0.1'))).toMatchObject({ is_tor_exit_node: true, is_bot: null });
      expect(find(address('81.0.0.1'))).toEqual({ ...UNKNOWN_TRAITS, is_tor_exit_node: false, is_bot: true });
    }
  });

  it.each([
    ['of operators', asnMmdb(), '"GeoLite2-ASN" does not say what addresses are used for'],
    ['without entries', anonymousMmdb({ entries: [] }), 'the database is empty'],
    ['cut in half', anonymousMmdb().subarray(0, 300), 'not a MaxMind-format database'],
    [
      'whose entries are no maps',
      anonymousMmdb({ entries: [['80.1.0.0/16', 'hosting']] }),
      'entries are damaged',
    ],
    [
      'whose flag is a text',
      anonymousMmdb({ entries: [['80.1.0.0/16', { is_tor_exit_node: 'no' }]] }),
      'reads another "is_tor_exit_node" at 80.1.0.0/16',
    ],
  ])('%s is rejected', async (_, bytes, reason) => {
    const rejected = open(bytes);
    await expect(rejected).rejects.toThrow(UnusableFiles);
    await expect(rejected).rejects.toThrow(reason);
  });

  it.each(['GeoIP2-Anonymous-IP', 'GeoIP-Anonymous-Plus', 'ip-locate-Anonymous-IP'])(
    'of type %s reads as MaxMind’s own library reads it, whatever is in it',
    (type) => {
      const flag = fc.oneof({ weight: 5, arbitrary: fc.boolean() }, fc.constant(''));
      const entry = fc.record(Object.fromEntries(Object.values(LIST_TRAITS).map((name) => [name, flag])), {
        requiredKeys: [],
        noNullPrototype: true,
      });
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.nat(255), entry), { minLength: 1, maxLength: 6 }), (all) => {
          const entries = all.map(([octet, value]): [string, MmdbValue] => [
            `80.${octet}.0.0/16`,
            value as MmdbValue,
          ]);
          expect(disagreements(anonymousMmdb({ type, entries }))).toEqual([]);
        }),
        { numRuns: 30 },
      );
    },
  );
});

describe('a database made of lists', () => {
  const TRAITS = Object.keys(LIST_TRAITS) as ListTrait[];
  // Few octets, so that networks contain each other.
  const octet = fc.constantFrom(0, 1, 128);
  const v4 = fc
    .tuple(fc.constantFrom(80, 81), octet, octet, octet, fc.integer({ min: 8, max: 32 }))
    .map(([a, b, c, d, length]) => parseNetwork(`${a}.${b}.${c}.${d}/${length}`)!);
  const v6 = fc
    .tuple(octet, octet, fc.integer({ min: 16, max: 128 }))
    .map(([a, b, length]) => parseNetwork(`2a00:${a}::${b}/${length}`)!);
  const lists = fc.array(
    fc.record({ trait: fc.constantFrom(...TRAITS), networks: fc.array(fc.oneof(v4, v6), { maxLength: 6 }) }),
    { minLength: 1, maxLength: 4 },
  );
  const addresses = fc.array(
    fc.oneof(
      v4.map(({ bytes }) => address(bytes.join('.'))),
      fc.constantFrom('2a00::1', '2a00:1::', '2a00:80::80', '9.9.9.9', '2a01::').map(address),
    ),
    { minLength: 1, maxLength: 8 },
  );

  /** What the lists say of an address, looked up one by one. */
  const expected = (
    all: readonly TraitList[],
    complete: readonly ListTrait[],
    ip: ReturnType<typeof address>,
  ) => {
    const listed = (trait: ListTrait) =>
      all.some(
        (list) => list.trait === trait && list.networks.some((network: Network) => contains(network, ip)),
      );
    const traits: Record<string, boolean | null> = { ...UNKNOWN_TRAITS };
    for (const trait of TRAITS) {
      if (listed(trait)) traits[LIST_TRAITS[trait]] = true;
      else if (complete.includes(trait)) traits[LIST_TRAITS[trait]] = false;
    }
    if (ANONYMOUS_TRAITS.some(listed)) traits['is_anonymous'] = true;
    else if (ANONYMOUS_TRAITS.every((trait) => complete.includes(trait))) traits['is_anonymous'] = false;
    return traits as AddressTraits;
  };

  it('says of every address what the lists say, and MaxMind’s library reads the same', () => {
    fc.assert(
      fc.property(lists, fc.subarray(TRAITS), addresses, (all, complete, ips) => {
        const bytes = writeTraitsDatabase(all, { complete, builtAt: NOW });
        const file = new AnonymousFile(openMmdb(bytes));
        for (const ip of ips) expect(file.find(ip)).toEqual(expected(all, complete, ip));
        expect(disagreements(bytes)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
