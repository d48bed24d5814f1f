import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit';
import { problems } from '../../problems.ts';

/** The schema of a query parameter that takes one of a few words. */
export const Choice = (choices: readonly string[], description: string): TSchema =>
  Type.Optional(Type.Unsafe<string>({ type: 'string', enum: choices, description }));

/** A query as PHP takes it: any names, and lists. Its rules are more than a schema can say, so the handler checks it. */
export const PhpQuery = Type.Unsafe<Readonly<Record<string, string | string[]>>>({ type: 'object' });
export type PhpQuery = Static<typeof PhpQuery>;

/** Whether a query parameter is written as PHP writes lists: `name[]=`, `name[0]=`. */
export const isListed = (parameters: PhpQuery, name: string): boolean =>
  Object.keys(parameters).some((key) => key.startsWith(`${name}[`));

/**
 * The value of a query parameter that takes one of a few words, exactly as written.
 * @returns undefined when it is not there
 * @throws ProblemError naming the choices, for any other value: empty, another case, repeated, `name[]=`
 */
export const choice = <const C extends string>(
  query: PhpQuery,
  name: string,
  choices: readonly C[],
): C | undefined => {
  const value = query[name];
  const isList = isListed(query, name);
  if (value === undefined && !isList) return undefined;
  const chosen = isList ? undefined : choices.find((candidate) => candidate === value);
  if (chosen !== undefined) return chosen;
  const allowed = choices.join(', ');
  throw new ProblemError(problems['unknown-choice'], {
    detail: `${name} must be given once, as one of: ${allowed}.`,
    errors: [{ pointer: `#/querystring/${name}`, code: 'unknown-choice', detail: `allowed: ${allowed}` }],
    members: { parameter: name, allowed: choices },
  });
};
