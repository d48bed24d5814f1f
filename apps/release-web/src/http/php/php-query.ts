import { type TSchema, Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';

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

/** The schema of a query parameter that takes one of a few words. */
export const Choice = (choices: readonly string[], description: string): TSchema =>
  Type.Optional(Type.Unsafe<string>({ type: 'string', enum: choices, description }));

/** A query as PHP takes it: any names, and lists. Its rules are more than a schema can say, so the handler reads the URL. */
export const PhpQuery = Type.Unsafe<unknown>({ type: 'object' });

/**
 * The value of a query parameter that takes one of a few words, exactly as written.
 * @returns undefined when it is not there
 * @throws ProblemError naming the choices, for any other value: empty, another case, `name[]=`
 */
export const choice = <const C extends string>(
  parameters: ReturnType<typeof phpQuery>,
  name: string,
  choices: readonly C[],
): C | undefined => {
  const value = parameters.get(name);
  if (value === undefined) return undefined;
  const chosen = choices.find((candidate) => candidate === value);
  if (chosen !== undefined) return chosen;
  const allowed = choices.join(', ');
  throw new ProblemError(problems['unknown-choice'], {
    detail: `${name} must be one of: ${allowed}.`,
    errors: [{ pointer: `#/querystring/${name}`, code: 'unknown-choice', detail: `allowed: ${allowed}` }],
    members: { parameter: name, allowed: choices },
  });
};
