import {
  type DecimalLimits,
  decimalViolation,
  MOST_DIGITS,
  quantityViolation,
} from '../../domain/decimal.ts';
import { OPERATIONS } from '../../domain/operation.ts';
import type { SubmissionLimits } from '../../domain/submission.ts';
import {
  afterSpace,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  isSpace,
  OPENING_BRACE,
  OPENING_BRACKET,
} from './json-bytes.ts';

const NO_MATCH = -1;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** Four ASCII characters as one number: four bytes are compared in one step. */
const four = (text: string): number => Buffer.from(text, 'latin1').readInt32BE(0);
const OPERATION = [four('"ope'), four('rati'), four('on":')] as const;
const UNIT_COST = [four('"uni'), four('t-co'), four('st":')] as const;
const QUANTITY = [four('"qua'), four('ntit'), four('ty":')] as const;

/** The kinds of operations as JSON, four bytes at a time from the offsets; the last four may overlap those before. */
const KINDS = OPERATIONS.map((kind) => {
  const json = JSON.stringify(kind);
  const { length } = json;
  const offsets = Array.from({ length: Math.ceil(length / 4) }, (_, word) => Math.min(4 * word, length - 4));
  return { length, offsets, words: offsets.map((offset) => four(json.slice(offset))) };
});

/** From the quote of a member's name to its value: a valid member is at least as long. */
const NAME_BYTES = 12;
const QUANTITY_BYTES = 11;

/** One bit for each member that an operation has had. */
const HAS_OPERATION = 1;
const HAS_UNIT_COST = 2;
const HAS_QUANTITY = 4;
const HAS_ALL = HAS_OPERATION | HAS_UNIT_COST | HAS_QUANTITY;

/** Every number of so many digits is below 2^53. */
const SAFE_DIGITS = 15;
/** A longer number is left to the strict parser. */
const LONGEST_LEXEME = 40;

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

/** @returns index of the last byte that is not white space; -1 when there is none */
const lastByte = (bytes: Uint8Array): number => {
  let at = bytes.length - 1;
  while (at >= 0 && isSpace(bytes[at])) at -= 1;
  return at;
};

/** A number that is not decided by its digits alone goes to the rules of the domain as text. */
const afterLexeme = (
  bytes: Uint8Array,
  start: number,
  violationOf: (lexeme: string) => string | undefined,
): number => {
  let at = start;
  for (; ; at += 1) {
    const byte = bytes[at]!;
    if (isDigit(byte) || byte === POINT || byte === LOWER_E || byte === UPPER_E) continue;
    if (byte !== PLUS && byte !== MINUS) break;
  }
  if (at - start > LONGEST_LEXEME) return NO_MATCH;
  const lexeme = String.fromCharCode(...bytes.subarray(start, at));
  return violationOf(lexeme) === undefined ? at : NO_MATCH;
};
const afterQuantity = (bytes: Uint8Array, start: number): number => {
  let at = start;
  while (isDigit(bytes[at]!)) at += 1;
  if (bytes[start] !== ZERO && at > start && at - start <= SAFE_DIGITS) return at;
  return afterLexeme(bytes, start, quantityViolation);
};

const afterUnitCost = (bytes: Uint8Array, start: number, limits: DecimalLimits): number => {
  let at = start;
  let significant = 0;
  if (bytes[at] === ZERO) at += 1;
  else {
    while (isDigit(bytes[at]!)) at += 1;
    significant = at - start;
    if (significant === 0) return NO_MATCH;
  }
  if (bytes[at] === POINT) {
    const fraction = (at += 1);
    // Zeros before the first other digit are not significant.
    if (significant === 0) while (bytes[at] === ZERO) at += 1;
    significant -= at;
    while (isDigit(bytes[at]!)) at += 1;
    significant += at;
    if (at === fraction) return NO_MATCH;
    // No Infinity: with it, every number would be an object.
    if (at - fraction > limits.fractionDigits) significant = MOST_DIGITS + 1;
  }
  const next = bytes[at]!;
  if (next === LOWER_E || next === UPPER_E) {
    return afterLexeme(bytes, start, (lexeme) => decimalViolation(lexeme, limits));
  }
  return significant <= MOST_DIGITS ? at : NO_MATCH;
};

/**
 * Counts the operations of valid submissions by walking their bytes. The contract's grammar is small enough that no text and
 * no object has to be made: members in any order, white space where serializers put it, all numbers that are allowed.
 *
 * Reading beyond a body is slow, and another one may follow: the last byte is a bracket, at which every loop ends, and names are
 * compared only where one has room.
 */
export class PlainReader {
  readonly #limits: SubmissionLimits;
  /** the buffer of the latest body, and where that begins: the lines of a stream have one in common */
  #view: DataView = new DataView(new ArrayBuffer(0));
  #bodyAt = 0;

  constructor(limits: SubmissionLimits) {
    this.#limits = limits;
  }

  #fourAt(at: number): number {
    return this.#view.getInt32(this.#bodyAt + at);
  }

  #afterKind(bytes: Uint8Array, at: number): number {
    for (let index = 0; index < KINDS.length; index += 1) {
      const { length, offsets, words } = KINDS[index]!;
      if (at + length > bytes.length) continue;
      let word = 0;
      while (word < words.length && this.#fourAt(at + offsets[word]!) === words[word]) word += 1;
      if (word === words.length) return at + length;
    }
    return NO_MATCH;
  }

  /** @returns index after the operation whose brace is at `at` */
  #afterOperation(bytes: Uint8Array, at: number): number {
    const lastName = bytes.length - NAME_BYTES;
    if (bytes[at] !== OPENING_BRACE) return NO_MATCH;
    let members = 0;
    do {
      at = afterSpace(bytes, at + 1);
      if (at > lastName) return NO_MATCH;
      const start = this.#fourAt(at);
      let member = 0;
      if (start === OPERATION[0]) {
        if (this.#fourAt(at + 4) !== OPERATION[1] || this.#fourAt(at + 8) !== OPERATION[2]) return NO_MATCH;
        member = HAS_OPERATION;
        at = this.#afterKind(bytes, afterSpace(bytes, at + NAME_BYTES));
      } else if (start === UNIT_COST[0]) {
        if (this.#fourAt(at + 4) !== UNIT_COST[1] || this.#fourAt(at + 8) !== UNIT_COST[2]) return NO_MATCH;
        member = HAS_UNIT_COST;
        at = afterUnitCost(bytes, afterSpace(bytes, at + NAME_BYTES), this.#limits);
      } else if (start === QUANTITY[0]) {
        if (this.#fourAt(at + 4) !== QUANTITY[1] || this.#fourAt(at + 7) !== QUANTITY[2]) return NO_MATCH;
        member = HAS_QUANTITY;
        at = afterQuantity(bytes, afterSpace(bytes, at + QUANTITY_BYTES));
      } else return NO_MATCH;
      if (at === NO_MATCH || (members & member) !== 0) return NO_MATCH;
      members |= member;
      at = afterSpace(bytes, at);
    } while (bytes[at] === COMMA);
    return bytes[at] === CLOSING_BRACE && members === HAS_ALL ? at + 1 : NO_MATCH;
  }

  /**
   * @returns undefined when the body is invalid, or valid in an unusual way (escapes, space before a colon): the strict
   *   parser then decides
   */
  count(bytes: Uint8Array): number | undefined {
    const end = lastByte(bytes);
    if (bytes[end] !== CLOSING_BRACKET) return undefined;
    let at = afterSpace(bytes, 0);
    if (bytes[at] !== OPENING_BRACKET) return undefined;
    if (this.#view.buffer !== bytes.buffer) this.#view = new DataView(bytes.buffer);
    this.#bodyAt = bytes.byteOffset;
    let operations = 0;
    do {
      at = this.#afterOperation(bytes, afterSpace(bytes, at + 1));
      if (at === NO_MATCH) return undefined;
      operations += 1;
      at = afterSpace(bytes, at);
    } while (bytes[at] === COMMA);
    return at === end && operations <= this.#limits.operations ? operations : undefined;
  }
}
