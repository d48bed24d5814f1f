import { decompressLz4 } from './lz4.ts';

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};
const PLAIN = 0x80000000;
const INDEPENDENT = 0x60;

/** A frame of blocks; each is its bytes, and whether they are compressed. */
const frame = (blocks: [bytes: Buffer, isPlain?: boolean][], flags = INDEPENDENT): Buffer =>
  Buffer.concat([
    int32(0x184d2204),
    Buffer.from([flags, 0x70]),
    ...(flags & 0x08 ? [Buffer.alloc(8)] : []),
    ...(flags & 0x01 ? [Buffer.alloc(4)] : []),
    Buffer.from([0]), // checksum of the descriptor
    ...blocks.flatMap(([bytes, isPlain]) => [
      int32(bytes.length + (isPlain ? PLAIN : 0)),
      bytes,
      ...(flags & 0x10 ? [Buffer.alloc(4)] : []),
    ]),
    int32(0),
    ...(flags & 0x04 ? [Buffer.alloc(4)] : []),
  ]);
/** Literals, then a match; without a distance, the end of a block. */
const sequence = (literals: string, distance?: number, match = 4): Buffer => {
  const longer = (length: number): number[] =>
    length < 15 ? [] : length - 15 < 255 ? [length - 15] : [255, length - 15 - 255];
  const token = (Math.min(literals.length, 15) << 4) | (distance ? Math.min(match - 4, 15) : 0);
  return Buffer.from([
    token,
    ...longer(literals.length),
    ...Buffer.from(literals),
    ...(distance ? [distance & 255, distance >> 8, ...longer(match - 4)] : []),
  ]);
};
const text = (bytes: Buffer, most = 1_000): string => decompressLz4(bytes, most).toString();

describe('LZ4', () => {
  it.each([
    ['literals', [sequence('abc')], 'abc'],
    ['many literals', [sequence('x'.repeat(300))], 'x'.repeat(300)],
    ['a match', [sequence('abcdef', 6, 5), sequence('!')], 'abcdefabcde!'],
    ['a match that overlaps itself', [sequence('ab', 2, 7), sequence('!')], 'ababababa!'],
    ['a long match', [sequence('a', 1, 290), sequence('!')], `${'a'.repeat(291)}!`],
  ])('undoes %s', (_what, sequences, expected) => {
    expect(text(frame([[Buffer.concat(sequences)]]))).toBe(expected);
  });

  it('undoes blocks that are not compressed, and that point into the one before', () => {
    const blocks: [Buffer, boolean?][] = [
      [Buffer.from('plain'), true],
      [Buffer.concat([sequence('', 5, 5), sequence('?')])],
    ];
    expect(text(frame(blocks, 0x40))).toBe('plainplain?');
    const twenty = '0123456789abcdefghij';
    const plain: [Buffer, boolean][] = [
      [Buffer.from('plain'), true],
      [Buffer.from(twenty), true],
    ];
    expect(text(frame(plain))).toBe(`plain${twenty}`);
  });

  it('passes over sizes and checksums', () => {
    const blocks: [Buffer][] = [[sequence('one')], [sequence('two')]];
    for (const flags of [0x08, 0x10, 0x04, 0x01, 0x1d])
      expect(text(frame(blocks, INDEPENDENT | flags))).toBe('onetwo');
  });

  it('is an error when something is missing, points nowhere, or becomes too large', () => {
    expect(() => text(Buffer.from('no frame'))).toThrow('no LZ4 frame');
    for (const distance of [1_000, 2]) {
      const wrong = frame([[Buffer.concat([sequence('a', distance), sequence('')])]]);
      expect(() => text(wrong)).toThrow('points nowhere');
    }
    const distanceOfNone = Buffer.from([0x10, 0x61, 0, 0, 0]);
    expect(() => text(frame([[distanceOfNone]]))).toThrow('points nowhere');
    expect(() => text(frame([[Buffer.from([0x90, 0x61])]]))).toThrow('cut off');
    expect(() => text(frame([[Buffer.from([0x90, 0x61])]]).subarray(0, -4))).toThrow(/out of range|cut off/);
    expect(() => text(frame([[sequence('abc')]]).subarray(0, -4))).toThrow(/out of range|cut off/);
    const large = frame([[Buffer.concat([sequence('a', 1, 200), sequence('')])]]);
    expect(() => text(large, 200)).toThrow('more than 200 bytes');
    expect(text(large, 201)).toHaveLength(201);
  });
});
