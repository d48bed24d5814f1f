import { type JsonValue, NumberLexeme } from '../../domain/json-value.ts';

/** The texts of the numbers of an object or array, by member or index. */
export const LEXEMES = Symbol('lexemes');

interface Container {
  [LEXEMES]?: Record<string, string>;
  [name: string]: unknown;
}

/** An object as ajv reads it, without a single inherited member: `constructor` and `__proto__` are names like others. */
const Members = function () {} as unknown as new () => Container;
Members.prototype = Object.create(null) as object;

/** A view, and how many values it has. */
export interface OperationView {
  readonly value: unknown;
  readonly values: number;
}

/** To ajv, a number is a number; what it is worth is judged on its text, which no double holds. */
const A_NUMBER = 0;

/** A parsed value as ajv reads it, with the texts of its numbers beside them. */
export const viewOf = (value: JsonValue): OperationView => {
  let values = 0;
  const put = (container: Container, name: string | number, one: JsonValue): void => {
    if (one instanceof NumberLexeme) {
      container[LEXEMES] ??= new Members() as Record<string, string>;
      container[LEXEMES][name] = one.text;
    }
    container[name] = view(one);
  };
  const view = (one: JsonValue): unknown => {
    values += 1;
    if (one instanceof NumberLexeme) return A_NUMBER;
    if (one instanceof Map) {
      const members = new Members();
      for (const [name, member] of one) put(members, name, member);
      return members;
    }
    if (!Array.isArray(one)) return one;
    const elements: unknown[] = [];
    one.forEach((element, index) => put(elements as unknown as Container, index, element));
    return elements;
  };
  const whole = view(value);
  return { value: whole, values };
};
