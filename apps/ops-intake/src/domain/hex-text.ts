import { randomFillSync } from 'node:crypto';

const DIGITS = Buffer.from('0123456789abcdef');

/** Writes two lowercase hex digits for each byte from `start` to `end` into an ASCII text. */
export const writeHex = (text: Buffer, at: number, bytes: Uint8Array, start: number, end: number): void => {
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index] as number;
    text[at++] = DIGITS[byte >> 4] as number;
    text[at++] = DIGITS[byte & 0x0f] as number;
  }
};

const pool = Buffer.alloc(8_192);
let used = pool.length;

/** Fills with random bytes; they are drawn by the thousand, as asking the system costs microseconds. */
export const fillRandomly = (target: Uint8Array, start: number): void => {
  const count = target.length - start;
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let index = 0; index < count; index += 1) target[start + index] = pool[used + index] as number;
  used += count;
};
