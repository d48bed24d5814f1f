const DIGITS = Buffer.from('0123456789abcdef');

/** Writes two lowercase hex digits for each byte from `start` to `end` into an ASCII text. */
export const writeHex = (text: Buffer, at: number, bytes: Uint8Array, start: number, end: number): void => {
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index] as number;
    text[at++] = DIGITS[byte >> 4] as number;
    text[at++] = DIGITS[byte & 0x0f] as number;
  }
};
