// Headers of version 2, for tests.

export const [LOCAL, PROXY] = [0, 1];
export const [INET, INET6] = [0x11, 0x21];

/** @param block addresses, ports and vectors */
export const binary = (command: number, family: number, block: readonly number[], version = 2): Buffer => {
  const fixed = Buffer.from('\r\n\r\n\0\r\nQUIT\n\0\0\0\0');
  fixed[12] = version * 16 + command;
  fixed[13] = family;
  fixed.writeUInt16BE(block.length, 14);
  return Buffer.concat([fixed, Buffer.from(block)]);
};

/** A vector (TLV). */
export const vector = (type: number, value: string): number[] => [
  type,
  value.length >> 8,
  value.length & 255,
  ...Buffer.from(value),
];
