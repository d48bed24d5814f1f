import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { cacheable } from '../cacheable.ts';
import { Choice, choice, PhpQuery } from '../choice.ts';
import { problems } from '../../problems.ts';
import { PhpBranches, PreReleases } from '../schemas/php.ts';
import { aliased } from './aliased.ts';
import { answering, type AnswerSource } from './answers.ts';

const FORMATS = ['json', 'serialize'] as const;
const ONLY = ['dev_versions'] as const;
const tags = ['contract'];

const PreReleaseQuery = Type.Object({
  format: Choice(FORMATS, 'json when left out'),
  only: Choice(ONLY, 'a flat list of versions instead of everything'),
});

/** The paths of the contract that answer themselves. */
export const contractRoutes = (app: Service, source: AnswerSource): void => {
  const answer = answering(source);
  const mirrorInfo = aliased(['/mirror-info.php', '/mirror-info'], {
    operationId: 'mirrorInfo',
    tags,
    summary: 'Eleven fields about this host in one line, separated by |',
    response: cacheable('The line.', { 'text/plain': Type.String() }),
  });
  for (const [path, schema] of mirrorInfo) {
    app.get(path, { schema }, (request, reply) => answer(request, reply, (snapshot) => snapshot.mirrorInfo));
  }
  const atomFeed = aliased(['/releases/feed.php', '/releases/feed'], {
    operationId: 'atomFeed',
    tags,
    summary: 'The newest release of each supported branch, then news, as Atom',
    response: cacheable('The feed (RFC 4287).', { 'application/atom+xml': Type.String() }),
  });
  for (const [path, schema] of atomFeed) {
    app.get(path, { schema }, (request, reply) => answer(request, reply, (snapshot) => snapshot.atomFeed));
  }
  const branches = aliased(['/releases/branches.php', '/releases/branches'], {
    operationId: 'phpBranches',
    tags,
    summary: 'Every branch with its state now, newest first',
    response: cacheable('The branches.', { 'application/json': PhpBranches }),
  });
  for (const [path, schema] of branches) {
    app.get(path, { schema }, (request, reply) => answer(request, reply, (snapshot) => snapshot.branches));
  }
  const preReleaseBuilds = aliased(['/pre-release-builds.php', '/pre-release-builds'], {
    operationId: 'preReleaseBuilds',
    tags,
    summary: 'Coming releases and their builds',
    querystring: PhpQuery,
    described: { querystring: PreReleaseQuery },
    problems: [problems['unknown-choice']],
    response: cacheable('The builds, or with `only` the versions.', {
      'application/json': PreReleases,
      'text/plain': Type.String({ description: "with format=serialize: PHP's serialize" }),
    }),
  });
  for (const [path, schema] of preReleaseBuilds) {
    app.get(path, { schema }, (request, reply) =>
      answer(request, reply, (snapshot, { query }) => {
        const format = choice(query, 'format', FORMATS) ?? 'json';
        const only = choice(query, 'only', ONLY);
        return (only ? snapshot.devVersions : snapshot.preReleases)[format];
      }),
    );
  }
};
