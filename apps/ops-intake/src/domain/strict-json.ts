/** A JSON number as it was written: arithmetic and doubles never touch it. */
export class NumberLexeme {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A parsed JSON text. Objects are Maps, so no member name (`__proto__`) means anything to the language. */
export type JsonValue = null | boolean | string | NumberLexeme | JsonValue[] | Map<string, JsonValue>;

/** Text that is no JSON, or JSON that two readers could understand differently (repeated members, absurd depth). */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  /** index of the offending character, in UTF-16 code units */
  readonly position: number;
  constructor(what: string, position: number) {
    super(`${what} at character ${position}`);
    this.position = position;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_STRING = /[^"\\\u0000-\u001f]*/y;
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

/**
 * Parses JSON (RFC 8259) to the letter, with numbers kept as written. Stricter than `JSON.parse` in two points: a
 * member given twice in one object is refused even when both values are equal, and so is nesting beyond `maxDepth`.
 *
 * @throws JsonFault with the place of the first fault
 */
export const parseStrictJson = (text: string, maxDepth = 16): JsonValue => {
  let at = 0;

  const fail = (what: string, position = at): never => {
    throw new JsonFault(what, position);
  };

  const skipSpace = (): void => {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      at += 1;
    }
  };

  const take = (character: string): boolean => {
    skipSpace();
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };

  const unexpected = (): never =>
    at >= text.length ? fail('unexpected end') : fail(`unexpected ${JSON.stringify(text[at])}`);

  const literal = <T>(word: string, value: T): T => {
    if (!text.startsWith(word, at)) return unexpected();
    at += word.length;
    return value;
  };

  const number = (): NumberLexeme => {
    NUMBER.lastIndex = at;
    const lexeme = NUMBER.exec(text)?.[0] ?? unexpected();
    at += lexeme.length;
    return new NumberLexeme(lexeme);
  };

  const escape = (): string => {
    const letter = text[at + 1] ?? '';
    if (letter === 'u') {
      const hex = text.slice(at + 2, at + 6);
      if (!FOUR_HEX.test(hex)) fail('bad escape');
      at += 6;
      return String.fromCharCode(parseInt(hex, 16));
    }
    const character = ESCAPES[letter] ?? fail('bad escape');
    at += 2;
    return character;
  };

  const string = (): string => {
    const start = at;
    at += 1;
    let value = '';
    for (;;) {
      PLAIN_STRING.lastIndex = at;
      const plain = PLAIN_STRING.exec(text)?.[0] ?? '';
      at += plain.length;
      value += plain;
      const next = text[at];
      if (next === '"') break;
      if (next !== '\\') fail(next === undefined ? 'unfinished string' : 'control character in a string');
      value += escape();
    }
    at += 1;
    if (HALF_SURROGATE.test(value)) fail('half of a surrogate pair in a string', start);
    return value;
  };

  const array = (depth: number): JsonValue[] => {
    at += 1;
    const items: JsonValue[] = [];
    if (take(']')) return items;
    do items.push(value(depth));
    while (take(','));
    if (!take(']')) unexpected();
    return items;
  };

  const object = (depth: number): Map<string, JsonValue> => {
    at += 1;
    const members = new Map<string, JsonValue>();
    if (take('}')) return members;
    do {
      skipSpace();
      const start = at;
      if (text[at] !== '"') unexpected();
      const name = string();
      if (members.has(name)) fail(`member ${JSON.stringify(name)} given twice`, start);
      if (!take(':')) unexpected();
      members.set(name, value(depth));
    } while (take(','));
    if (!take('}')) unexpected();
    return members;
  };

  const value = (depth: number): JsonValue => {
    skipSpace();
    const character = text[at];
    if (character === '{' || character === '[') {
      if (depth >= maxDepth) fail(`nesting deeper than ${maxDepth}`);
      return character === '{' ? object(depth + 1) : array(depth + 1);
    }
    if (character === '"') return string();
    if (character === 't') return literal('true', true);
    if (character === 'f') return literal('false', false);
    if (character === 'n') return literal('null', null);
    return number();
  };

  const whole = value(0);
  skipSpace();
  if (at < text.length) unexpected();
  return whole;
};
