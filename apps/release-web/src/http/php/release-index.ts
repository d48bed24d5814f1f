import { Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit/problems';
import {
  canonicalQuery,
  findReleases,
  newestOfMajors,
  type ReleaseIndexQuery,
  supportedBranches,
} from '../../domain/release-index.ts';
import { problems } from '../../problems.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { LIST, phpInteger, PhpQuery, phpQuery } from './php-query.ts';
import { PhpReleaseIndex } from './schemas.ts';
import type { Answers } from '../rendering/answers.ts';
import { Representation } from '../rendering/representation.ts';
import { releasesPageOf } from '../pages/routes.ts';
import { PHP_ENCODERS, phpRepresentations, type PhpValue } from './php-value.ts';
import { type Catalogue, majorOf, type Release } from '@workspace/release-catalogue';

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
export const releaseIndex = (answers: Answers, paths: readonly string[]): void =>
  answers.route(
    paths,
    {
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
    },
    (snapshot, cache) => {
      const { catalogue, builtAt } = snapshot;
      const page = releasesPageOf(answers.site)(snapshot, cache);
      const unknownVersion = phpRepresentations(UNKNOWN_VERSION, MEDIA_TYPES);
      return ({ url }, now) => {
        const parameters = phpQuery(url);
        const format = (['serialize', 'json'] as const).find((name) => parameters.has(name));
        if (!format) return page(now);
        const canonical = canonicalQuery(catalogue, releaseIndexQuery(parameters));
        if (!canonical) return unknownVersion[format];
        const { version = [], max = '' } = canonical;
        return cache.get(`index ${format} ${version.join('.')} ${max}`, () => {
          const value = releaseIndexView(catalogue, builtAt, canonical);
          return new Representation(MEDIA_TYPES[format], PHP_ENCODERS[format](value));
        });
      };
    },
  );

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

/** php.net's answer, with status 200, to a version that it does not know. */
const UNKNOWN_VERSION: PhpValue = { error: 'Unknown version' };

/** `/releases/index.php?json` and `?serialize`. @param query a canonical one */
export const releaseIndexView = (
  catalogue: Catalogue,
  now: Date,
  { version, max }: ReleaseIndexQuery,
): PhpValue => {
  if (version === undefined) {
    return new Map(
      newestOfMajors(catalogue).map(([major, release]) => [
        String(major),
        {
          ...published(release),
          version: release.version,
          supported_versions: supportedBranches(catalogue, major, now),
        },
      ]),
    );
  }
  const found = findReleases(catalogue, version);
  if (max !== undefined)
    return new Map(found.slice(0, max).map((release) => [release.version, published(release)]));
  const first = found[0]!;
  const supported = supportedBranches(catalogue, majorOf(first.version), now);
  return { ...published(first), supported_versions: supported, version: first.version };
};

/** A release's stored members, in stored order. */
export const published = (release: Release): Record<string, PhpValue> =>
  release.published as Record<string, PhpValue>;
