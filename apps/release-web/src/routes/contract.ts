import { Type } from '@sinclair/typebox';
import { Choice, choice } from '../http/choice.ts';
import type { Operations } from '../http/operation.ts';
import { PhpBranches, PreReleases } from '../views/php-shapes.ts';
import { answers, type AnswerSource } from './answers.ts';

const FORMATS = ['json', 'serialize'] as const;
const ONLY = ['dev_versions'] as const;

/** The paths of the contract that answer themselves. */
export const contractRoutes = (operations: Operations, source: AnswerSource): void => {
  operations.get(
    {
      path: '/mirror-info.php',
      aliases: ['/mirror-info'],
      id: 'mirrorInfo',
      tag: 'contract',
      summary: 'Eleven fields about this host in one line, separated by |',
      answers: { 'text/plain': Type.String() },
    },
    answers(source, (snapshot) => snapshot.mirrorInfo),
  );
  operations.get(
    {
      path: '/releases/feed.php',
      aliases: ['/releases/feed'],
      id: 'atomFeed',
      tag: 'contract',
      summary: 'The newest release of each supported branch, then news, as Atom',
      answers: { 'application/atom+xml': Type.String() },
    },
    answers(source, (snapshot) => snapshot.atomFeed),
  );
  operations.get(
    {
      path: '/releases/branches.php',
      aliases: ['/releases/branches'],
      id: 'phpBranches',
      tag: 'contract',
      summary: 'Every branch with its state now, newest first',
      answers: { 'application/json': PhpBranches },
    },
    answers(source, (snapshot) => snapshot.branches),
  );
  operations.get(
    {
      path: '/pre-release-builds.php',
      aliases: ['/pre-release-builds'],
      id: 'preReleaseBuilds',
      tag: 'contract',
      summary: 'Coming releases and their builds',
      query: Type.Object({
        format: Choice(FORMATS, 'json when left out'),
        only: Choice(ONLY, 'a flat list of versions instead of everything'),
      }),
      handlerJudgesQuery: true,
      answers: { 'application/json': PreReleases, 'text/plain': Type.String() },
    },
    answers(source, (snapshot, { query }) => {
      const format = choice(query, 'format', FORMATS) ?? 'json';
      const only = choice(query, 'only', ONLY);
      return (only ? snapshot.devVersions : snapshot.preReleases)[format];
    }),
  );
};
