/** A JSON number as it was written: arithmetic and doubles never touch it. */
export class NumberLexeme {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A parsed JSON text. Objects are Maps, so no member name (`__proto__`) means anything to the language. */
export type JsonValue = null | boolean | string | NumberLexeme | JsonValue[] | Map<string, JsonValue>;
