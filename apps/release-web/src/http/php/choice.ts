import { type TSchema, Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';
import type { phpQuery } from './php-query.ts';

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
