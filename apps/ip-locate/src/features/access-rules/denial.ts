import { type Problem, problemType } from '@workspace/schemas';
import { plainProblemPage, ProblemError } from '@workspace/service-kit/problems';
import { problems } from './problems.ts';

/** The problem of a caller that rules deny. It says nothing of the rules: a proxy may pass it on to the visitor. */
export const denialOf = (headers: Readonly<Record<string, string>>): ProblemError =>
  new ProblemError(problems['access-denied'], {
    detail: 'Requests from your network or location are not accepted here.',
    headers,
  });

export const isDenial = ({ type }: Problem): boolean => type === problemType(problems['access-denied'].code);

/** What a visitor sees in a browser where a proxy passes a denial on: no links, because they would lead to the site. */
export const denialPage = plainProblemPage('ip-locate');
