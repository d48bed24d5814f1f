import { type JsonValue, NumberLexeme } from '../../domain/json-value.ts';
import { BACKSLASH, isSpace, QUOTE } from './json-bytes.ts';

/** Text that is not JSON, or JSON that two readers could understand differently (repeated members, extreme depth). */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPECIAL = /["\\\u0000-\u001f]/g;
const HALF_SURROGATE = /\p{Surrogate}/u;
const LETTER_U = 0x75;
/** What may follow a backslash, `u` with four digits apart. */
const ESCAPED = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));
const MOST_QUOTED = 40;

const isHexDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);

type Container = JsonValue[] | Map<string, JsonValue>;

export interface StrictJsonOptions {
  /** most containers within each other */
  maxDepth?: number;
  /** gets each element of the outermost array, which then stays empty: elements can be checked without keeping them */
  onElement?: (element: JsonValue) => void;
}

/**
 * Parses one JSON text strictly (RFC 8259), with numbers kept as written. Stricter than `JSON.parse` in two points: a
 * member given twice in one object is an error even when both values are equal, and so is nesting beyond `maxDepth`.
 *
 * It can stop between two values and continue later, so that a long text does not hold the event loop.
 */
export class StrictJsonParser {
  /** characters read so far */
  at = 0;
  #value: JsonValue = null;
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #onElement: ((element: JsonValue) => void) | undefined;
  /** the containers that are open, and for each object the name whose value is being read */
  readonly #open: Container[] = [];
  readonly #names: string[] = [];

  constructor(text: string, { maxDepth = 16, onElement }: StrictJsonOptions = {}) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#onElement = onElement;
  }

  /** The whole value, once `advance` has returned true. */
  get value(): JsonValue {
    return this.#value;
  }

  /**
   * Parses on, at least to the end of the value that spans character `until`.
   * @returns whether the text is parsed to its end
   * @throws JsonSyntaxError at the first error
   */
  advance(until = Infinity): boolean {
    while (this.at < until) {
      const value = this.#readValue();
      if (value !== undefined && this.#close(value)) return true;
    }
    return false;
  }

  /** Reads a scalar or an empty container; undefined when a container has begun whose first value comes next. */
  #readValue(): JsonValue | undefined {
    this.#skipSpace();
    const character = this.#text[this.at];
    if (character === '[' || character === '{') return this.#begin(character);
    if (character === '"') return this.#string();
    if (character === 't') return this.#literal('true', true);
    if (character === 'f') return this.#literal('false', false);
    if (character === 'n') return this.#literal('null', null);
    return this.#number();
  }

  #begin(bracket: '[' | '{'): JsonValue | undefined {
    if (this.#open.length >= this.#maxDepth) this.#fail(`nesting deeper than ${this.#maxDepth}`);
    this.at += 1;
    const container: Container = bracket === '[' ? [] : new Map();
    if (this.#take(bracket === '[' ? ']' : '}')) return container;
    this.#open.push(container);
    if (container instanceof Map) this.#name(container);
    return undefined;
  }

  /** Puts a value where it belongs, and closes all containers that end with it. @returns whether the text has ended */
  #close(value: JsonValue): boolean {
    let closed = value;
    for (;;) {
      const container = this.#open.at(-1);
      if (!container) {
        this.#skipSpace();
        if (this.at < this.#text.length) this.#unexpected();
        this.#value = closed;
        return true;
      }
      if (container instanceof Map) container.set(this.#names.pop() as string, closed);
      else if (this.#open.length === 1 && this.#onElement) this.#onElement(closed);
      else container.push(closed);
      if (this.#take(',')) {
        if (container instanceof Map) this.#name(container);
        return false;
      }
      if (!this.#take(container instanceof Map ? '}' : ']')) this.#unexpected();
      this.#open.pop();
      closed = container;
    }
  }

  /** Reads the name of the next member, up to its value. */
  #name(members: Map<string, JsonValue>): void {
    this.#skipSpace();
    const start = this.at;
    if (this.#text[start] !== '"') this.#unexpected();
    const name = this.#string();
    if (members.has(name)) this.#fail(`member ${JSON.stringify(cut(name))} given twice`, start);
    if (!this.#take(':')) this.#unexpected();
    this.#names.push(name);
  }

  /** @param position of the character, in UTF-16 code units */
  #fail(what: string, position = this.at): never {
    throw new JsonSyntaxError(`${what} at character ${position}`);
  }

  #unexpected(): never {
    if (this.at >= this.#text.length) this.#fail('unexpected end');
    return this.#fail(`unexpected ${JSON.stringify(this.#text[this.at])}`);
  }

  #skipSpace(): void {
    const text = this.#text;
    let { at } = this;
    for (let code = text.charCodeAt(at); isSpace(code); code = text.charCodeAt(at)) at += 1;
    this.at = at;
  }

  #take(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #string(): string {
    const start = this.at + 1;
    this.#skipPlain(start);
    if (this.#text.charCodeAt(this.at) !== QUOTE) return this.#stringWithEscapes(start);
    const value = this.#text.slice(start, this.at);
    this.at += 1;
    return value;
  }

  /** Most strings have no escapes; this is for those that do. Once they are known to be right, the engine replaces them. */
  #stringWithEscapes(start: number): string {
    for (let code = this.#code(); code !== QUOTE; code = this.#code()) {
      if (Number.isNaN(code)) this.#fail('unfinished string');
      if (code !== BACKSLASH) this.#fail('control character in a string');
      this.#skipEscapes();
      this.#skipPlain(this.at);
    }
    this.at += 1;
    const value = JSON.parse(this.#text.slice(start - 1, this.at)) as string;
    if (HALF_SURROGATE.test(value)) this.#fail('half of a surrogate pair in a string', start - 1);
    return value;
  }

  #code(): number {
    return this.#text.charCodeAt(this.at);
  }

  /** Moves to the first character from `from` on that ends a string, starts an escape or may not be there. */
  #skipPlain(from: number): void {
    SPECIAL.lastIndex = from;
    this.at = SPECIAL.test(this.#text) ? SPECIAL.lastIndex - 1 : this.#text.length;
  }

  /** Moves behind the escapes that begin here, however many follow each other. */
  #skipEscapes(): void {
    const text = this.#text;
    let { at } = this;
    while (text.charCodeAt(at) === BACKSLASH) {
      const letter = text.charCodeAt(at + 1);
      let end = at + 2;
      let isRight = letter === LETTER_U || ESCAPED.has(letter);
      if (letter === LETTER_U) for (; end < at + 6; end += 1) isRight &&= isHexDigit(text.charCodeAt(end));
      if (!isRight) this.#fail('bad escape', at);
      at = end;
    }
    this.at = at;
  }

  #literal<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.at)) this.#unexpected();
    this.at += word.length;
    return value;
  }

  #number(): NumberLexeme {
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.#text)) this.#unexpected();
    const lexeme = this.#text.slice(this.at, NUMBER.lastIndex);
    this.at = NUMBER.lastIndex;
    return new NumberLexeme(lexeme);
  }
}

const cut = (name: string): string => (name.length <= MOST_QUOTED ? name : `${name.slice(0, MOST_QUOTED)}…`);

/**
 * Parses a whole text at once.
 * @throws JsonSyntaxError at the first error
 */
export const parseStrictJson = (text: string, maxDepth = 16): JsonValue => {
  const parser = new StrictJsonParser(text, { maxDepth });
  parser.advance();
  return parser.value;
};
