import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { cacheable } from '../cacheable.ts';
import { Choice, choice, PhpQuery } from '../choice.ts';
import { PreReleases } from '../schemas/php.ts';
import { aliased } from './aliased.ts';
import { responder, type ResponseSource } from './respond.ts';

const FORMATS = ['json', 'serialize'] as const;
const ONLY = ['dev_versions'] as const;

const PreReleaseQuery = Type.Object({
  format: Choice(FORMATS, 'json when left out'),
  only: Choice(ONLY, 'a flat list of versions instead of everything'),
});

/** Pre-release builds. @param paths the documented one first */
export const preReleaseBuilds = (app: Service, paths: readonly string[], source: ResponseSource): void => {
  const respond = responder(source);
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
      respond(request, reply, ({ responses }, { query }) => {
        const format = choice(query, 'format', FORMATS) ?? 'json';
        const only = choice(query, 'only', ONLY);
        return (only ? responses.devVersions : responses.preReleases)[format];
      }),
    );
  }
};
