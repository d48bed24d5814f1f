import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { Choice, choice, PhpQuery } from './choice.ts';
import { phpQuery } from './php-query.ts';
import { PreReleases } from './schemas.ts';
import { aliased } from '../rendering/aliased.ts';
import type { Answers } from '../rendering/answers.ts';
import { devVersions } from '@workspace/release-catalogue';
import { phpRepresentations } from './php-representation.ts';
import { preReleasesKeyed } from './pre-release-keyed.ts';
import { preReleaseRecords } from './pre-release-records.ts';

const FORMATS = ['json', 'serialize'] as const;
const ONLY = ['dev_versions'] as const;

const PreReleaseQuery = Type.Object({
  format: Choice(FORMATS, 'json when left out'),
  only: Choice(ONLY, 'a flat list of versions instead of everything'),
});

/** Pre-release builds. @param paths the documented one first */
export const preReleaseBuilds = (app: Service, paths: readonly string[], answers: Answers): void => {
  const isKeyed = answers.site.preReleaseShape === 'keyed';
  const builds = answers.prepare(({ catalogue, preReleases }) =>
    phpRepresentations(
      isKeyed ? preReleasesKeyed(catalogue.product, preReleases) : preReleaseRecords(preReleases),
    ),
  );
  const versions = answers.prepare(({ preReleases }) => {
    const list = devVersions(preReleases);
    // php.net has no list of reported versions when nothing is active.
    return phpRepresentations(isKeyed && list.length === 0 ? null : list);
  });
  const route = {
    operationId: 'preReleaseBuilds',
    tags: ['contract'],
    summary: 'Coming releases and their builds',
    querystring: PhpQuery,
    described: { querystring: PreReleaseQuery },
    problems: [problems['unknown-choice']],
    response: cacheable('The builds, or with `only` the versions.', {
      'application/json': PreReleases,
      'text/plain': Type.String({
        description: "with format=serialize: PHP's serialize",
        examples: ['a:1:{i:0;s:10:"8.4.25-dev";}'],
      }),
    }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) =>
      answers.respond(request, reply, (current, { url }) => {
        const parameters = phpQuery(url);
        const format = choice(parameters, 'format', FORMATS) ?? 'json';
        const only = choice(parameters, 'only', ONLY);
        return (only ? versions : builds)(current)[format];
      }),
    );
  }
};
