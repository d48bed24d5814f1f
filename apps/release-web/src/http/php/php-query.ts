/** What PHP reads from a parameter that is written as a list: `name[]=`, `name[key]=`. */
export const LIST = Symbol('list');

/** A name without its leading spaces, the brackets of a list, and what follows a bracket that begins no list. */
const NAME = /^ *([^[\0]*)(\[[^\]\0]*\])?([^\0]*)/;

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * A query string as PHP's `$_GET` has it: of equal names the last one counts, a dot or a space in a name is read as `_`,
 * and a name ends at a NUL.
 * @param url of the request, with its path
 */
export const phpQuery = (url: string): ReadonlyMap<string, string | typeof LIST> => {
  const start = url.indexOf('?');
  if (start < 0) return NONE;
  // URLSearchParams takes the question mark away; a second one belongs to a name.
  const query = new URLSearchParams(url.slice(start));
  return new Map(
    [...query].map(([written, value]) => {
      const [, name = '', list, rest = ''] = NAME.exec(written)!;
      return [(name + (list ? '' : rest)).replace(/[. [\]]/g, '_'), list && name ? LIST : value];
    }),
  );
};

const NUMBER = /^[ \t\n\r\v\f]*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/i;

/** A text as PHP reads an integer: the number that it begins with, without its fraction; else 0. */
export const phpInteger = (text: string): number => {
  const number = Math.trunc(Number(NUMBER.exec(text)?.[1]));
  return Number.isFinite(number) ? number : 0;
};
