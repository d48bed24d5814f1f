import { type JsonValue, NumberLexeme } from '../../domain/json-value.ts';

/** A parsed value as JSON text, with numbers as they were written. */
export const jsonText = (value: JsonValue): string => {
  if (value instanceof NumberLexeme) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join()}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  return `{${Array.from(value, ([name, one]) => `${JSON.stringify(name)}:${jsonText(one)}`).join()}}`;
};
