import fc from 'fast-check';
import { RepeatedEntries } from './repeated-entries.ts';

describe('RepeatedEntries', () => {
  it('keeps what is set twice', () => {
    const entries = new RepeatedEntries<{ city: string }>();
    expect(entries.get(7)).toBeUndefined();
    entries.set(7, { city: 'first' });
    expect(entries.get(7)).toBeUndefined();
    entries.set(7, { city: 'second' });
    expect(entries.get(7)).toEqual({ city: 'second' });
  });

  it('keeps a repeated value while others pass once', () => {
    const entries = new RepeatedEntries<{ key: number }>();
    entries.set(7, { key: 7 });
    entries.set(7, { key: 7 });
    for (let key = 8; key < 100_000; key += 1) entries.set(key, { key });
    expect(entries.get(7)).toEqual({ key: 7 });
  });

  it('returns nothing or what was set last under the same key, whatever shares its slot', () => {
    const entries = new RepeatedEntries<{ key: number }>();
    // Up to 2^35: pointers of 32 bits, in eight languages.
    const key = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2 ** 35 }));
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        for (const one of [...keys, ...keys]) {
          expect([undefined, one]).toContain(entries.get(one)?.key);
          entries.set(one, { key: one });
        }
      }),
    );
    // 2^32 apart: the same slot.
    for (const one of [5, 5, 5 + 2 ** 32]) entries.set(one, { key: one });
    expect(entries.get(5 + 2 ** 32)).toBeUndefined();
    entries.set(5 + 2 ** 32, { key: 5 + 2 ** 32 });
    expect([entries.get(5), entries.get(5 + 2 ** 32)]).toEqual([undefined, { key: 5 + 2 ** 32 }]);
  });
});
