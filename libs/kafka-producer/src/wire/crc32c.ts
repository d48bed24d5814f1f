const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

/** `TABLES[256 * n + byte]`: the checksum of a byte that n zero bytes follow. */
const TABLES = new Int32Array(SLICES * 256);
for (let byte = 0; byte < 256; byte += 1) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  TABLES[byte] = crc;
}
for (let at = 256; at < TABLES.length; at += 1) {
  const before = TABLES[at - 256] as number;
  TABLES[at] = (before >>> 8) ^ (TABLES[before & 0xff] as number);
}

/**
 * CRC-32C (Castagnoli, RFC 3720), as Kafka's record batches carry it; eight bytes a step ("slicing by 8"). Node's
 * `zlib.crc32` computes another polynomial.
 *
 * @param start first byte that counts
 * @param end first byte that no longer counts
 * @returns an unsigned 32-bit integer
 */
export const crc32c = (bytes: Uint8Array, start = 0, end = bytes.length): number => {
  const b = bytes;
  const t = TABLES;
  let crc = -1;
  let at = start;
  for (const last = end - SLICES; at <= last; at += SLICES) {
    crc ^= b[at]! | (b[at + 1]! << 8) | (b[at + 2]! << 16) | (b[at + 3]! << 24);
    crc =
      t[1792 + (crc & 0xff)]! ^
      t[1536 + ((crc >>> 8) & 0xff)]! ^
      t[1280 + ((crc >>> 16) & 0xff)]! ^
      t[1024 + (crc >>> 24)]! ^
      t[768 + b[at + 4]!]! ^
      t[512 + b[at + 5]!]! ^
      t[256 + b[at + 6]!]! ^
      t[b[at + 7]!]!;
  }
  for (; at < end; at += 1) crc = (crc >>> 8) ^ t[(crc ^ b[at]!) & 0xff]!;
  return ~crc >>> 0;
};
