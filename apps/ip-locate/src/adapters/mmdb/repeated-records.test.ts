import fc from 'fast-check';
import { RepeatedRecords } from './repeated-records.ts';

describe('RepeatedRecords', () => {
  it('keeps what is set twice', () => {
    const records = new RepeatedRecords<{ city: string }>();
    expect(records.get(7)).toBeUndefined();
    records.set(7, { city: 'first' });
    expect(records.get(7)).toBeUndefined();
    records.set(7, { city: 'second' });
    expect(records.get(7)).toEqual({ city: 'second' });
  });

  it('keeps a repeated value while others pass once', () => {
    const records = new RepeatedRecords<{ key: number }>();
    records.set(7, { key: 7 });
    records.set(7, { key: 7 });
    for (let key = 8; key < 100_000; key += 1) records.set(key, { key });
    expect(records.get(7)).toEqual({ key: 7 });
  });

  it('returns nothing or what was set last under the same key, whatever shares its slot', () => {
    const records = new RepeatedRecords<{ key: number }>();
    // Up to 2^35: pointers of 32 bits, in eight languages.
    const key = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2 ** 35 }));
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        for (const one of [...keys, ...keys]) {
          expect([undefined, one]).toContain(records.get(one)?.key);
          records.set(one, { key: one });
        }
      }),
    );
    // 2^32 apart: the same slot.
    for (const one of [5, 5, 5 + 2 ** 32]) records.set(one, { key: one });
    expect(records.get(5 + 2 ** 32)).toBeUndefined();
    records.set(5 + 2 ** 32, { key: 5 + 2 ** 32 });
    expect([records.get(5), records.get(5 + 2 ** 32)]).toEqual([undefined, { key: 5 + 2 ** 32 }]);
  });
});
