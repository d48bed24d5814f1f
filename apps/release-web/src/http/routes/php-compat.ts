import { Type } from '@sinclair/typebox';
import { ProblemError, type Service } from '@workspace/service-kit';
import type { ReleaseIndexQuery } from '../../domain/release-index.ts';
import { problems } from '../../problems.ts';
import { cacheable } from '../cacheable.ts';
import { PhpQuery } from '../choice.ts';
import { LIST, phpInteger, phpQuery } from '../php-query.ts';
import { PhpActive, PhpReleaseIndex, PhpStates } from '../schemas/php.ts';
import { aliased } from './aliased.ts';
import { responder, type ResponseSource, showsToday } from './respond.ts';

const tags = ['php.net'];

const IndexQuery = Type.Object({
  json: Type.Optional(Type.String({ description: 'any value: answer as JSON' })),
  serialize: Type.Optional(
    Type.String({ description: "any value: answer in PHP's serialize; wins over json" }),
  ),
  version: Type.Optional(Type.String({ description: '8, 8.4 or 8.4.24' })),
  max: Type.Optional(Type.String({ description: 'how many, keyed by version; -1: all' })),
});

/** The release index: a page, or data. @param paths the documented one first */
export const releaseIndex = (app: Service, paths: readonly string[], source: ResponseSource): void => {
  const respond = responder(source);
  const route = {
    operationId: 'phpReleaseIndex',
    tags,
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
    app.get(
      path,
      // In an API description a path with a slash at its end is the one without it.
      { schema: { ...schema, hide: path.endsWith('/') } },
      (request, reply) => {
        const parameters = phpQuery(request.url);
        const format = (['serialize', 'json'] as const).find((name) => parameters.has(name));
        return format
          ? respond(request, reply, ({ responses }) =>
              responses.releaseIndex(releaseIndexQuery(parameters), format),
            )
          : respond(
              request,
              reply,
              ({ responses }, _request, now) => responses.releasesPage(now),
              showsToday,
            );
      },
    );
  }
};

/** Current releases by major version and branch. @param paths the documented one first */
export const activeReleases = (app: Service, paths: readonly string[], source: ResponseSource): void => {
  const respond = responder(source);
  const route = {
    operationId: 'phpActive',
    tags,
    summary: 'Current releases by major version and branch',
    response: cacheable('The releases.', { 'application/json': PhpActive }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) =>
      respond(request, reply, ({ responses }) => responses.active),
    );
  }
};

/** Branch states by major version. @param paths the documented one first */
export const branchStates = (app: Service, paths: readonly string[], source: ResponseSource): void => {
  const respond = responder(source);
  const route = {
    operationId: 'phpStates',
    tags,
    summary: 'The state of every branch by major version',
    response: cacheable('The states.', { 'application/json': PhpStates }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) =>
      respond(request, reply, ({ responses }) => responses.states),
    );
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
