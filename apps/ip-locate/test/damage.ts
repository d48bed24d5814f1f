import { Reader, type Response } from 'mmdb-lib';
import { cityMmdb } from './databases.ts';
import type { MmdbValue } from '../src/adapters/mmdb/mmdb-writer.ts';

/** Files that open without an error but are damaged, as a bad disk or a faulty writer leaves them. */
export const damaged = {
  /** a quarter of the search tree is zeros: nothing is found there */
  zeroedTree(file: Buffer): Buffer {
    const { searchTreeSize } = new Reader<Response>(file).metadata;
    return Buffer.from(file).fill(0, searchTreeSize >> 2, searchTreeSize >> 1);
  },

  /** the entries are zeros: lookups throw */
  zeroedData(file: Buffer): Buffer {
    const { searchTreeSize } = new Reader<Response>(file).metadata;
    const start = searchTreeSize + 16;
    return Buffer.from(file).fill(0, start, Math.min(start + 4_000, file.lastIndexOf('MaxMind.com') - 3));
  },

  /** the bytes of coordinates are not coordinates: lookups answer nonsense */
  brokenDoubles: (): Buffer => located({ latitude: 1e200, longitude: -4e17 }),
  tinyDoubles: (): Buffer => located({ latitude: 3e-310, longitude: 1e-200 }),

  /** an entry that contains itself */
  circle(): Buffer {
    const file = cityMmdb({ entries: [['80.0.0.0/8', { city: { names: { en: 'Round' } } }]] });
    const { searchTreeSize } = new Reader<Response>(file).metadata;
    const data = searchTreeSize + 16;
    // The value of the first member becomes a pointer to offset 0, the entry itself.
    const value = data + 1 + 1 + 'city'.length;
    return Buffer.concat([file.subarray(0, value), Buffer.from([0x20, 0x00]), file.subarray(value + 2)]);
  },
};

const located = (location: MmdbValue): Buffer =>
  cityMmdb({ entries: [['80.0.0.0/8', { city: { names: { en: 'Lost' } }, location }]] });
