import { parseAddress } from '@workspace/ip-addresses';
import { readConfig, UnusableFiles } from '@workspace/service-process';
import fc from 'fast-check';
import { writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';
import { CityFile, openCityDatabase } from '../src/adapters/mmdb/city-database.ts';
import { ofOneModel, openFurtherDatabase } from '../src/adapters/mmdb/further-database.ts';
import { openMmdb } from '../src/adapters/mmdb/mmdb-file.ts';
import { networkReaders } from '../src/adapters/mmdb/network-database.ts';
import { openedOverlay } from '../src/features/overlay/index.ts';
import { openOverlay } from '../src/features/overlay/overlay-file.ts';
import { createLocate, FULL } from '../src/application/locate.ts';
import type { FurtherDatabase, LocationDatabase } from '../src/application/location-database.ts';
import { Config, configViolations } from '../src/config.ts';
import { parseDatabaseList } from '../src/domain/database-list.ts';
import { UNKNOWN_LOCATION } from '../src/domain/location.ts';
import { damaged } from './damage.ts';
import { fixed, openCity, testApp } from './app.ts';
import { cityMmdb, countryMmdb, EPOCH, networkMmdb, NOW } from './databases.ts';
import { differences } from './networks.ts';

const open = (bytes: Buffer, name = 'further.mmdb') => openFurtherDatabase([{ name, bytes }]);
const further = async (...files: readonly Buffer[]) =>
  Promise.all(files.map(async (bytes) => fixed(await open(bytes))));

describe('a database of countries', () => {
  it.each([
    'GeoLite2-Country',
    'GeoIP2-Country',
    'GeoIP2-Country-Shield',
    'DBIP-Country-Lite',
    'DBIP-Country',
  ])('of type %s serves instead of one of cities', async (type) => {
    const locations = fixed(await openCityDatabase([{ name: 'x', bytes: countryMmdb(type) }]));
    const { app } = await testApp({ locations });
    const reply = await app.inject('/90.1.2.3/json/?fields=all&lang=de');
    expect(reply.json()).toMatchObject({
      network: '90.0.0.0/8',
      city: null,
      region: null,
      country: 'AT',
      country_name: 'Austria (de)',
      country_capital: 'Vienna',
      continent_code: 'EU',
      in_eu: true,
      latitude: null,
      latlong: null,
      timezone: null,
      utc_offset: null,
    });
    expect((await app.inject('/2a01::1/country/')).body).toBe('AT');
    expect((await app.inject('/91.1.2.3/country/')).body).toBe('None');
    expect((await app.inject('/health')).json()).toMatchObject({
      status: 'pass',
      checks: { 'database:city': [{ types: [type] }] },
    });
  });

  it('of ip-location-db, one file per address family, has nothing but the code', async () => {
    const flat = (family: 4 | 6) => ({
      name: `geolite2-country-ipv${family}.mmdb`,
      bytes: writeMmdb({
        type: `country ipv${family}`,
        ipVersion: family,
        epoch: EPOCH,
        languages: [],
        entries: [[family === 4 ? '80.0.0.0/8' : '2a00::/16', { country_code: 'DE' }]],
      }),
    });
    const database = await openCityDatabase([flat(4), flat(6)]);
    expect(database.info).toMatchObject({ provider: 'geolite', types: ['country ipv4', 'country ipv6'] });
    for (const ip of ['80.1.2.3', '2a00::1']) {
      const { location } = database.find(parseAddress(ip)!, 'en');
      expect(location).toMatchObject({ country: 'DE', countryName: 'Germany', inEu: true, city: null });
    }
  });

  it('of ip-location-db, one file for both address families', async () => {
    const bytes = writeMmdb({
      type: 'country ipvAll',
      epoch: EPOCH,
      languages: [],
      entries: [
        ['80.0.0.0/8', { country_code: 'DE' }],
        ['2a00::/16', { country_code: 'AT' }],
      ],
    });
    const database = await openCityDatabase([{ name: 'geolite2-country.mmdb', bytes }]);
    const countries = ['80.1.2.3', '2a00::1'].map(
      (ip) => database.find(parseAddress(ip)!, 'en').location.country,
    );
    expect(countries).toEqual(['DE', 'AT']);
    await expect(
      openCityDatabase([
        { name: 'a', bytes },
        { name: 'b', bytes },
      ]),
    ).rejects.toThrow('two files for IPv4');
  });
});

const readersOf = (bytes: Buffer) => networkReaders(openMmdb(bytes));

it.each([
  ['countries', countryMmdb(), (bytes: Buffer) => new CityFile(openMmdb(bytes)).readers()],
  ['connection types', networkMmdb('Connection-Type', 'Cable/DSL'), readersOf],
  ['domains', networkMmdb('Domain', 'example.com'), readersOf],
  ['odd domains', networkMmdb('Domain', { en: 'example.com' }), readersOf],
])('both readers read the same in every network of a file of %s', (_type, bytes, readers) => {
  const { networks, found } = differences(openMmdb(bytes), readers(bytes));
  expect(found).toEqual([]);
  expect(networks).toBeGreaterThan(4);
});

describe('a database that stands behind the first one', () => {
  const EMPTY = '50.0.1.0/24';

  it('says where an address is that the first one knows nothing of, and only there', async () => {
    const first = cityMmdb({
      entries: [
        ['80.0.0.0/8', { country: { iso_code: 'CH' } }],
        ['90.1.0.0/16', { traits: { is_anycast: true }, continent: { code: 'EU' } }],
        ['90.2.0.0/16', { location: { latitude: 0, longitude: 0 } }],
        [EMPTY, { continent: { code: 'AS' } }],
      ],
    });
    const { app } = await testApp({
      locations: fixed(await openCity(first)),
      further: await further(countryMmdb()),
    });
    const ask = async (ip: string) =>
      (await app.inject(`/${ip}/json/?fields=country,network,continent_code`)).json();
    // Not in the first one; in it, without a place; with coordinates only; with a country.
    expect(await ask('90.9.9.9')).toEqual({ country: 'AT', network: '90.0.0.0/8', continent_code: 'EU' });
    expect(await ask('90.1.9.9')).toMatchObject({ country: 'AT' });
    expect(await ask('90.2.9.9')).toMatchObject({ country: null, network: '90.2.0.0/16' });
    expect(await ask('80.1.2.3')).toMatchObject({ country: 'CH' });
    // The second one does not know it either: what the first one has stays.
    expect(await ask('50.0.1.1')).toEqual({ country: null, network: EMPTY, continent_code: 'AS' });
    expect(await ask('64:ff9b::5a09:909')).toMatchObject({ country: 'AT', network: '64:ff9b::5a00:0/104' });
    expect((await app.inject('/10.0.0.1/json/')).statusCode).toBe(400);
  });

  it('tells connection types and domains, whatever says where the address is', async () => {
    const bytes = Buffer.from('network,city\n80.1.0.0/16,Oslo\n');
    const { app } = await testApp({
      further: await further(
        networkMmdb('Domain', 'first.example'),
        networkMmdb('Connection-Type', 'Cellular'),
        networkMmdb('Domain', 'second.example'),
      ),
      opened: { overlay: openedOverlay(fixed(await openOverlay([{ name: 'overlay.csv', bytes }]))) },
    });
    const ask = async (ip: string) =>
      (await app.inject(`/${ip}/json/?fields=city,connection_type,domain`)).json<object>();
    expect(await ask('80.2.2.3')).toEqual({
      city: 'Munich',
      connection_type: 'Cellular',
      domain: 'first.example',
    });
    expect(await ask('80.1.2.3')).toMatchObject({ city: 'Oslo', connection_type: 'Cellular' });
    expect(await ask('81.1.2.3')).toMatchObject({ connection_type: null, domain: null });
    expect((await app.inject('/80.1.2.3/domain/')).body).toBe('first.example');
    const auth = await app.inject({ url: '/auth?fields=domain', remoteAddress: '80.1.2.3' });
    expect(auth.headers['x-geo-domain']).toBe('first.example');
    expect(Object.keys((await app.inject('/80.1.2.3/json/?fields=all')).json())).not.toContain('domain');
  });

  it('is never asked when the first one knows the address; without one, nothing changes', async () => {
    const find = jest.fn<ReturnType<LocationDatabase['find']>, Parameters<LocationDatabase['find']>>();
    const { info } = await open(countryMmdb());
    const { app } = await testApp({ further: [fixed<FurtherDatabase>({ info, find })] });
    await app.inject('/80.1.2.3/json/?fields=all');
    expect(find).not.toHaveBeenCalled();
    find.mockReturnValue({ location: UNKNOWN_LOCATION, prefixLength: null });
    expect((await app.inject('/99.1.2.3/json/')).json()).toMatchObject({ country: null });
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('that is missing makes /health warn, and no lookup fails', async () => {
    const { app } = await testApp({ further: [fixed<FurtherDatabase>(undefined)] });
    expect((await app.inject('/80.1.2.3/json/?fields=city,domain')).json()).toEqual({
      city: 'Munich',
      domain: null,
    });
    expect((await app.inject('/90.1.2.3/city/')).statusCode).toBe(200);
    const health = await app.inject('/health');
    expect([health.statusCode, health.json()]).toMatchObject([
      200,
      {
        status: 'warn',
        checks: {
          'database:city': [{ status: 'pass' }],
          'database:2': [{ status: 'warn', output: 'the file does not exist' }],
        },
      },
    ]);
  });

  it('is credited', async () => {
    const locations = fixed(await openCity(cityMmdb({ type: 'GeoIP2-City' })));
    const { app } = await testApp({ locations, further: await further(countryMmdb('DBIP-Country-Lite')) });
    expect((await app.inject('/80.1.2.3/json/')).headers['link']).toContain(
      '<https://db-ip.com>; rel="license"',
    );
    const index = await app.inject({
      url: '/',
      headers: { accept: 'application/json' },
      remoteAddress: '80.1.2.3',
    });
    expect(index.json()).toMatchObject({
      attributions: [{ url: 'https://www.maxmind.com/' }, { url: 'https://db-ip.com' }],
    });
    const page = await app.inject({ url: '/?ip=80.1.2.3', headers: { accept: 'text/html' } });
    expect(page.body).toContain('https://db-ip.com');
  });

  it.each([
    ['damaged countries', damaged.zeroedData(countryMmdb()), 'the entries are damaged'],
    ['damaged domains', damaged.zeroedData(networkMmdb('Domain', 'example.com')), 'the entries are damaged'],
  ])('is not %s', async (_name, bytes, reason) => {
    const error = await open(bytes).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnusableFiles);
    expect((error as Error).message).toContain(reason);
  });

  it('of domains is one file', async () => {
    const bytes = networkMmdb('Domain', 'example.com');
    const files = [
      { name: 'a', bytes },
      { name: 'b', bytes },
    ];
    await expect(openFurtherDatabase(files)).rejects.toThrow('is one file');
  });

  it('the place is that of the first database that knows one, whatever the others have', () => {
    const place = fc.constantFrom(null, 'nothing', 'country', 'city', 'point');
    const located = (at: number, what: string | null) => ({
      location: {
        ...UNKNOWN_LOCATION,
        timezone: `Zone/${at}`,
        ...(what === 'country' && { country: `C${at}` }),
        ...(what === 'city' && { city: `City ${at}` }),
        ...(what === 'point' && { latitude: at, longitude: at }),
      },
      prefixLength: what === null ? null : 8,
    });
    fc.assert(
      fc.property(
        fc.array(fc.option(place, { nil: undefined }), { maxLength: 5 }),
        place,
        (others, first) => {
          const info = { types: [], provider: 'other', builtAt: null, fingerprint: '' } as const;
          const locate = createLocate({
            locations: { current: { info, find: () => located(0, first) } },
            further: others.map((what, at) => ({
              current: what === undefined ? undefined : { info, find: () => located(at + 1, what) },
            })),
          });
          const all = [first, ...others];
          const knows = all.findIndex((what) => what !== undefined && what !== null && what !== 'nothing');
          const found = locate(parseAddress('80.1.2.3')!, 'en', NOW, FULL).location;
          expect(found.timezone).toBe(`Zone/${Math.max(knows, 0)}`);
        },
      ),
    );
  });
});

it('a file of countries does not take the place of one of cities', async () => {
  const once = ofOneModel((files) => openCityDatabase(files));
  await once([{ name: 'a', bytes: cityMmdb() }]);
  await once([{ name: 'a', bytes: cityMmdb({ type: 'GeoIP2-Enterprise' }) }]);
  await expect(once([{ name: 'a', bytes: countryMmdb() }])).rejects.toThrow(
    'a database of type "GeoLite2-Country" in the place of a city database',
  );
});

it.each([
  [undefined, [[]]],
  ['city.mmdb', [['city.mmdb']]],
  ['v4.mmdb, v6.mmdb', [['v4.mmdb', 'v6.mmdb']]],
  ['v4.mmdb,v6.mmdb; country.mmdb ;domain.mmdb', [['v4.mmdb', 'v6.mmdb'], ['country.mmdb'], ['domain.mmdb']]],
  [';domain.mmdb', [[], ['domain.mmdb']]],
])('DATABASE_PATH=%s', (text, files) => {
  expect(parseDatabaseList(text)).toEqual(files);
});

it.each([
  ['city.mmdb;', false],
  ['city.mmdb;;domain.mmdb', false],
  [';', false],
  [';domain.mmdb', true],
  ['city.mmdb', true],
])('DATABASE_PATH=%s is valid: %s', (path, valid) => {
  const read = () => readConfig(Config, { DATABASE_PATH: path }, (config) => configViolations(config));
  if (valid) expect(read).not.toThrow();
  else expect(read).toThrow('DATABASE_PATH has nothing after a semicolon');
});
