import type { Random } from '../seeded-random.ts';

/** At the borders of what integers and decimals hold. */
const NUMBERS =
  '0 1 -1 00 01 -0 7 8 9 10 15 16 31 32 33 63 64 99 100 127 128 129 255 256 999 1000 1024 32767 32768 65535 65536 0.0 0.1 1. .5 1e3 1e-5 1E+9 1e999 0.00000001 0.000000001 999999999999999 1234567890123456 2147483647 2147483648 4294967295 4294967296 9007199254740991 9007199254740992 9223372036854775807 18446744073709551616'.split(
    ' ',
  );
const PIECES = [
  ...' \t\r\n\0"\'\\/,;:=?&%#<>(){}[]-_+.*~@|`^$',
  '\u00a0',
  'é',
  '😀',
  '\ufeff',
  '%00',
  '\r\n',
];
const BYTES = [0, 1, 9, 10, 13, 31, 32, 127, 128, 191, 192, 224, 237, 244, 254, 255];
const DIGITS = /\d+/g;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const oneOf = <T>(random: Random, options: readonly T[]): T => options[below(random, options.length)] as T;

/** The pieces of which texts consist: words, numbers, and what stands between them. */
export const wordsOf = (texts: readonly Buffer[]): string[] => [
  ...new Set(texts.flatMap((text) => text.toString('latin1').match(/[A-Za-z]{2,}|\d+|[^\w\s]+/g) ?? [])),
];

export interface MutationSources {
  /** inputs to take pieces of */
  readonly others: readonly Buffer[];
  readonly dictionary: readonly Buffer[];
  readonly mostBytes: number;
}

/** Makes another input out of one, by up to eight changes. */
export const mutated = (random: Random, input: Buffer, sources: MutationSources): Buffer => {
  let bytes = input;
  for (let count = 1 << below(random, 4); count > 0; count -= 1) bytes = changed(random, bytes, sources);
  return bytes.subarray(0, sources.mostBytes);
};

const replaced = (bytes: Buffer, at: number, removed: number, piece: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + removed)]);

const changed = (random: Random, bytes: Buffer, { others, dictionary }: MutationSources): Buffer => {
  const at = below(random, bytes.length + 1);
  const some = 1 + below(random, random() < 0.8 ? 8 : Math.max(8, bytes.length));
  switch (below(random, 11)) {
    case 0: {
      if (at === bytes.length) return bytes;
      const copy = Buffer.from(bytes);
      copy[at] = copy[at]! ^ (1 << below(random, 8));
      return copy;
    }
    case 1:
      return replaced(bytes, at, below(random, 2), Buffer.of(below(random, 256)));
    case 2:
      return replaced(bytes, at, below(random, 2), Buffer.of(oneOf(random, BYTES)));
    case 3:
      return replaced(bytes, at, below(random, 2), Buffer.from(oneOf(random, PIECES)));
    case 4:
    case 5: {
      const piece = dictionary.length > 0 ? oneOf(random, dictionary) : Buffer.from(oneOf(random, PIECES));
      return replaced(bytes, at, random() < 0.5 ? 0 : piece.length, piece);
    }
    case 6:
      return replaced(bytes, at, some, Buffer.of());
    case 7:
      return replaced(bytes, at, 0, bytes.subarray(at, at + some));
    case 8: {
      const other = oneOf(random, others);
      const from = below(random, other.length);
      return replaced(bytes, at, random() < 0.5 ? some : bytes.length, other.subarray(from, from + some));
    }
    case 9:
      return withOtherNumber(random, bytes);
    default:
      return replaced(bytes, at, 0, Buffer.alloc(below(random, 40), bytes[at] ?? 0x30));
  }
};

const withOtherNumber = (random: Random, bytes: Buffer): Buffer => {
  const numbers = [...bytes.toString('latin1').matchAll(DIGITS)];
  if (numbers.length === 0) return bytes;
  const { index, 0: digits } = oneOf(random, numbers);
  const next = BigInt(digits) + (random() < 0.5 ? 1n : -1n);
  const number = random() < 0.3 ? String(next) : oneOf(random, NUMBERS);
  return replaced(bytes, index, digits.length, Buffer.from(number));
};
