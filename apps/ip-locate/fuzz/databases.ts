import assert from 'node:assert/strict';
import { Reader, type Response } from 'mmdb-lib';
import { UnusableFiles } from '@workspace/service-process';
import { parseAddress } from '@workspace/ip-addresses';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { Float, type MmdbValue, Uint, writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';
import { EntryLocation } from '../src/domain/entry-location.ts';
import { DataSection, select } from '../src/adapters/mmdb/data-section.ts';
import { openMmdb } from '../src/adapters/mmdb/mmdb-file.ts';
import { cityShape } from '../src/adapters/mmdb/entry-shapes.ts';
import { timeZoneAt } from '../src/adapters/mmdb/time-zone.ts';
import { munich, odd } from '../test/databases.ts';

const MMDB = 'apps/ip-locate/src/adapters/mmdb';
const RECORDED = 'apps/ip-locate/src/domain/entry-location.ts';
/** Of a file with one node of 24 bits a side. */
const NODE_BYTES = 6;
const SEPARATOR_BYTES = 16;
const ADDRESSES = ['1.1.1.1', '80.1.2.3', '200.0.0.1', '::', '2a00::1', 'ffff::'].map((text) =>
  parseAddress(text)!,
);
const WANTED = select({
  a: true,
  b: true,
  city: { names: { en: true } },
  location: { latitude: true, longitude: true },
  subdivisions: { iso_code: true },
});

/** Of what mmdb-lib decodes, what `WANTED` selects, as far as it is a string, a number or a boolean where one is wanted. */
const wanted = (entry: unknown, selection: typeof WANTED): unknown => {
  if (Array.isArray(entry)) return entry.length === 0 ? [] : [wanted(entry[0], selection)];
  // Bytes are an object, too.
  if (typeof entry !== 'object' || entry === null || Buffer.isBuffer(entry)) return undefined;
  const members = Object.entries(entry).flatMap(([name, value]) => {
    const member = selection.find((one) => one.name === name);
    if (!member) return [];
    const isScalar = ['string', 'number', 'boolean'].includes(typeof value);
    if (!member.selection) return [[name, isScalar ? value : undefined]];
    return [[name, wanted(value, member.selection)]];
  });
  return Object.fromEntries(members);
};

const small = (recordSize: 24 | 28 | 32, ipVersion: 4 | 6): Buffer =>
  writeMmdb({
    type: 'T City',
    recordSize,
    ipVersion,
    description: '',
    languages: [],
    entries: [
      [
        '80.0.0.0/2',
        {
          a: 'A text of more than 28 bytes, é.',
          b: new Uint(7),
          location: { latitude: 48.1, longitude: new Float(11.5) },
        },
      ],
      [
        '0.0.0.0/1',
        {
          city: { names: { en: 'x' } },
          subdivisions: [{ iso_code: 'BY' }, { iso_code: 'B' }],
          a: true,
          location: [],
        },
      ],
    ],
  });

const SEEDS = [
  small(24, 4),
  small(28, 6),
  small(32, 4),
  writeMmdb({ type: 'GeoLite2-City', ipVersion: 4, entries: [['80.0.0.0/8', munich]] }),
];

/** Finds with one reader; undefined when it rejects the data. */
const attempt = <T>(find: () => T): { found: T } | undefined => {
  try {
    return { found: find() };
  } catch (error) {
    if (error instanceof UnusableFiles || error instanceof RangeError || error instanceof TypeError)
      return undefined;
    throw error;
  }
};
/** mmdb-lib throws errors of any kind. */
const attemptReference = <T>(find: () => T): { found: T } | undefined => {
  try {
    return { found: find() };
  } catch {
    return undefined;
  }
};

export const entries: FuzzTarget = {
  name: 'entries',
  property:
    'whatever bytes a file has, it is rejected as unusable, or an address has the entry that mmdb-lib finds',
  seeds: SEEDS,
  dictionary: ['MaxMind.com', '\u0000', 'node_count', 'record_size', 'ip_version'],
  mostBytes: 1_500,
  branchesPerByte: 1_000,
  planted: [
    { file: `${MMDB}/search-tree.ts`, from: 'right ? at + 3 : at', to: 'right ? at + 2 : at' },
    { file: `${MMDB}/data-section.ts`, from: 'if (size === 0) return [];', to: '' },
    { file: `${MMDB}/data-section.ts`, from: 'this.#size = 29 + this', to: 'this.#size = 28 + this' },
    { file: `${MMDB}/data-section.ts`, from: 'next ?? end', to: 'end' },
  ],
  check: (input) => {
    const file = attempt(() => openMmdb(input));
    if (!file) return;
    const { tree, read, ipVersion } = file.found;
    const reader = new Reader<Response>(input);
    const readable = ADDRESSES.filter(({ family }) => family === 4 || ipVersion === 6);
    for (const { bytes, text } of readable) {
      const pointer = attempt(() => tree.find(bytes));
      const ours = pointer?.found && attempt(() => read(pointer.found!.entry, WANTED));
      const reference = attemptReference(() => reader.getWithPrefixLength(text));
      if (!reference) continue;
      const [entry, prefixLength] = reference.found;
      if (pointer && !pointer.found) {
        assert.equal(entry, null);
        continue;
      }
      // mmdb-lib also reads damaged data, before the data section for example.
      assert(ours || !SEEDS.some((seed) => seed.equals(input)), `${text} cannot be read`);
      if (!entry || !ours) continue;
      assert.deepEqual(ours.found, wanted(entry, WANTED));
      assert.equal(pointer!.found?.prefixLength, prefixLength);
    }
  },
};

const TEXTS = [
  'city',
  'region',
  'country',
  'postal',
  'timezone',
  'regionCode',
  'countryName',
  'continentCode',
] as const;

/** The data section of a file with one entry. */
const dataOf = (entry: MmdbValue): Buffer => {
  const file = writeMmdb({ type: 'T', recordSize: 24, ipVersion: 4, entries: [['0.0.0.0/1', entry]] });
  return file.subarray(
    NODE_BYTES + SEPARATOR_BYTES,
    file.lastIndexOf('\xab\xcd\xefMaxMind.com', undefined, 'latin1'),
  );
};

/** An input is a data section; the entry is at its beginning. */
export const locations: FuzzTarget = {
  name: 'locations',
  property: 'a damaged entry is reported, or is a location with values of their types and on the globe',
  seeds: [
    dataOf(munich),
    dataOf({ city: { names: { en: 'x' } }, location: { latitude: 48.1, longitude: new Float(11.5) } }),
    ...Object.values(odd).map(dataOf),
  ],
  dictionary: ['names', 'en', 'iso_code', 'latitude', '\u007f\uffff'],
  mostBytes: 1_500,
  branchesPerByte: 1_000,
  planted: [
    {
      file: RECORDED,
      from: "typeof value !== 'number' || !(Math.abs(value) <= limit)",
      to: "typeof value !== 'number'",
    },
    {
      file: RECORDED,
      from: "typeof value === 'string' && value !== ''",
      to: "(value ?? '') !== ''",
    },
    { file: `${MMDB}/entry-shapes.ts`, from: 'isMap(value) ? value : NO_MEMBERS', to: 'value' },
  ],
  check: (input) => {
    const facts = attempt(() =>
      cityShape.facts(new DataSection(input, 0).read(0, cityShape.selection('en')), 'en'),
    );
    if (!facts) return;
    const location = new EntryLocation(facts.found, 'en', { timeZoneAt });
    for (const name of TEXTS) assert(location[name] === null || typeof location[name] === 'string', name);
    const { latitude, longitude, inEu, accuracyRadius } = location;
    assert.equal(latitude === null, longitude === null);
    assert(Math.abs(latitude ?? 0) <= 90 && Math.abs(longitude ?? 0) <= 180);
    assert(inEu === null || typeof inEu === 'boolean');
    assert(accuracyRadius === null || accuracyRadius > 0);
  },
};
