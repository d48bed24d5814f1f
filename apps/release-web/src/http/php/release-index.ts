import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { ProblemError } from '@workspace/service-kit/problems';
import { canonicalQuery, type ReleaseIndexQuery } from '../../domain/release-index.ts';
import { problems } from '../../problems.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { PhpQuery } from './choice.ts';
import { LIST, phpInteger, phpQuery } from './php-query.ts';
import { PhpReleaseIndex } from './schemas.ts';
import { aliased } from '../rendering/aliased.ts';
import { type Answers, showsToday } from '../rendering/answers.ts';
import { Representation } from '../rendering/representation.ts';
import { releasesPageOf } from '../pages/page-representation.ts';
import { PHP_ENCODERS, type PhpFormat, phpRepresentations } from './php-representation.ts';
import { releaseIndexView, UNKNOWN_VERSION } from './release-index-view.ts';

/** php.net names no charset in the release index; PHP adds one to `text/plain`, in this spelling. */
const MEDIA_TYPES = { json: 'application/json', serialize: 'text/plain;charset=UTF-8' };

const IndexQuery = Type.Object({
  json: Type.Optional(Type.String({ description: 'any value: answer as JSON', examples: ['1'] })),
  serialize: Type.Optional(
    Type.String({ description: "any value: answer in PHP's serialize; wins over json", examples: ['1'] }),
  ),
  version: Type.Optional(Type.String({ description: '8, 8.4 or 8.4.24', examples: ['8.4'] })),
  max: Type.Optional(Type.String({ description: 'how many, keyed by version; -1: all', examples: ['10'] })),
});

/** The release index: a page, or data. @param paths the documented one first */
export const releaseIndex = (app: Service, paths: readonly string[], answers: Answers): void => {
  const page = answers.prepare(releasesPageOf(answers.site));
  const data = answers.prepare(({ catalogue, builtAt }, cache) => {
    const unknownVersion = phpRepresentations(UNKNOWN_VERSION, MEDIA_TYPES);
    return (query: ReleaseIndexQuery, format: PhpFormat): Representation => {
      const canonical = canonicalQuery(catalogue, query);
      if (!canonical) return unknownVersion[format];
      const { version = [], max = '' } = canonical;
      return cache.get(`index ${format} ${version.join('.')} ${max}`, () => {
        const value = releaseIndexView(catalogue, builtAt, canonical);
        return new Representation(MEDIA_TYPES[format], PHP_ENCODERS[format](value));
      });
    };
  });
  const route = {
    operationId: 'phpReleaseIndex',
    tags: ['php.net'],
    summary: 'Releases: a page, or data with the parameter json or serialize',
    querystring: PhpQuery,
    described: { querystring: IndexQuery },
    problems: [problems['unknown-choice']],
    response: cacheable('The releases.', {
      'application/json': PhpReleaseIndex,
      'text/plain': Type.String({
        description: "PHP's serialize",
        examples: ['a:1:{s:5:"error";s:15:"Unknown version";}'],
      }),
      'text/html': Type.String(),
    }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) => {
      const parameters = phpQuery(request.url);
      const format = (['serialize', 'json'] as const).find((name) => parameters.has(name));
      return format
        ? answers.respond(request, reply, (current) => data(current)(releaseIndexQuery(parameters), format))
        : answers.respond(request, reply, (current, _request, now) => page(current)(now), showsToday);
    });
  }
};

/** @throws ProblemError for a list of versions, which is an error in php.net too */
const releaseIndexQuery = (parameters: ReturnType<typeof phpQuery>): ReleaseIndexQuery => {
  const version = parameters.get('version');
  const max = parameters.get('max');
  if (version === LIST) {
    const detail = 'version takes one value, not a list.';
    const errors = [{ pointer: '#/querystring/version', code: 'unknown-choice', detail }];
    throw new ProblemError(problems['unknown-choice'], { detail, errors });
  }
  return {
    ...(version !== undefined && { version: version.split('.').map(phpInteger) }),
    // A list as a number is 1.
    ...(max !== undefined && { max: max === LIST ? 1 : phpInteger(max) }),
  };
};
