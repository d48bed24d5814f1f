import { type JsonValue, NumberLexeme } from '../domain/json-value.ts';

/** Text that is not JSON, or JSON that two readers could understand differently (repeated members, extreme depth). */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** index of the offending character, in UTF-16 code units */
  readonly position: number;
  constructor(what: string, position: number) {
    super(`${what} at character ${position}`);
    this.position = position;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPECIAL = /["\\\u0000-\u001f]/g;
const FOUR_HEX = /^[0-9a-fA-F]{4}$/;
const HALF_SURROGATE = /\p{Surrogate}/u;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** One pass over one text. A class, because closures made anew for each text cost as much as the parsing. */
class Scanner {
  private at = 0;
  private readonly text: string;
  private readonly maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  whole(): JsonValue {
    const value = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) this.unexpected();
    return value;
  }

  private fail(what: string, position = this.at): never {
    throw new JsonSyntaxError(what, position);
  }

  private unexpected(): never {
    if (this.at >= this.text.length) this.fail('unexpected end');
    return this.fail(`unexpected ${JSON.stringify(this.text[this.at])}`);
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private take(character: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private value(depth: number): JsonValue {
    this.skipSpace();
    const character = this.text[this.at];
    if (character === '{' || character === '[') {
      if (depth >= this.maxDepth) this.fail(`nesting deeper than ${this.maxDepth}`);
      return character === '{' ? this.object(depth + 1) : this.array(depth + 1);
    }
    if (character === '"') return this.string();
    if (character === 't') return this.literal('true', true);
    if (character === 'f') return this.literal('false', false);
    if (character === 'n') return this.literal('null', null);
    return this.number();
  }

  private array(depth: number): JsonValue[] {
    this.at += 1;
    const items: JsonValue[] = [];
    if (this.take(']')) return items;
    do items.push(this.value(depth));
    while (this.take(','));
    if (!this.take(']')) this.unexpected();
    return items;
  }

  private object(depth: number): Map<string, JsonValue> {
    this.at += 1;
    const members = new Map<string, JsonValue>();
    if (this.take('}')) return members;
    do {
      this.skipSpace();
      const start = this.at;
      if (this.text[start] !== '"') this.unexpected();
      const name = this.string();
      if (members.has(name)) this.fail(`member ${JSON.stringify(name)} given twice`, start);
      if (!this.take(':')) this.unexpected();
      members.set(name, this.value(depth));
    } while (this.take(','));
    if (!this.take('}')) this.unexpected();
    return members;
  }

  private string(): string {
    const start = this.at + 1;
    this.skipPlain(start);
    if (this.text[this.at] !== '"') return this.stringWithEscapes(start);
    const value = this.text.slice(start, this.at);
    this.at += 1;
    return value;
  }

  /** Most strings have no escapes; this is for those that do, from their first one on. */
  private stringWithEscapes(start: number): string {
    let value = this.text.slice(start, this.at);
    while (this.text[this.at] !== '"') {
      if (this.at >= this.text.length) this.fail('unfinished string');
      if (this.text[this.at] !== '\\') this.fail('control character in a string');
      value += this.escape();
      const from = this.at;
      this.skipPlain(from);
      value += this.text.slice(from, this.at);
    }
    this.at += 1;
    if (HALF_SURROGATE.test(value)) this.fail('half of a surrogate pair in a string', start - 1);
    return value;
  }

  /** Moves to the first character from `from` on that ends a string, starts an escape or may not be there. */
  private skipPlain(from: number): void {
    SPECIAL.lastIndex = from;
    this.at = SPECIAL.test(this.text) ? SPECIAL.lastIndex - 1 : this.text.length;
  }

  private escape(): string {
    const letter = this.text[this.at + 1] ?? '';
    if (letter === 'u') {
      const hex = this.text.slice(this.at + 2, this.at + 6);
      if (!FOUR_HEX.test(hex)) this.fail('bad escape');
      this.at += 6;
      return String.fromCharCode(parseInt(hex, 16));
    }
    const character = ESCAPES[letter] ?? this.fail('bad escape');
    this.at += 2;
    return character;
  }

  private literal<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.unexpected();
    this.at += word.length;
    return value;
  }

  private number(): NumberLexeme {
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.text)) this.unexpected();
    const lexeme = this.text.slice(this.at, NUMBER.lastIndex);
    this.at = NUMBER.lastIndex;
    return new NumberLexeme(lexeme);
  }
}

/**
 * Parses JSON strictly (RFC 8259), with numbers kept as written. Stricter than `JSON.parse` in two points: a
 * member given twice in one object is an error even when both values are equal, and so is nesting beyond `maxDepth`.
 *
 * @throws JsonSyntaxError at the first error
 */
export const parseStrictJson = (text: string, maxDepth = 16): JsonValue =>
  new Scanner(text, maxDepth).whole();
