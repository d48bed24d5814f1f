import { Reader, type Response } from 'mmdb-lib';
import { Float, Uint, writeMmdb } from './mmdb-writer.ts';

const long = 'x'.repeat(300);
const entry = {
  text: 'ü',
  long,
  longer: 'y'.repeat(70_000),
  double: -1.5,
  float: new Float(0.5),
  uint: new Uint(4_000_000_000),
  big: 2n ** 40n,
  yes: true,
  no: false,
  list: ['a', 'ab', { ab: 'ab' }],
  again: long,
  zero: new Uint(0),
};
const read = {
  ...entry,
  float: 0.5,
  uint: 4_000_000_000,
  big: expect.anything(),
  zero: 0,
};

describe.each([24, 28, 32] as const)('writeMmdb with records of %d bits', (recordSize) => {
  const file = writeMmdb({
    type: 'Test',
    recordSize,
    entries: [
      ['1.0.0.0/8', entry],
      ['1.2.3.0/24', { text: 'inner' }],
      ['2001:db8::/32', entry],
    ],
  });

  it('is read back by mmdb-lib', () => {
    const reader = new Reader<Response>(file);
    expect(reader.get('1.2.2.255')).toEqual(read);
    expect(reader.getWithPrefixLength('1.2.3.4')).toEqual([{ text: 'inner' }, 24]);
    expect(reader.get('1.2.4.0')).toEqual(read);
    expect(reader.get('2001:db8::1')).toEqual(read);
    expect(reader.get('2.0.0.0')).toBeNull();
    expect(reader.metadata).toMatchObject({ databaseType: 'Test', ipVersion: 6, recordSize });
  });
});
