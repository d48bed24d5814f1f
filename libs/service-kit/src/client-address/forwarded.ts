import { type Address, parseAddress } from '@workspace/ip-addresses';

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
/** RFC 9110, 5.6.4, without the quotes: any character, but quotes and backslashes only behind a backslash. */
const QUOTED = '(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*';
const PAIR = `(${TOKEN})=(?:(${TOKEN})|"(${QUOTED})")`;
/** RFC 7239, 4: `for=192.0.2.1;by=203.0.113.7`, without spaces. */
const ELEMENT = new RegExp(`^[\\t ]*(?:${PAIR})?(?:;(?:${PAIR})?)*[\\t ]*$`);
const PAIRS = new RegExp(PAIR, 'g');
/** RFC 7239, 6: an IPv4 address, or an IPv6 address in brackets, and perhaps a port, which may be a name such as `_a`. */
const NODE = /^(?:([\d.]+)|\[([\da-f.]*:[\da-f:.]*)\])(?::(?:\d{1,5}|_[\w.-]+))?$/i;

/**
 * The address that one element of a `Forwarded` header names as its client (`for`).
 * @returns undefined for `unknown`, for names such as `_hidden`, and for an element that breaks a rule of RFC 7239
 */
export const forwardedAddress = (element: string): Address | undefined => {
  if (!ELEMENT.test(element)) return undefined;
  const values = new Map<string, string>();
  for (const [, name, token, quoted] of element.matchAll(PAIRS)) {
    const key = name!.toLowerCase();
    if (values.has(key)) return undefined;
    values.set(key, token ?? quoted!.replace(/\\(.)/g, '$1'));
  }
  const [, v4, v6] = NODE.exec(values.get('for') ?? '') ?? [];
  return parseAddress(v4 ?? v6 ?? '');
};

/**
 * Where the last comma before `end` is that is not in a quoted string; -1 without one. It reads from the right, where the nearest
 * proxy wrote: a quote that the client left open, further left, changes nothing.
 */
export const lastUnquotedComma = (elements: string, end: number): number => {
  let isQuoted = false;
  for (let at = end - 1; at >= 0; at--) {
    const character = elements[at];
    if (character === ',' && !isQuoted) return at;
    if (character === '"' && !(isQuoted && isEscaped(elements, at))) isQuoted = !isQuoted;
  }
  return -1;
};

/** Whether an odd number of backslashes is before a character. */
const isEscaped = (text: string, at: number): boolean => {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
};
