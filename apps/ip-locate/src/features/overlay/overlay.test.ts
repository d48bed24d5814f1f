import fc from 'fast-check';
import { contains, type Network, parseAddress, parseNetwork } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-process';
import { openedOverlay } from './index.ts';
import { MAX_OVERLAY_BYTES, openOverlay } from './overlay-file.ts';
import { timeZoneAt } from '../../adapters/mmdb/time-zone.ts';
import { NetworkMap } from '../../domain/network-map.ts';
import { fixed, MUNICH, testApp } from '../../../test/app.ts';

const CSV = `\ufeffnetwork,city,country,latitude,longitude,timezone,asn,org
# the offices
10.0.0.0/8,"Köln, Deutz",DE,50.94,6.97,,,
10.1.0.0/16,Wien,AT,,,Europe/Vienna,AS64512,"Own ""net"""
80.1.0.0/16,Oslo,NO,59.9,10.7,,,\r

fd00::/8,Bern,CH,,,,64513,
2a00:1::/32,Rome,IT,,,,,
64:ff9b::/96,Paris,FR,,,,,
2002::/16,Lyon,FR,,,,,
2001::/32,Nice,FR,,,,,
`;
const open = (text: string | Buffer) => {
  const modifiedAt = new Date('2026-11-11T12:00:00Z');
  return openOverlay([{ name: 'overlay.csv', bytes: Buffer.from(text), modifiedAt }], { timeZoneAt });
};

describe('an overlay', () => {
  let app: Awaited<ReturnType<typeof testApp>>['app'];
  beforeAll(async () => {
    ({ app } = await testApp({ opened: { overlay: openedOverlay(fixed(await open(CSV))) } }));
  });
  const all = async (ip: string) => {
    const reply = await app.inject(`/${ip}/json/?fields=all,source`);
    return { source: reply.headers['x-location-source'], ...reply.json<Record<string, unknown>>() };
  };

  it('has private ranges, and the longest prefix wins', async () => {
    expect(await all('10.9.9.9')).toMatchObject({
      ip: '10.9.9.9',
      network: '10.0.0.0/8',
      city: 'Köln, Deutz',
      country: 'DE',
      country_name: 'Germany',
      in_eu: true,
      latitude: 50.94,
      timezone: 'Europe/Berlin',
      asn: null,
      source: 'overlay',
    });
    expect(await all('10.1.2.3')).toMatchObject({
      network: '10.1.0.0/16',
      city: 'Wien',
      latitude: null,
      timezone: 'Europe/Vienna',
      asn: 'AS64512',
      org: 'Own "net"',
    });
    expect(await all('fd12::1')).toMatchObject({
      network: 'fd00::/8',
      city: 'Bern',
      asn: 'AS64513',
      org: null,
    });
  });

  it('goes before the database, which still knows the operator', async () => {
    expect(await all(MUNICH)).toMatchObject({ city: 'Oslo', postal: null, asn: 'AS3320', source: 'overlay' });
    expect(await all('80.2.0.1')).toMatchObject({ city: 'Munich', source: 'database' });
    expect(await all('9.9.9.9')).toMatchObject({ city: null, source: null });
    expect(await all('64:ff9b::10.1.2.3')).toMatchObject({ city: 'Wien', network: '64:ff9b::a01:0/112' });
    expect((await app.inject('/172.16.0.1/json/')).statusCode).toBe(400);
  });

  it.each([
    ['64:ff9b::5001:203', 'Oslo', '64:ff9b::5001:0/112'],
    ['64:ff9b::808:808', 'Paris', '64:ff9b::/96'],
    ['2002:a01:203::1', 'Wien', '2002:a01::/32'],
    ['2002:808:808::1', 'Lyon', '2002::/16'],
    ['2001::f7f7:f7f7', 'Nice', '2001::/32'],
    ['2001::affe:fdfc', 'Oslo', '2001::affe:fdfc/128'],
  ])('takes the smallest network of %s as it is written or by its host', async (ip, city, network) => {
    expect(await all(ip)).toMatchObject({ city, network, source: 'overlay' });
  });

  it('is said wherever its data is', async () => {
    const at = async (url: string, remoteAddress = '10.1.2.3') => app.inject({ url, remoteAddress });
    // Through a proxy: 10.0.0.0/8 is trusted, so the caller is one of the overlay's IPv6 addresses.
    for (const url of ['/10.9.9.9/json/', '/10.9.9.9/city/', '/10.9.9.9/csv/', '/10.9.9.9/utc_offset/']) {
      for (let time = 0; time < 3; time++)
        expect((await at(url)).headers['x-location-source']).toBe('overlay');
    }
    for (const url of ['/80.2.0.1/json/', '/80.2.0.1/city/']) {
      expect((await at(url)).headers).not.toHaveProperty('x-location-source');
    }
    expect((await at('/json/', 'fd00::7')).headers['x-location-source']).toBe('overlay');
    expect((await at('/auth?fields=city,source', 'fd00::7')).headers).toMatchObject({
      'x-geo-city': 'Bern',
      'x-geo-source': 'overlay',
    });
    const batch = await app.inject({
      method: 'POST',
      url: '/batch?fields=city,source',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '"10.1.0.0"\n"80.2.0.1"\n',
    });
    expect(batch.body).toBe('{"city":"Wien","source":"overlay"}\n{"city":"Munich","source":"database"}\n');
    expect((await app.inject('/10.1.2.3/json?fields=all')).json()).not.toHaveProperty('source');
  });

  it('has its age in /health', async () => {
    const health = (await app.inject('/health')).json<{ status: string; checks: object }>();
    expect(health).toMatchObject({
      status: 'pass',
      checks: { overlay: [{ status: 'pass', observedValue: 10, observedUnit: 'days', networks: 8 }] },
    });
  });
});

describe('an overlay is rejected as a whole', () => {
  it.each([
    ['', 'the file is empty'],
    ['city\nBonn\n', 'line 1: the first row must name the column network'],
    ['network,town\n', 'line 1: the first row must name the column network'],
    ['network,city,city\n', 'line 1: a column is named twice'],
    ['network,city\n10.0.0.0/8,a,b\n', 'line 2: a row has 2 cells'],
    ['network,city\n10.0.0.0/8,"a"b\n', 'line 2: a row has 2 cells'],
    ['network,city\n10.0.0.0/8,"a\n', 'line 2: a row has 2 cells'],
    ['network\n\n10.0.0.1/8\n', 'line 3: 10.0.0.1/8 has bits beyond its prefix length'],
    ['network\n0.0.0.0/0\n', 'line 2: "0.0.0.0/0" is not a network'],
    ['network\nhere\n', 'line 2: "here" is not a network'],
    [`network\n${'1'.repeat(16_385)}`, 'line 2: a row has 16384 bytes at most'],
    ['network\n10.0.0.0/8\n10.0.0.0/8\n', 'line 3: the network has a row already'],
    ['network,country\n10.0.0.0/8,Germany\n', 'line 2: "Germany" is not a country code'],
    ['network,country\n10.0.0.0/8,de\n', 'line 2: "de" is not a country code'],
    ['network,timezone\n10.0.0.0/8,Berlin\n', 'line 2: "Berlin" is not a time zone'],
    ['network,asn\n10.0.0.0/8,ASX\n', 'line 2: "ASX" is not an autonomous system'],
    ['network,asn\n10.0.0.0/8,4294967296\n', 'line 2: "4294967296" is not an autonomous system'],
    ['network,latitude,longitude\n10.0.0.0/8,91,0\n', 'line 2: latitude and longitude are both numbers'],
    ['network,latitude,longitude\n10.0.0.0/8,1,\n', 'line 2: latitude and longitude are both numbers'],
    ['network,latitude,longitude\n10.0.0.0/8,1e1,0x5\n', 'line 2: latitude and longitude are both numbers'],
    [`network,city\n10.0.0.0/8,${'x'.repeat(201)}\n`, 'line 2: city is longer than 200 characters'],
    [Buffer.from([0x6e, 0xff, 0xfe]), 'the file is not UTF-8'],
    [Buffer.alloc(MAX_OVERLAY_BYTES + 1, '#'), 'the file is larger than 32 MiB'],
    [
      `network\n${Array.from({ length: 200_001 }, (_, i) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`).join('\n')}`,
      'line 200002: an overlay has 200,000 networks at most',
    ],
  ])('%#', async (text, reason) => {
    const error = await open(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnusableFiles);
    expect((error as Error).message).toContain(reason);
  });
});

it('the longest network that contains an address is found among any networks', () => {
  const octet = fc.constantFrom(0, 1, 127, 128, 255);
  const text = fc.oneof(
    fc.array(octet, { minLength: 4, maxLength: 4 }).map((octets) => octets.join('.')),
    fc
      .array(octet, { minLength: 8, maxLength: 8 })
      .map((groups) => groups.map((group) => (group * 257).toString(16)).join(':')),
  );
  const network = fc
    .tuple(text, fc.integer({ min: 1, max: 128 }))
    .map(([address, length]) =>
      parseNetwork(`${address}/${address.includes(':') ? length : 1 + (length % 32)}`),
    )
    .filter((one): one is Network => one !== undefined);
  fc.assert(
    fc.property(
      fc.array(network, { maxLength: 12 }),
      fc.array(text, { minLength: 1, maxLength: 8 }),
      (networks, texts) => {
        const map = new NetworkMap<number>();
        const added = networks.filter((one, at) => map.add(one, at));
        for (const address of texts.map((one) => parseAddress(one)!)) {
          const longest = added
            .filter((one) => contains(one, address))
            .toSorted((a, b) => b.length - a.length)[0];
          expect(map.find(address)).toEqual(
            longest && { value: networks.indexOf(longest), prefixLength: longest.length },
          );
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
