import fc from 'fast-check';
import { Reader, type Response } from 'mmdb-lib';
import { type Address, parseAddress } from '@workspace/ip-addresses';
import { DataSection, select, type Wanted } from '../src/adapters/mmdb/data-section.ts';
import { openMmdb } from '../src/adapters/mmdb/mmdb-file.ts';
import { cityShape } from '../src/adapters/mmdb/entry-shapes.ts';
import { createRandom } from '../src/adapters/mmdb/sample-addresses.ts';
import { Float, type MmdbValue, Uint, writeMmdb } from '../src/adapters/mmdb/mmdb-writer.ts';
import { munich } from './databases.ts';

const IP = parseAddress('1.2.3.4') as Address;

/** An entry read by this service, and the same entry decoded by mmdb-lib. */
const bothWays = (file: Buffer, { text, bytes }: Address, wanted?: Wanted) => {
  const decoded = new Reader<Response>(file).get(text) as object | null;
  const { tree, read } = openMmdb(file);
  const found = tree.find(bytes);
  const ours = found && read(found.entry, select(wanted ?? everythingIn(decoded as object)));
  return { ours, decoded };
};

/** All members of a decoded entry. */
const everythingIn = (map: object): Wanted =>
  Object.fromEntries(
    Object.entries(map).map(([name, value]: [string, unknown]) => {
      const inner: unknown = Array.isArray(value) ? (value[0] ?? {}) : value;
      return [name, typeof inner === 'object' && inner !== null ? everythingIn(inner) : true];
    }),
  );

/** What is read of a decoded value: of arrays the first element, integers up to 32 bits. */
const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(readable);
  if (typeof value === 'bigint') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readable(member)]));
};

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  // The length of a string takes one to four bytes.
  fc.constantFrom(28, 29, 284, 285, 65_820, 65_821, 70_000).map((length) => 'x'.repeat(length)),
  fc.double(),
  fc.float().map((value) => new Float(value)),
  fc.nat(0xffff).map((value) => new Uint(value, 16)),
  fc.nat().map((value) => new Uint(value)),
  fc.boolean(),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const name = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text !== '__proto__');
const { entry } = fc.letrec<{ value: MmdbValue; entry: MmdbValue }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('entry'), fc.array(tie('entry'), { maxLength: 3 })),
  entry: fc.dictionary(name, tie('value'), { maxKeys: 40, noNullPrototype: true }),
}));

describe('the data section', () => {
  it('holds what mmdb-lib finds', () => {
    fc.assert(
      fc.property(entry, (value) => {
        const { ours, decoded } = bothWays(writeMmdb({ type: 'T', entries: [['1.0.0.0/8', value]] }), IP);
        expect(ours).toEqual(readable(decoded));
      }),
      { numRuns: 100 },
    );
  });

  it('is read only where a member is wanted', () => {
    const file = writeMmdb({ type: 'T', entries: [['1.0.0.0/8', munich]] });
    const wanted: Wanted = { city: { names: { ja: true, tlh: true } }, subdivisions: { iso_code: true } };
    expect(bothWays(file, IP, wanted).ours).toEqual({
      city: { names: { ja: 'ミュンヘン' } },
      subdivisions: [{ iso_code: 'BY' }],
    });
  });

  it('leaves out what is of another type than expected', () => {
    const value = { text: { a: 'b' }, map: 'text', list: ['a'], zip: [{ a: 'b' }] };
    const file = writeMmdb({ type: 'T', entries: [['1.0.0.0/8', value]] });
    const wanted: Wanted = { text: true, map: { a: true }, list: { a: true }, zip: true };
    expect(bothWays(file, IP, wanted).ours).toEqual({ list: [undefined] });
  });

  it('is read through pointers of every length', () => {
    // A map with one member, `a`, behind pointers of 1 to 4 bytes; each counts from where the shorter ones end.
    const target = 526_336 + 7;
    const bytes = Buffer.alloc(target + 8);
    const member = [0xe1, 0x41, 0x61];
    const pointers = [
      { at: 5, text: 'one', pointer: [0x20, 5] },
      { at: 2048 + 5, text: 'two', pointer: [0x28, 0, 5] },
      { at: target, text: 'six', pointer: [0x30, 0, 0, 7] },
      { at: target, text: 'six', pointer: [0x38, 0, 8, 8, 7] },
    ];
    for (const { at, text } of pointers) bytes.write(`\x43${text}`, at, 'latin1');
    for (const { text, pointer } of pointers) {
      const file = Buffer.concat([bytes, Buffer.from([...member, ...pointer])]);
      expect(new DataSection(file, 0).read(bytes.length, select({ a: true }))).toEqual({ a: text });
    }
  });

  it('rejects a value that points to itself', () => {
    const bytes = Buffer.from([0xe1, 0x41, 0x61, 0x20, 3]);
    expect(() => new DataSection(bytes, 0).read(0, select({ a: true }))).toThrow('nested too deeply');
  });

  it('answers or throws an error, wherever a byte is damaged', () => {
    const file = writeMmdb({ type: 'T', entries: [['1.0.0.0/8', munich]] });
    const { metadata } = new Reader<Response>(file);
    const end = file.lastIndexOf('\xab\xcd\xefMaxMind.com', undefined, 'latin1');
    const random = createRandom();
    let thrown = 0;
    for (let run = 0; run < 5_000; run++) {
      const bytes = Buffer.from(file);
      for (let n = 0; n < 1 + (run % 4); n++) {
        const at = metadata.searchTreeSize + 16 + Math.floor(random() * (end - metadata.searchTreeSize - 16));
        bytes[at] = Math.floor(random() * 256);
      }
      const section = new DataSection(bytes.subarray(0, end), metadata.searchTreeSize + 16);
      try {
        cityShape.facts(section.read(0, cityShape.selection('ja')), 'ja');
      } catch (error) {
        if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
        thrown++;
      }
    }
    expect(thrown).toBeGreaterThan(250);
  });
});
