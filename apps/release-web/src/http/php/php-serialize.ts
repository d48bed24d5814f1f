import { entriesOf, isIntegerKey, type PhpValue } from './php-value.ts';

/** A value as PHP's `serialize` writes it. Lengths are in bytes of UTF-8; nothing is escaped. */
export const phpSerialize = (value: PhpValue): string => {
  if (value === null) return 'N;';
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`;
  if (typeof value === 'number') return serializeInteger(value);
  if (typeof value === 'string') return serializeString(value);
  const entries = entriesOf(value);
  const members = entries.map(([key, member]) => serializeKey(key) + phpSerialize(member));
  return `a:${entries.length}:{${members.join('')}}`;
};

const serializeKey = (key: string): string => (isIntegerKey(key) ? `i:${key};` : serializeString(key));

const serializeInteger = (value: number): string => {
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${value} is not an integer that PHP would read back`);
  return `i:${value};`;
};

const serializeString = (text: string): string => `s:${Buffer.byteLength(text)}:"${text}";`;
