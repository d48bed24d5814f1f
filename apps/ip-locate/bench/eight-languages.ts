import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createRandom } from '../src/adapters/mmdb/sample-addresses.ts';
import { type MmdbValue, Uint, writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';

/**
 * Writes a file like MaxMind's GeoLite2-City, which may not be distributed: 150,000 locations with names in eight
 * languages, countries and regions shared by pointers, a million networks. Written once, into a folder that git ignores.
 */
const PLACES = 150_000;
const REGIONS = 4_000;
const COUNTRIES = 250;
/**
 * Networks are spread over locations as unevenly as in the bundled data: of 100,000 random addresses, seven in ten lead to
 * a record that an earlier one led to.
 */
const UNEVENNESS = 9;

export const eightLanguages = (path: string): void => {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  const random = createRandom();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() ** UNEVENNESS * list.length)] as T;
  const continent = { code: 'EU', geoname_id: new Uint(6_255_148), names: names('Continent') };
  const countries = Array.from({ length: COUNTRIES }, (_, i) => ({
    geoname_id: new Uint(1_000_000 + i),
    iso_code: String.fromCharCode(65 + (i % 26)) + String.fromCharCode(65 + Math.floor(i / 26)),
    is_in_european_union: i % 9 === 0,
    names: names(`Country ${i}`),
  }));
  const regions = Array.from({ length: REGIONS }, (_, i) => [
    { geoname_id: new Uint(2_000_000 + i), iso_code: `R${i % 90}`, names: names(`Region ${i}`) },
  ]);
  const places = Array.from({ length: PLACES }, (_, i): MmdbValue => {
    const country = pick(countries);
    return {
      city: { geoname_id: new Uint(3_000_000 + i), names: names(`Place ${i}`) },
      continent,
      country,
      location: {
        accuracy_radius: new Uint(1 + (i % 1000), 16),
        latitude: random() * 140 - 60,
        longitude: random() * 360 - 180,
        time_zone: `Europe/Zone_${i % 400}`,
      },
      postal: { code: String(10_000 + (i % 90_000)) },
      registered_country: country,
      subdivisions: pick(regions),
    };
  });
  function* entries(): Generator<[string, MmdbValue]> {
    for (let net = 1 << 12; net < 224 << 12; net++) {
      yield [`${net >> 12}.${(net >> 4) & 255}.${(net & 15) << 4}.0/20`, pick(places)];
    }
    for (let net = 0; net < 1 << 16; net++) {
      yield [`2a0${(net >> 12).toString(16)}:${(net & 0xfff).toString(16)}0::/28`, pick(places)];
    }
  }
  const languages = ['de', 'en', 'es', 'fr', 'ja', 'pt-BR', 'ru', 'zh-CN'];
  writeFileSync(path, writeMmdb({ type: 'GeoLite2-City', languages, entries: entries() }));
};

/** Names as long as real ones, in the scripts of their languages. */
const names = (name: string) => ({
  de: `${name} am See`,
  en: name,
  es: `${name} de la Sierra`,
  fr: `${name}-sur-Mer`,
  ja: `${name}市`,
  'pt-BR': `${name} do Sul`,
  ru: `${name} город`,
  'zh-CN': `${name}城`,
});
