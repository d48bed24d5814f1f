import { asciiJson } from '@workspace/service-kit';
import { entriesOf, type PhpValue } from './php-value.ts';

/**
 * A value as PHP's `json_encode` writes it without flags: compact, `/` as `\/`, everything beyond ASCII as `\uXXXX`,
 * and an empty array as `[]` even where a map is meant.
 */
export const phpJson = (value: PhpValue): string => {
  if (typeof value === 'string') return phpJsonString(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = entriesOf(value);
  // PHP has one array type: keys 0, 1, 2 … in order make it a list.
  if (entries.every(([key], index) => key === String(index))) {
    return `[${entries.map(([, member]) => phpJson(member)).join(',')}]`;
  }
  return `{${entries.map(([key, member]) => `${phpJsonString(key)}:${phpJson(member)}`).join(',')}}`;
};

const phpJsonString = (text: string): string => asciiJson(JSON.stringify(text).replaceAll('/', '\\/'));
