import fc from 'fast-check';
import { crc32c } from './crc32c.ts';

/** The definition, bit by bit. */
const byDefinition = (bytes: Uint8Array): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
};

describe('crc32c', () => {
  it('is what the definition says, wherever the bytes lie', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(9), fc.nat(9), (bytes, before, after) => {
        const around = Buffer.concat([Buffer.alloc(before, 7), bytes, Buffer.alloc(after, 9)]);
        expect(crc32c(around, before, before + bytes.length)).toBe(byDefinition(bytes));
      }),
    );
  });
});
