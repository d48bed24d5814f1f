const MAGIC = 0x184d2204;
/** Bits of the frame's descriptor. */
const BLOCK_CHECKSUM = 0x10;
const CONTENT_SIZE = 0x08;
const DICTIONARY = 0x01;
const IS_PLAIN = 0x80000000;
const SHORTEST_MATCH = 4;
/** A length of 15 in a token goes on in the bytes that follow it. */
const LONG = 15;

/**
 * Undoes the LZ4 frame format (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md), as brokers and librdkafka write it.
 * Checksums are not compared: the record batch has its own.
 *
 * @param mostBytes of what comes out
 * @throws RangeError for what is no such frame, or too large
 */
export const decompressLz4 = (frame: Buffer, mostBytes: number): Buffer => {
  if (frame.readUInt32LE(0) !== MAGIC) throw new RangeError('no LZ4 frame');
  const flags = frame.readUInt8(4);
  let at = 7 + (flags & CONTENT_SIZE ? 8 : 0) + (flags & DICTIONARY ? 4 : 0);
  let out = Buffer.allocUnsafe(Math.min(frame.length * 4, mostBytes));
  let size = 0;

  const reserve = (bytes: number): void => {
    const needed = size + bytes;
    if (needed <= out.length) return;
    if (needed > mostBytes) throw new RangeError(`more than ${mostBytes} bytes`);
    const larger = Buffer.allocUnsafe(Math.min(Math.max(needed, out.length * 2), mostBytes));
    out.copy(larger, 0, 0, size);
    out = larger;
  };
  const takeLiterals = (length: number): void => {
    if (at + length > frame.length) throw new RangeError('an LZ4 block is cut off');
    reserve(length);
    frame.copy(out, size, at, at + length);
    at += length;
    size += length;
  };
  const lengthOf = (short: number): number => {
    let length = short;
    if (short === LONG)
      for (let more = 255; more === 255; length += more) {
        more = frame.readUInt8(at);
        at += 1;
      }
    return length;
  };
  /** Copies what came out before; it may overlap what it makes. */
  const takeMatch = (distance: number, length: number): void => {
    if (distance === 0 || distance > size) throw new RangeError('an LZ4 match points nowhere');
    reserve(length);
    for (const end = size + length; size < end; size += 1) out[size] = out[size - distance]!;
  };

  for (;;) {
    const head = frame.readUInt32LE(at);
    at += 4;
    if (head === 0) return out.subarray(0, size);
    const length = head & ~IS_PLAIN;
    const end = at + length;
    if (head >= IS_PLAIN) takeLiterals(length);
    while (at < end) {
      const token = frame.readUInt8(at);
      at += 1;
      takeLiterals(lengthOf(token >>> 4));
      // The last sequence of a block has no match.
      if (at >= end) break;
      const distance = frame.readUInt16LE(at);
      at += 2;
      takeMatch(distance, lengthOf(token & 0x0f) + SHORTEST_MATCH);
    }
    at = end + (flags & BLOCK_CHECKSUM ? 4 : 0);
  }
};
