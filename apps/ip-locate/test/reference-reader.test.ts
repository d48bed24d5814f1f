import fc from 'fast-check';
import { asnReaders } from '../src/adapters/mmdb/asn-database.ts';
import { CityFile, openCityDatabase } from '../src/adapters/mmdb/city-database.ts';
import { openMmdb } from '../src/adapters/mmdb/mmdb-file.ts';
import { differenceOf } from '../src/adapters/mmdb/verification.ts';
import { Float, type MmdbValue, Uint } from '../src/adapters/mmdb/mmdb-writer.ts';
import { asnMmdb, cityMmdb, flatMmdb } from './databases.ts';
import { differences } from './networks.ts';

const cityDifferences = (bytes: Buffer) => {
  const file = openMmdb(bytes);
  return differences(file, new CityFile(file).readers());
};
const open = (bytes: Buffer) => openCityDatabase([{ name: 'City.mmdb', bytes }]);

describe('MaxMind’s own library and this service', () => {
  it.each([
    ['in MaxMind’s shape', cityMmdb(), 500],
    ['of an Enterprise database', cityMmdb({ type: 'GeoIP2-Enterprise' }), 500],
    ['in a flat file', flatMmdb(4), 8],
    ['in a flat file with coordinates as texts', flatMmdb(6, 'texts'), 16],
  ])('read the same in every network %s', (_name, bytes, atLeast) => {
    const { networks, found } = cityDifferences(bytes);
    expect(found).toEqual([]);
    expect(networks).toBeGreaterThan(atLeast);
  });

  it.each([
    asnMmdb(),
    Buffer.from(asnMmdb().toString('latin1').replace('GeoLite2-ASN', 'GeoIP-ISP-12'), 'latin1'),
  ])('read the same operators', (bytes) => {
    const file = openMmdb(bytes);
    expect(differences(file, asnReaders(file), ['en']).found).toEqual([]);
  });

  it('read the same in every network of any file', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'x'.repeat(300)));
    const odd = fc.oneof(
      text,
      fc.double(),
      fc.boolean(),
      fc.nat().map((value) => new Uint(value)),
    );
    const number = fc.oneof(
      fc.double(),
      fc.float().map((value) => new Float(value)),
      fc.nat(0xffff).map((value) => new Uint(value, 16)),
      odd,
    );
    const names = fc.dictionary(fc.constantFrom('en', 'de', 'ja', 'pt-BR', 'zh-CN', 'xx'), odd, {
      noNullPrototype: true,
    });
    const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
      fc.record(members, { requiredKeys: [], noNullPrototype: true });
    const place = some({ names, iso_code: odd, code: odd, geoname_id: number, is_in_european_union: odd });
    const entry = some({
      city: place,
      continent: place,
      country: place,
      location: some({ accuracy_radius: number, latitude: number, longitude: number, time_zone: odd }),
      postal: place,
      registered_country: place,
      subdivisions: fc.array(place, { maxLength: 3 }),
      traits: some({ is_anycast: odd, user_count: number }),
    });
    const network = fc
      .oneof(
        fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 })),
        fc.tuple(fc.ipV6(), fc.integer({ min: 1, max: 128 })),
      )
      .filter(([address]) => !address.endsWith('.0.0.0'))
      .map(([address, length]) => `${address}/${length}`);
    const entries = fc.array(fc.tuple(network, entry as fc.Arbitrary<MmdbValue>), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(entries, fc.constantFrom(24 as const, 28 as const, 32 as const), (all, recordSize) => {
        expect(cityDifferences(cityMmdb({ recordSize, entries: all })).found).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['country', { country: { isoCode: 'DE' } }],
    ['inEu', { country: { is_in__european_union: true } }],
    ['timezone', { location: { time__zone: 'Europe/Berlin', latitude: 48, longitude: 11 } }],
  ])('a file in which they read another %s is rejected, and the reason says where', async (what, entry) => {
    const entries: [string, MmdbValue][] = [
      ['80.0.0.0/8', { city: { names: { en: 'Munich' } } }],
      ['81.7.0.0/16', entry],
    ];
    await expect(open(cityMmdb({ entries }))).rejects.toThrow(
      `MaxMind's own library reads another "${what}" at 81.7.0.0/16 than this service`,
    );
  });

  it('differ in whatever one of them does not say', () => {
    const own = { facts: { city: 'Munich', region: '', latitude: 48 }, prefixLength: 8 };
    const change = (facts: object, prefixLength = 8) =>
      differenceOf(own, { facts: { ...own.facts, ...facts }, prefixLength });
    expect(change({ region: undefined, postal: {} })).toBeUndefined();
    expect([change({ city: 'Bonn' }), change({ postal: '80331' }), change({ latitude: NaN })]).toEqual([
      'city',
      'postal',
      'latitude',
    ]);
    expect([change({}, 9), differenceOf(own, undefined)]).toEqual(['network', 'entry']);
  });
});
