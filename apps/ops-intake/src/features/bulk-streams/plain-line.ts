import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from '../../http/submit/json-bytes.ts';
import { KEY_TEXT } from '../../http/submit/submission-headers.ts';
import type { BulkLine } from './bulk-line.ts';
import type { BulkText } from './line-splitter.ts';

const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

const KEY_NAME = Buffer.from('"key"');
const PARTITION_KEY_NAME = Buffer.from('"partitionKey"');
const OPERATIONS_NAME = Buffer.from('"operations"');

const afterSpaces = (bytes: Buffer, at: number): number => {
  while (bytes[at] === SPACE) at += 1;
  return at;
};

/** @returns index of the value of the member at `at`; 0 when that has another name */
const valueOf = (bytes: Buffer, at: number, name: Buffer): number => {
  for (let index = 0; index < name.length; index += 1) if (bytes[at + index] !== name[index]) return 0;
  at = afterSpaces(bytes, at + name.length);
  return bytes[at] === COLON ? afterSpaces(bytes, at + 1) : 0;
};

/** @returns index of the quote that ends the string whose first quote is at `at`; 0 when it is no string, or has escapes */
const endOfString = (bytes: Buffer, at: number, lineEnd: number): number => {
  if (bytes[at] !== QUOTE) return 0;
  for (let end = at + 1; end < lineEnd; end += 1) {
    const byte = bytes[end]!;
    if (byte === QUOTE) return end;
    if (byte === BACKSLASH) return 0;
  }
  return 0;
};

/**
 * Reads a line as nearly all are written: `key`, perhaps `partitionKey`, and `operations` last, whose inside is not checked. That
 * may hold the end of the array and other members, so it counts only when what it holds is a valid array.
 * @returns undefined for any other line: `readLine` reads it, or says what is wrong
 */
export const readPlainLine = ({
  number,
  chunk: bytes,
  start,
  end: lineEnd,
}: BulkText): BulkLine | undefined => {
  if (!bytes) return undefined;
  const end = bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 2 : lineEnd - 1;
  if (bytes[start] !== OPENING_BRACE || bytes[end] !== CLOSING_BRACE) return undefined;
  let key: string | undefined;
  let partitionKey: string | undefined;
  for (let at = afterSpaces(bytes, start + 1); ; at = afterSpaces(bytes, at + 1)) {
    let value = valueOf(bytes, at, OPERATIONS_NAME);
    if (value > 0) {
      if (key === undefined || bytes[value] !== OPENING_BRACKET || bytes[end - 1] !== CLOSING_BRACKET)
        return undefined;
      return {
        number,
        key,
        partitionKey,
        sequence: undefined,
        schema: undefined,
        bytes: bytes.subarray(value, end),
      };
    }
    const isKey = key === undefined && (value = valueOf(bytes, at, KEY_NAME)) > 0;
    if (!isKey && (partitionKey !== undefined || (value = valueOf(bytes, at, PARTITION_KEY_NAME)) === 0))
      return undefined;
    const quote = endOfString(bytes, value, end);
    if (quote === 0) return undefined;
    const text = bytes.toString('latin1', value + 1, quote);
    if (!KEY_TEXT.test(text)) return undefined;
    if (isKey) key = text;
    else partitionKey = text;
    at = afterSpaces(bytes, quote + 1);
    if (bytes[at] !== COMMA) return undefined;
  }
};
