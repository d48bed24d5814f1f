import { Refusal } from '@workspace/service-kit';
import { refusals } from '../errors.ts';

/**
 * The value of a query parameter that takes one of a few words, exactly as written.
 * @returns undefined when it is not there
 * @throws Refusal naming the choices, for any other value: empty, another case, repeated, `name[]=`
 */
export const choice = <const C extends string>(
  query: unknown,
  name: string,
  choices: readonly C[],
): C | undefined => {
  const parameters = query as Record<string, unknown>;
  const bracketed = Object.keys(parameters).find((key) => key.startsWith(`${name}[`));
  const value = bracketed === undefined ? parameters[name] : parameters[bracketed];
  if (bracketed === undefined && value === undefined) return undefined;
  const chosen = choices.find((candidate) => bracketed === undefined && candidate === value);
  if (chosen !== undefined) return chosen;
  const allowed = choices.join(', ');
  throw new Refusal(refusals['unknown-choice'], {
    detail: `${name} takes one of: ${allowed}; once, written exactly so.`,
    errors: [{ pointer: `#/querystring/${name}`, code: 'unknown-choice', detail: `allowed: ${allowed}` }],
    members: { parameter: name, allowed: choices },
  });
};
