import { Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit';
import { problems } from '../problems.ts';
import { isListed } from '../http/choice.ts';
import type { Operations } from '../http/operation.ts';
import { PhpActive, PhpReleaseIndex, PhpStates } from '../views/php-shapes.ts';
import type { ReleaseIndexQuery } from '../views/release-index.ts';
import { answers, type AnswerSource } from './answers.ts';

/** What php.net answers beside the contract, for the clients it has. */
export const phpNeighbourRoutes = (operations: Operations, source: AnswerSource): void => {
  operations.get(
    {
      path: '/releases/active.php',
      aliases: ['/releases/active'],
      id: 'phpActive',
      tag: 'php.net',
      summary: 'Current releases by major version and branch',
      answers: { 'application/json': PhpActive },
    },
    answers(source, (snapshot) => snapshot.active),
  );
  operations.get(
    {
      path: '/releases/states.php',
      aliases: ['/releases/states'],
      id: 'phpStates',
      tag: 'php.net',
      summary: 'The state of every branch by major version',
      answers: { 'application/json': PhpStates },
    },
    answers(source, (snapshot) => snapshot.states),
  );
  operations.get(
    {
      path: '/releases/index.php',
      aliases: ['/releases/index', '/releases/', '/releases'],
      id: 'phpReleaseIndex',
      tag: 'php.net',
      summary: 'Releases: a page, or data with the parameter json or serialize',
      query: Type.Object({
        json: Type.Optional(Type.String({ description: 'any value: answer as JSON' })),
        serialize: Type.Optional(
          Type.String({ description: "any value: answer in PHP's serialize; wins over json" }),
        ),
        version: Type.Optional(Type.String({ description: '8, 8.4 or 8.4.24', examples: ['8.4'] })),
        max: Type.Optional(
          Type.String({ description: 'how many, keyed by version; -1: all', examples: ['-1'] }),
        ),
      }),
      handlerJudgesQuery: true,
      answers: {
        'application/json': PhpReleaseIndex,
        'text/plain': Type.String(),
        'text/html': Type.String(),
      },
    },
    answers(source, (snapshot, { query }) => {
      const parameters = query as Record<string, string | string[]>;
      if ('serialize' in parameters) return snapshot.releaseIndex(releaseIndexQuery(parameters), 'serialize');
      if ('json' in parameters) return snapshot.releaseIndex(releaseIndexQuery(parameters), 'json');
      return snapshot.releasesPage;
    }),
  );
};

const releaseIndexQuery = (parameters: Record<string, string | string[]>): ReleaseIndexQuery => {
  for (const name of ['version', 'max']) {
    if (!isListed(parameters, name)) continue;
    const detail = `${name} takes one value, not a list.`;
    const errors = [{ pointer: `#/querystring/${name}`, code: 'unknown-choice', detail }];
    throw new ProblemError(problems['unknown-choice'], { detail, errors });
  }
  const version = lastOf(parameters['version']);
  const max = lastOf(parameters['max']);
  return {
    ...(version !== undefined && { version }),
    ...(max !== undefined && { max: phpInteger(max) }),
  };
};

/** PHP keeps the last of repeated parameters. */
const lastOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.at(-1) : value;

/** PHP's intval: the number a text starts with, else 0. */
const phpInteger = (text: string): number => Number(/^\s*([+-]?\d+)/.exec(text)?.[1] ?? 0);
