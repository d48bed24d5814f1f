/** The bytes that structure JSON, for those who walk through it without making strings. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPENING_BRACKET = 0x5b;
export const CLOSING_BRACKET = 0x5d;
export const OPENING_BRACE = 0x7b;
export const CLOSING_BRACE = 0x7d;

/** The bytes are not JSON at this index, counted from 0. */
export class UnexpectedByte extends Error {
  override readonly name = 'UnexpectedByte';

  constructor(at: number) {
    super(`unexpected at byte ${at + 1}`);
  }
}

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** @returns index of the next byte that is not space */
export const afterSpace = (bytes: Uint8Array, at: number): number => {
  while (isSpace(bytes[at])) at += 1;
  return at;
};

/** @returns index after the string whose quote is at `at`. @throws UnexpectedByte */
const afterString = (bytes: Buffer, at: number): number => {
  for (let end = at + 1; end < bytes.length; end += 1) {
    const byte = bytes[end];
    if (byte === QUOTE) return end + 1;
    if (byte === BACKSLASH) end += 1;
  }
  throw new UnexpectedByte(bytes.length);
};

/** @returns index after the value at `at`, whose inside is not checked. @throws UnexpectedByte */
const afterValue = (bytes: Buffer, at: number): number => {
  let depth = 0;
  for (let end = at; end < bytes.length; end += 1) {
    const byte = bytes[end];
    const isClosing = byte === CLOSING_BRACKET || byte === CLOSING_BRACE;
    if (depth === 0 && (isClosing || byte === COMMA || isSpace(byte))) {
      if (end === at) throw new UnexpectedByte(at);
      return end;
    }
    if (byte === OPENING_BRACKET || byte === OPENING_BRACE) depth += 1;
    else if (isClosing) depth -= 1;
    else if (byte === QUOTE) end = afterString(bytes, end) - 1;
    if (depth === 0 && (isClosing || byte === QUOTE)) return end + 1;
  }
  throw new UnexpectedByte(bytes.length);
};

/** The text of the string in these bytes. @throws UnexpectedByte */
export const textOf = (bytes: Buffer, start: number, end: number): string => {
  const text = bytes.toString('latin1', start + 1, end - 1);
  if (/^[\x20-\x5b\x5d-\x7e]*$/.test(text)) return text;
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as string;
  } catch {
    throw new UnexpectedByte(start);
  }
};

/**
 * Walks through what is between two brackets, separated by commas.
 * @param afterEntry called with where each entry begins @returns index after it
 * @returns index after the closing bracket
 */
const eachEntry = (
  bytes: Buffer,
  at: number,
  [opening, closing]: readonly [number, number],
  afterEntry: (start: number) => number,
): number => {
  if (bytes[at] !== opening) throw new UnexpectedByte(at);
  at = afterSpace(bytes, at + 1);
  if (bytes[at] === closing) return at + 1;
  for (;;) {
    at = afterSpace(bytes, afterEntry(at));
    if (bytes[at] === closing) return at + 1;
    if (bytes[at] !== COMMA) throw new UnexpectedByte(at);
    at = afterSpace(bytes, at + 1);
  }
};

/**
 * Walks through the object at `at`, whose values are cut out and not read.
 * @param each called with each name, and where its value begins and ends
 * @returns index after the object
 * @throws UnexpectedByte, and whatever `each` throws
 */
export const eachMember = (
  bytes: Buffer,
  at: number,
  each: (name: string, start: number, end: number) => void,
): number =>
  eachEntry(bytes, at, [OPENING_BRACE, CLOSING_BRACE], (start) => {
    if (bytes[start] !== QUOTE) throw new UnexpectedByte(start);
    const nameEnd = afterString(bytes, start);
    const name = textOf(bytes, start, nameEnd);
    const colon = afterSpace(bytes, nameEnd);
    if (bytes[colon] !== COLON) throw new UnexpectedByte(colon);
    const value = afterSpace(bytes, colon + 1);
    const end = afterValue(bytes, value);
    each(name, value, end);
    return end;
  });

/**
 * Walks through the array at `at`, whose items are cut out and not read. An empty one has none.
 * @param each called with where each item begins and ends
 * @returns index after the array
 * @throws UnexpectedByte, and whatever `each` throws
 */
export const eachItem = (bytes: Buffer, at: number, each: (start: number, end: number) => void): number =>
  eachEntry(bytes, at, [OPENING_BRACKET, CLOSING_BRACKET], (start) => {
    const end = afterValue(bytes, start);
    each(start, end);
    return end;
  });
